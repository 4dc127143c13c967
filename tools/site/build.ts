// `npm run site`: builds the documentation site into .cache/site. It installs VitePress first, and
// copies the pages below it, where they find its libraries.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pages, root, siteFolder, sourceFolders } from "./places.ts";

const folder = import.meta.dirname;
const program = join(folder, "node_modules", "vitepress", "bin", "vitepress.js");

if (!existsSync(join(folder, "node_modules", ".package-lock.json"))) {
  run("npm", ["ci", "--ignore-scripts"]);
}
copyPages();
run(process.execPath, [program, "build", folder]);
console.log(`built ${siteFolder}`);

function copyPages(): void {
  rmSync(pages, { recursive: true, force: true });
  const patterns = ["*.md", "docs/images/*", ...sourceFolders.map((name) => `:!${name}/*`)];
  const { stdout } = spawnSync("git", ["ls-files", "-z", ...patterns], { cwd: root });
  for (const path of String(stdout).split("\0").filter(Boolean)) {
    cpSync(join(root, path), join(pages, path));
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: folder, stdio: "inherit" });
  if (status === 0) return;
  console.error(`site: ${command} failed${error === undefined ? "" : `: ${error.message}`}`);
  process.exit(1);
}
