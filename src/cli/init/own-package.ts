/**
 * How npm finds the Setpoint that runs, so that a new module uses the same one: the tarball or
 * version that it was installed from, or else its folder.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ownRoot = fileURLToPath(new URL("../../../", import.meta.url));

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A clone runs the TypeScript sources. */
export const isClone = import.meta.url.endsWith(".ts");

/** The exact versions that this Setpoint is checked with. */
export function ownVersions(): { readonly typescript: string; readonly nodeTypes: string } {
  const { devDependencies = {} } = readManifest(join(ownRoot, "package.json"));
  const { typescript = "*", "@types/node": nodeTypes = "*" } = devDependencies;
  return { typescript, nodeTypes };
}

/** The dependency for a package.json in `folder`. */
export function ownDependency(folder: string, root: string = ownRoot): string {
  return installedFrom(folder, resolve(root)) ?? filePath(folder, resolve(root));
}

/** What the package.json beside node_modules says; `npx` writes one as well. */
function installedFrom(folder: string, root: string): string | undefined {
  const modules = dirname(root);
  const manifest = join(dirname(modules), "package.json");
  if (basename(modules) !== "node_modules" || !existsSync(manifest)) return undefined;
  const { dependencies, devDependencies } = readManifest(manifest);
  const spec = dependencies?.["setpoint"] ?? devDependencies?.["setpoint"];
  if (spec === undefined || !spec.startsWith("file:")) return spec;
  return filePath(folder, resolve(dirname(manifest), spec.slice("file:".length)));
}

function filePath(folder: string, path: string): string {
  const found = relative(folder, path);
  return `file:${found.startsWith(".") ? found : `./${found}`}`;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}
