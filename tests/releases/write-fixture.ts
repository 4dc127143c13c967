// `npm run release:fixture`: writes the fixture of the version in package.json, with the code of
// the last commit. Run it once for each release, before the tag.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { parsedOrExit } from "../../tools/usage.ts";
import { formatKeyRing } from "../../src/store/key-ring.ts";
import { startProgram } from "../peers/child.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { fill, moduleFile } from "./content.ts";
import { fixtureFiles, fixtureFolder } from "./fixtures.ts";

const usage = `usage: npm run release:fixture

It takes no options. It writes tests/releases/VERSION for the version in package.json.`;

parsedOrExit("release:fixture", usage, () => parseArgs({ options: {} }));

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly version: string;
};
const folder = fixtureFolder(version);
const changes = git(["status", "--porcelain", "--", "src"]);
if (changes !== "") fail(`commit src/ first, because the fixture names its commit:\n${changes}`);
if (existsSync(folder)) fail(`${folder} exists; a fixture never changes after its release`);

/** The same for all fixtures, and readable as what it is. */
const fixtureKey = {
  id: "0000000000000001",
  secret: Buffer.from("this key protects nothing at all"),
};
const work = await mkdtemp(join(tmpdir(), "setpoint-fixture-"));
const keys = join(work, "keys.json");
let isComplete = false;
try {
  await mkdir(folder, { recursive: true });
  await writeFile(keys, formatKeyRing([fixtureKey]), { mode: 0o600 });
  await writeEmbedded();
  await writePostgres();
  await copyFile(keys, join(folder, "keys.json"));
  const release = { commit: git(["rev-parse", "HEAD"]) };
  await writeFile(join(folder, "release.json"), `${JSON.stringify(release)}\n`);
  isComplete = true;
  console.log(`wrote ${folder}`);
} finally {
  if (!isComplete) await rm(folder, { recursive: true, force: true });
  await rm(work, { recursive: true, force: true });
}

async function writeEmbedded(): Promise<void> {
  const data = join(work, "embedded");
  const args = ["--module", join(root, moduleFile), "--no-console"];
  await using server = await startSetpoint({ data, keys, args });
  await fill(server);
  const code = await server.stop();
  if (code !== 0) fail(`the server ended with ${code}: ${server.log()}`);
  const backup = ["backup", join(folder, "setpoint.backup"), "--data", data, "--keys", keys];
  await using program = await startProgram("src/cli/main.ts", { args: backup });
  const exit = await program.waitForExit();
  if (exit.code !== 0) fail(`backup ended with ${exit.code}: ${program.stderr()}`);
  const database = await readFile(join(data, "setpoint.db"));
  await writeFile(join(folder, fixtureFiles.sqlite), gzipSync(database, { level: 9 }));
}

async function writePostgres(): Promise<void> {
  await using postgres = await startPostgres();
  const store = postgres.url(await postgres.createDatabase());
  const args = ["--module", join(root, moduleFile), "--no-console"];
  await using server = await startSetpoint({ data: join(work, "shared"), store, keys, args });
  await fill(server);
  const code = await server.stop();
  if (code !== 0) fail(`the server ended with ${code}: ${server.log()}`);
  const dump = join(findPostgres() ?? "", "pg_dump");
  const options = ["--schema=setpoint", "--no-owner", "--no-privileges", store];
  const { status, stdout, stderr } = spawnSync(dump, options, { maxBuffer: 1024 * 1024 * 1024 });
  if (status !== 0) fail(`pg_dump failed: ${String(stderr)}`);
  await writeFile(join(folder, fixtureFiles.postgres), gzipSync(stdout, { level: 9 }));
}

function git(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`git ${args.join(" ")} failed: ${stderr}`);
  return stdout.trim();
}

function fail(message: string): never {
  console.error(`release:fixture: ${message}`);
  process.exit(1);
}
