// Builds dist/ for the published package: JavaScript and types that TypeScript emits from src/, the
// files that the program reads beside them, and the console in console/dist. `npm pack` calls it
// before it packs.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, globSync, mkdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../stages.ts";
import { reachable } from "./reachable.ts";

const dist = join(root, "dist");

/** What users of the package import, by name: see "exports" in package.json. */
const libraries = ["authoring/setpoint", "client/client", "testing/testing"];
const program = "cli/bin";

buildPackage();

function buildPackage(): void {
  rmSync(dist, { recursive: true, force: true });
  emit();
  copyAssets();
  buildConsole();
  removeUnreachable();
  writeFileSync(join(dist, "build.json"), `${JSON.stringify(buildFacts())}\n`);
  chmodSync(join(dist, `${program}.js`), 0o755);
}

function emit(): void {
  const tsc = join(root, "node_modules", ".bin", "tsc");
  run(tsc, ["--project", join(import.meta.dirname, "tsconfig.json")]);
}

/** Migrations and scripts: everything in src/ that is neither code nor documentation. */
function copyAssets(): void {
  const assets = globSync("src/**/*", { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(ts|md)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of assets) {
    const target = join(dist, path.slice(join(root, "src").length + 1));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(path, target);
  }
}

/** The package contains it built, because users have neither its sources nor its libraries. */
function buildConsole(): void {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const outDir = join(root, "console", "dist");
  const args = [vite, "build", "--base", "/console/", "--outDir", outDir, "--emptyOutDir"];
  run(process.execPath, args, { cwd: join(root, "console"), NODE_ENV: "production" });
}

/** Contract suites, samples of tests, and types that no user of the package can name. */
function removeUnreachable(): void {
  const entries = (names: readonly string[], extension: string): readonly string[] =>
    names.map((name) => join(dist, `${name}${extension}`));
  const needed = new Set([
    ...reachable(entries([...libraries, program], ".js"), ".js"),
    ...reachable(entries(libraries, ".d.ts"), ".d.ts"),
  ]);
  for (const path of globSync("**/*.{js,d.ts}", { cwd: dist }).map((each) => join(dist, each))) {
    if (!needed.has(path)) unlinkSync(path);
  }
}

/** What `setpoint version` and /api/v1/self/info show, since the package contains no commit. */
function buildFacts(): { readonly revision?: string; readonly builtAt: string } {
  const builtAt = new Date().toISOString();
  const git = spawnSync("git", ["-C", root, "rev-parse", "HEAD"], { encoding: "utf8" });
  const revision = git.status === 0 ? git.stdout.trim() : "";
  return revision === "" ? { builtAt } : { revision, builtAt };
}

function run(
  command: string,
  args: readonly string[],
  { cwd = root, ...more }: Readonly<Record<string, string>> = {},
): void {
  const options = { cwd, env: { ...process.env, ...more }, encoding: "utf8" } as const;
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status === 0) return;
  throw new Error(`${command} failed: ${error?.message ?? ""}\n${stdout}${stderr}`);
}
