/**
 * Builds the console of a clone. A build is kept in .cache/console/ under the hash of its sources,
 * so that each state of the sources is built once. Several processes may build at the same time:
 * each builds into a folder of its own, and the first to finish gives its folder the name.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { filesIn } from "./read-site.ts";

const buildTimeoutMs = 180_000;
const maxOutputBytes = 1_048_576;
const keptBuilds = 3;

/** The hash of the sources and of the versions of the libraries. */
export async function sourceHash(root: string): Promise<string> {
  const folder = join(root, "console");
  const digest = createHash("sha256");
  const paths = (await filesIn(folder)).filter((path) => !ignored.test(path));
  for (const path of paths) digest.update(`${path}\0`).update(await readFile(join(folder, path)));
  const lock = join(root, "package-lock.json");
  if (existsSync(lock)) digest.update(await readFile(lock));
  return digest.digest("hex").slice(0, 16);
}

const ignored = /(?:^|\/)(?:node_modules|dist)\/|\.test\.tsx?$|(?:^|\/)\.[^/]*$/;

export function buildFolder(root: string, hash: string): string {
  return join(root, ".cache", "console", hash);
}

/** Resolves to the folder of the build. Rejects with the output of the build. */
export async function buildSite(root: string, hash: string, signal: AbortSignal): Promise<string> {
  const target = buildFolder(root, hash);
  const parent = dirname(target);
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, "build-"));
  try {
    await runVite(root, folder, signal);
    await rename(folder, target).catch((error: unknown) => {
      // Another process has built the same.
      if (!existsSync(join(target, "index.html"))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await removeOldBuilds(parent);
  return target;
}

async function runVite(root: string, outDir: string, signal: AbortSignal): Promise<void> {
  const cwd = join(root, "console");
  const manifest = createRequire(join(cwd, "package.json")).resolve("vite/package.json");
  const program = join(dirname(manifest), "bin", "vite.js");
  const args = [program, "build", "--base", "/console/", "--outDir", outDir, "--emptyOutDir"];
  const options = { cwd, signal, timeout: buildTimeoutMs, maxBuffer: maxOutputBytes };
  await new Promise<void>((resolve, reject) => {
    const env = { ...process.env, NODE_ENV: "production", NO_COLOR: "1" };
    execFile(process.execPath, args, { ...options, env }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${stderr}${stdout}`.trim() || error.message, { cause: error }));
    });
  });
}

/** Running servers have their files in memory. */
async function removeOldBuilds(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => /^[0-9a-f]{16}$/.test(name));
  const dated = await Promise.all(
    names.map(async (name) => ({ name, builtMs: (await stat(join(parent, name))).mtimeMs })),
  );
  dated.sort((one, other) => other.builtMs - one.builtMs);
  for (const { name } of dated.slice(keptBuilds)) {
    await rm(join(parent, name), { recursive: true, force: true });
  }
}
