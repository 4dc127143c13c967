/**
 * Folders full of documents, for measuring: each folder of documents that belong together is a
 * unit, of several dated versions only the newest is taken, and the hash of a unit's name decides
 * whether it is for tuning or held out.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

export interface CorpusFile {
  readonly path: string;
  /** The first folder below the root that tells services apart. */
  readonly unit: string;
  readonly isHeldOut: boolean;
}

export function corpusIn(root: string): readonly CorpusFile[] {
  const newest = new Map<string, { readonly version: string; readonly files: string[] }>();
  for (const path of documentsBelow(root)) {
    const { family, version } = familyOf(relative(root, path));
    const known = newest.get(family);
    if (known === undefined || version > known.version) {
      newest.set(family, { version, files: [path] });
    } else if (version === known.version) known.files.push(path);
  }
  return [...newest.values()].flatMap(({ files }) =>
    files.map((path) => {
      const unit = unitOf(relative(root, path));
      return { path, unit, isHeldOut: isHeldOut(unit) };
    }),
  );
}

export function isHeldOut(unit: string): boolean {
  return (createHash("sha256").update(unit).digest()[0] ?? 0) % 2 === 1;
}

function* documentsBelow(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!ignored.has(entry.name)) yield* documentsBelow(path);
    } else if (/\.(?:json|ya?ml)$/i.test(entry.name)) yield path;
  }
}

/** Examples, drafts and parts that are of no service. */
const ignored = new Set([
  "examples",
  "preview",
  "data-plane",
  "common-types",
  ".git",
  "node_modules",
]);

/** ".../stable/2022-01-01/a.json": all versions of a folder are one family. */
function familyOf(path: string): { readonly family: string; readonly version: string } {
  const [, family, version] = /^(.*?)\/(?:stable\/)?(v?\d+[\w.+-]*)\/[^/]*$/.exec(path) ?? [];
  return family === undefined || version === undefined
    ? { family: path, version: "" }
    : { family, version };
}

function unitOf(path: string): string {
  const parts = path.split("/");
  return parts.find((part) => part !== "specification" && part !== "APIs") ?? path;
}
