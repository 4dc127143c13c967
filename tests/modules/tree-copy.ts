// A copy of the repository in which a test adds or removes a module.
import { spawnSync } from "node:child_process";
import { cp, symlink } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { root } from "../../tools/stages.ts";

const folders = ["src", "tests", "tools", "bench", "examples"];
/** The file of the console that a tool uses. */
const copied = ["package.json", "tsconfig.json", ...folders, "console/paths.ts"];
const libraries = ["node_modules", "tools/runtime/node_modules"];

/** Without some files and folders. The libraries are links to those of this repository. */
export async function copyTree(copy: string, omitted: readonly string[] = []): Promise<void> {
  const left = new Set([...omitted, ...libraries].map((path) => resolve(root, path)));
  for (const path of copied) {
    const filter = (from: string): boolean => !left.has(from);
    await cp(join(root, path), join(copy, path), { recursive: true, filter });
  }
  for (const path of libraries) await symlink(join(root, path), join(copy, path));
}

/** Empty when there are none. */
export function typeErrors(copy: string): string {
  const compiler = join(root, "node_modules/.bin/tsc");
  const args = ["--pretty", "false", "--incremental", "false", "--tsBuildInfoFile", "null"];
  const { stdout, stderr, status } = spawnSync(compiler, args, { cwd: copy, encoding: "utf8" });
  return status === 0 ? stdout : `${stdout}${stderr}the compiler ended with ${status}`;
}

/** The command line of the copy, relative to the root of this repository. */
export function programOf(copy: string): string {
  return relative(root, join(copy, "src/cli/main.ts"));
}
