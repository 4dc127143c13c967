/**
 * Makes `import ... from "setpoint"` lead to this program's own files, from any folder: an author
 * needs no package, and a module always has the very engine that runs it. Every other name is found
 * as Node.js finds it. Files that the author wrote are remembered with what they import, and are
 * read again when their importer is: Node.js caches a file by its URL, so a reload adds a number.
 */
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { moduleBeside } from "../kernel/module-beside.ts";
import { reloadMark } from "../kernel/reload-mark.ts";

const own: ReadonlyMap<string, string> = new Map([
  ["setpoint", moduleBeside(import.meta.url, "../authoring/setpoint").href],
  ["setpoint/testing", moduleBeside(import.meta.url, "../testing/testing").href],
]);
const ownFolder = new URL("../", import.meta.url).href;

/** By path: the files that a file of an author imports directly, except packages. */
const imports = new Map<string, Set<string>>();

let isOn = false;

export function resolveOwnNames(): void {
  if (isOn) return;
  isOn = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = own.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      const found = next(specifier, context);
      const { parentURL = "" } = context;
      if (!isAuthors(found.url) || !remember(parentURL, found.url)) return found;
      const [, reload] = parentURL.split(reloadMark);
      return reload === undefined ? found : { ...found, url: `${found.url}${reloadMark}${reload}` };
    },
  });
}

/** The URL of a module's file; another `reload` reads it and its local imports again. */
export function moduleUrl(file: string, reload: number): string {
  if (!imports.has(file)) imports.set(file, new Set());
  const { href } = pathToFileURL(file);
  return reload === 0 ? href : `${href}${reloadMark}${reload}`;
}

/** The file of a module and all local files that it imports, directly or not. */
export function localFiles(file: string): ReadonlySet<string> {
  const found = new Set([file]);
  for (const each of found) for (const inner of imports.get(each) ?? []) found.add(inner);
  return found;
}

function isAuthors(url: string): boolean {
  return url.startsWith("file:") && !url.includes("/node_modules/") && !url.startsWith(ownFolder);
}

/** False when the importer is not a file of an author. */
function remember(parentUrl: string, url: string): boolean {
  if (!parentUrl.startsWith("file:")) return false;
  const known = imports.get(fileURLToPath(parentUrl));
  if (known === undefined) return false;
  const file = fileURLToPath(url);
  known.add(file);
  if (!imports.has(file)) imports.set(file, new Set());
  return true;
}
