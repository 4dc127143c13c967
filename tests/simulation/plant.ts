// Puts a bug into a copy of the engine without touching its files: the modules of src/engine are
// loaded once more under another address, and a phrase of one of them is replaced on the way. When
// that phrase is not there any more loading fails, so that a planted bug cannot wither.

import { registerHooks } from "node:module";
import type { StartEngine } from "./fleet.ts";

export interface Bug {
  readonly name: string;
  /** What is wrong with the engine that has it. */
  readonly about: string;
  /** The name of a file of src/engine, wherever it is there. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Shows only when several things happen together: dozens or hundreds of seeds are needed. */
  readonly isRare?: boolean;
}

const engineFolder = new URL("../../src/engine/", import.meta.url).href;
/** Reconcilers throw and return what is defined here, so there is only one of it. */
const shared = new Set(["outcome.ts", "names.ts"]);

export async function plant(bug: Bug): Promise<StartEngine> {
  let isPlanted = false;
  const mark = `?bug=${bug.name}`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const isInside = context.parentURL?.endsWith(mark) === true;
      const isCopied = isInside && isOfEngine(resolved.url) && !shared.has(nameOf(resolved.url));
      return isCopied ? { ...resolved, url: `${resolved.url}${mark}` } : resolved;
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      const isMeant = url.endsWith(mark) && nameOf(url.slice(0, -mark.length)) === bug.file;
      if (!isMeant) return loaded;
      isPlanted = true;
      return { ...loaded, source: replaced(textOf(loaded.source), bug) };
    },
  });
  try {
    const url = new URL(`./engine-under-test.ts${mark}`, import.meta.url).href;
    const { realEngine } = (await import(url)) as { readonly realEngine: StartEngine };
    if (!isPlanted) throw new Error(`${bug.name}: ${bug.file} is no part of the engine`);
    return realEngine;
  } finally {
    hooks.deregister();
  }
}

function isOfEngine(url: string): boolean {
  return url.startsWith(engineFolder);
}

function nameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

function textOf(source: string | ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return typeof source === "string" ? source : Buffer.from(source as Uint8Array).toString();
}

function replaced(source: string, { name, file, find, replace }: Bug): string {
  if (!source.includes(find)) throw new Error(`${name}: ${file} has nothing to be replaced`);
  return source.replaceAll(find, () => replace);
}
