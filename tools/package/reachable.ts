// Which emitted files the published package needs: those that its entries import, directly or not.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Imports and exports of other files, imports at run time, and threads: see module-beside.ts. */
const references = [
  /(?:from|import)\s*"(\.[^"]+)"/g,
  /import\(\s*"(\.[^"]+)"\s*\)/g,
  /moduleBeside\(import\.meta\.url, "([^"]+)"\)/g,
];

/** Paths of files, with the entries. `extension` is ".js", or ".d.ts" for types. */
export function reachable(entries: readonly string[], extension: ".js" | ".d.ts"): Set<string> {
  const found = new Set<string>();
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    queue.push(...referencedBy(file, extension));
  }
  return found;
}

function referencedBy(file: string, extension: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  return references
    .flatMap((pattern) => Array.from(text.matchAll(pattern), ([, path = ""]) => path))
    .map((path) => join(dirname(file), `${path.replace(/\.[jt]s$/, "")}${extension}`))
    .filter((path) => existsSync(path));
}
