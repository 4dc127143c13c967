// Makes sure that the pinned Node.js and the pinned libraries are installed, and prints the path of
// the Node.js to use. Plain JavaScript for Node.js 20, because it runs before anything is there.
//
// A stamp inside node_modules says what was installed; it is removed before an installation begins
// and written after it was verified, so an interrupted one is done again. The stamp also lists what
// must be on disk, which catches folders that were deleted in part.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withInstallLock } from "./install-lock.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtime = join(root, "tools", "runtime");
const pinnedVersion = JSON.parse(readFileSync(join(runtime, "package.json"), "utf8")).version;
/** What npm prints when a request got no answer. */
const noAnswer =
  /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

try {
  process.stdout.write(`${await bootstrap()}\n`);
} catch (error) {
  process.stderr.write(`setpoint: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function bootstrap() {
  const node = chooseNode();
  const pending = () => [runtimeInstall(node), libraryInstall()].filter((i) => !isCurrent(i));
  if (pending().length > 0) {
    await withInstallLock(root, () => {
      for (const install of pending()) perform(install, node);
    });
  }
  return node;
}

/** The running Node.js when it is recent enough of the pinned major, otherwise the pinned one. */
function chooseNode() {
  const [major, minor, patch] = process.versions.node.split(".").map(Number);
  const [pinnedMajor, pinnedMinor, pinnedPatch] = pinnedVersion.split(".").map(Number);
  const isRecent = minor > pinnedMinor || (minor === pinnedMinor && patch >= pinnedPatch);
  if (major === pinnedMajor && isRecent) return process.execPath;
  return join(runtime, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
}

function runtimeInstall(node) {
  return {
    title: `Node.js ${pinnedVersion}`,
    folder: runtime,
    isNeeded: node !== process.execPath,
    mustExist: () => [node],
  };
}

function libraryInstall() {
  const modules = join(root, "node_modules");
  return {
    title: "the pinned libraries",
    folder: root,
    isNeeded: true,
    mustExist: () => [...packageManifests(modules), ...entries(join(modules, ".bin"))],
  };
}

function isCurrent(install) {
  if (!install.isNeeded) return true;
  try {
    const stamp = JSON.parse(readFileSync(stampPath(install), "utf8"));
    if (stamp.key !== key(install)) return false;
    const { files } = stamp;
    if (!Object.entries(files).every(([path, size]) => statSync(path).size === size)) return false;
    touchIfOlder(install);
    return true;
  } catch {
    return false; // No stamp, a torn one, or a missing file: all mean "install".
  }
}

/** bin/setpoint trusts a stamp that is newer than its sources: a checkout may only touch those. */
function touchIfOlder(install) {
  const stampedAt = statSync(stampPath(install)).mtimeMs;
  if (sources(install).every((path) => statSync(path).mtimeMs < stampedAt)) return;
  try {
    utimesSync(stampPath(install), new Date(), new Date());
  } catch {
    // Another user's: it is current all the same, and its owner touches it.
  }
}

function perform(install, node) {
  const modules = join(install.folder, "node_modules");
  checkWritable(install, existsSync(modules) ? [install.folder, modules] : [install.folder]);
  process.stderr.write(`setpoint: installing ${install.title}\n`);
  // Taken before npm reads them: files that change meanwhile are installed by the next start.
  const installed = key(install);
  rmSync(stampPath(install), { force: true });
  rmSync(modules, { recursive: true, force: true });
  runNpm(install.folder, existsSync(node) ? dirname(node) : undefined);
  if (!existsSync(node)) throw new Error(whyNoNode());
  const ran = spawnSync(node, ["--version"], { encoding: "utf8" });
  if (ran.status !== 0) {
    throw new Error(`${node} does not run: ${ran.error?.message ?? ran.stderr}`);
  }
  const files = Object.fromEntries(install.mustExist().map((path) => [path, statSync(path).size]));
  mkdirSync(modules, { recursive: true });
  const draft = `${stampPath(install)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ key: installed, files }));
  renameSync(draft, stampPath(install));
}

function checkWritable({ title, folder }, places) {
  for (const place of places) {
    try {
      accessSync(place, constants.W_OK);
    } catch (error) {
      throw new Error(
        `${title} must be installed, and this user may not write to ${place} (${error.code}): ` +
          `start it once as the owner of ${folder}`,
        { cause: error },
      );
    }
  }
}

/** npm leaves out an optional package that is for another machine, or that it did not get. */
function whyNoNode() {
  const name = `node-${process.platform}-${process.arch}`;
  const { packages } = JSON.parse(readFileSync(join(runtime, "package-lock.json"), "utf8"));
  if (packages[`node_modules/${name}`] !== undefined) {
    return unreachable(`npm did not install ${name} ${pinnedVersion}`);
  }
  return (
    `there is no pinned Node.js for ${process.platform}-${process.arch}: ` +
    `put Node.js ${pinnedVersion} or a later ${pinnedVersion.split(".")[0]}.x first on PATH`
  );
}

function unreachable(what) {
  const asked = spawnSync("npm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" });
  const registry = asked.stdout?.trim() || "its registry";
  return (
    `${what} from ${registry}: check the network, the proxy and the registry that npm is ` +
    `configured with, then start again`
  );
}

/** Exactly what the lock file says, by its integrity hashes, running no script of any package. */
function runNpm(folder, firstOnPath) {
  const path = [firstOnPath, process.env.PATH].filter((part) => part !== undefined);
  const ran = spawnSync(
    "npm",
    [
      "ci",
      "--ignore-scripts",
      "--include=dev",
      "--include=optional",
      "--loglevel=error",
      "--no-audit",
      "--no-fund",
    ],
    {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: path.join(delimiter) },
    },
  );
  if (ran.error !== undefined) throw new Error(`cannot run npm: ${ran.error.message}`);
  const lost = noAnswer.exec(ran.stderr)?.[1];
  if (ran.status !== 0 && lost !== undefined) {
    throw new Error(unreachable(`npm did not install the pinned packages (${lost})`));
  }
  if (ran.status !== 0) throw new Error(`npm ci failed in ${folder}\n${ran.stdout}${ran.stderr}`);
}

function key(install) {
  const digest = createHash("sha256").update(`${pinnedVersion} ${process.arch} ${install.folder}`);
  for (const path of sources(install)) digest.update(readFileSync(path));
  return digest.digest("hex");
}

function sources(install) {
  return ["package.json", "package-lock.json"].map((name) => join(install.folder, name));
}

function stampPath(install) {
  return join(install.folder, "node_modules", ".setpoint-installed.json");
}

/** The package.json of every installed package; npm's own list names them. */
function packageManifests(modules) {
  const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  return Object.keys(packages)
    .map((path) => join(dirname(modules), path, "package.json"))
    .filter((path) => existsSync(path));
}

function entries(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
