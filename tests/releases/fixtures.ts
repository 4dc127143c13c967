// The fixtures: a folder for each release with its store on both databases, its keys, and the
// commit whose code wrote them. A release never changes its fixture after it is tagged.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import type { Postgres } from "../peers/postgres.ts";

export interface Release {
  readonly version: string;
  /** The commit whose code wrote the fixture. */
  readonly commit: string;
  /** The folder of the fixture. */
  readonly folder: string;
}

const releasesFolder = import.meta.dirname;

export const fixtureFiles = { sqlite: "setpoint.db.gz", postgres: "setpoint.sql.gz" } as const;

export function fixtureFolder(version: string): string {
  return join(releasesFolder, version);
}

/** The releases that have a fixture, from the oldest on. */
export function releases(): readonly Release[] {
  const files = globSync("*/release.json", { cwd: releasesFolder });
  const found = files.map((file): Release => {
    const folder = join(releasesFolder, dirname(file));
    const text = readFileSync(join(releasesFolder, file), "utf8");
    const { commit } = JSON.parse(text) as { readonly commit: string };
    return { version: basename(folder), commit, folder };
  });
  return found.sort((a, b) => a.version.localeCompare(b.version, "en", { numeric: true }));
}

/** The file that `setpoint backup` of the release wrote of its embedded store. */
export function backupOf(release: Release): string {
  return join(release.folder, "setpoint.backup");
}

/** A data folder with the embedded store of a release. */
export async function openEmbedded(release: Release, data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  const packed = readFileSync(join(release.folder, fixtureFiles.sqlite));
  await writeFile(join(data, "setpoint.db"), gunzipSync(packed), { mode: 0o600 });
  await copyKeys(release, data);
}

/** A database with the store of a release; returns its URL. */
export async function loadIntoPostgres(
  release: Release,
  postgres: Postgres,
  data: string,
): Promise<string> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  await copyKeys(release, data);
  const url = postgres.url(await postgres.createDatabase());
  const input = gunzipSync(readFileSync(join(release.folder, fixtureFiles.postgres)));
  const psql = join(findPostgres() ?? "", "psql");
  const args = ["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", url];
  const { status, stderr } = spawnSync(psql, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`psql failed: ${stderr}`);
  return url;
}

async function copyKeys(release: Release, data: string): Promise<void> {
  const keys = join(data, "keys.json");
  await copyFile(join(release.folder, "keys.json"), keys);
  // A clone does not keep the mode, and doctor reports a ring that other users can read.
  await chmod(keys, 0o600);
}

/**
 * The program of a release, as a path relative to the root; undefined when this clone does not have
 * the commit, as a shallow clone.
 */
export async function programOf({ version, commit }: Release): Promise<string | undefined> {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root }).status !== 0) {
    return undefined;
  }
  const folder = join(".cache", "releases", `${version}-${commit.slice(0, 12)}`);
  const program = join(folder, "src", "cli", "main.ts");
  if (!existsSync(join(root, program))) await extract(commit, join(root, folder));
  return program;
}

async function extract(commit: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    const files = ["package.json", "package-lock.json", "bin", "src", "examples", "tools"];
    const archive = spawnSync("git", ["archive", commit, ...files], {
      cwd: root,
      maxBuffer: 1024 * 1024 * 1024,
    });
    if (archive.status !== 0) throw new Error(`git archive failed: ${String(archive.stderr)}`);
    const unpacked = spawnSync("tar", ["x", "-C", draft], { input: archive.stdout });
    if (unpacked.status !== 0) throw new Error(`tar failed: ${String(unpacked.stderr)}`);
    await installLibraries(draft);
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error; // Another test process may have been faster.
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The libraries of this clone, when they are those of the release; its own ones otherwise. */
async function installLibraries(folder: string): Promise<void> {
  const wanted = dependenciesOf(folder);
  if (JSON.stringify(wanted) === JSON.stringify(dependenciesOf(root))) {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    return;
  }
  const npm = spawnSync("npm", ["ci", "--omit=dev"], { cwd: folder, encoding: "utf8" });
  if (npm.status !== 0) throw new Error(`npm ci failed: ${npm.stdout}${npm.stderr}`);
}

function dependenciesOf(folder: string): unknown {
  const text = readFileSync(join(folder, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly dependencies: unknown }).dependencies;
}
