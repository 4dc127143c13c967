/**
 * What a data folder says about the demo, in the file demo/state.json. The file is written before
 * the store exists, so that a start that was interrupted is completed by the next one, and a folder
 * with other data never gets a demo.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StoreConfig } from "../../app/config.ts";
import { numberAt, objectAt } from "../../kernel/json-read.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";

export interface DemoState {
  readonly isInstalled: boolean;
  readonly hasRepository: boolean;
  /** Of each service, by its name. Files that were applied contain it. */
  readonly ports: Readonly<Record<string, number>>;
}

export type DemoChoice =
  | { readonly kind: "none" }
  /** The reason, for a line of the start. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "new" }
  | { readonly kind: "kept"; readonly state: DemoState }
  /** The file cannot be read. Without a state, its copy cannot be read either. */
  | { readonly kind: "damaged"; readonly file: string; readonly state: DemoState | undefined };

export interface DemoWish {
  readonly isWanted: boolean;
  readonly isWorker: boolean;
}

export function demoFolder({ dataFolder }: Pick<StoreConfig, "dataFolder">): string {
  return join(dataFolder, "demo");
}

export function chooseDemo(config: StoreConfig, { isWanted, isWorker }: DemoWish): DemoChoice {
  const file = stateFile(config);
  const isThere = existsSync(file);
  if (!isWanted) {
    if (!isThere) return { kind: "none" };
    const reason = "its services do not run: start them with --demo, as npm start does";
    return { kind: "refused", reason };
  }
  if (!isWorker) return { kind: "refused", reason: "this process has no role worker" };
  if (isThere) {
    const state = readState(file);
    if (state !== undefined) return { kind: "kept", state };
    return { kind: "damaged", file, state: readState(copyOf(file)) };
  }
  const { dataFolder, store } = config;
  if (store.kind !== "sqlite" || store.path !== join(dataFolder, "setpoint.db")) {
    return { kind: "refused", reason: "it needs the embedded store in the data folder" };
  }
  if (!existsSync(store.path)) return { kind: "new" };
  const reason = `${dataFolder} has other data; add --data NEW-FOLDER for a demo`;
  return { kind: "refused", reason };
}

export function writeState(config: StoreConfig, state: DemoState): void {
  mkdirSync(demoFolder(config), { recursive: true, mode: 0o700 });
  const file = stateFile(config);
  for (const each of [file, copyOf(file)]) {
    // The content is on disk before the name: a power failure does not leave an empty file.
    writeFileSync(`${each}.new`, `${JSON.stringify(state)}\n`, { flush: true });
    renameSync(`${each}.new`, each);
  }
}

/** The ports are in Templates, which do not change: an installation with others would fail. */
function copyOf(file: string): string {
  return `${file}.copy`;
}

function stateFile(config: StoreConfig): string {
  return join(demoFolder(config), "state.json");
}

/** Undefined: the file is damaged. */
function readState(file: string): DemoState | undefined {
  const state = contentOf(file);
  if (!isJsonObject(state)) return undefined;
  const ports = objectAt(state, "ports");
  return {
    isInstalled: state["isInstalled"] === true,
    hasRepository: state["hasRepository"] === true,
    ports: Object.fromEntries(
      Object.keys(ports).flatMap((name) => {
        const port = numberAt(ports, name);
        return port === undefined ? [] : [[name, port] as const];
      }),
    ),
  };
}

function contentOf(file: string): Json | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Json;
  } catch {
    return undefined;
  }
}
