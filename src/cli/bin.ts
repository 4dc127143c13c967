#!/usr/bin/env -S node --max-semi-space-size=8 --v8-pool-size=0 --heap-growing-percent=100 --disable-warning=ExperimentalWarning
// The program of the published package: checks the runtime, prepares it, and runs main.ts. A clone
// runs bin/setpoint instead. The flags are explained in docs/decisions/0001-runtime.md.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { installDisposableStacks } from "./disposable-stacks.ts";

/** The first release of Node.js 22 whose SQLite returns rows as arrays, and that has hooks. */
const oldest = [22, 18];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [oldestMajor = 0, oldestMinor = 0] = oldest;
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  const needed = `Setpoint needs Node.js ${oldest.join(".")} or newer`;
  process.stderr.write(`setpoint: ${needed}, and this is ${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  const home = process.env["XDG_CACHE_HOME"] ?? homeCache();
  // Node.js itself reads NODE_COMPILE_CACHE. A service without a home folder has no cache.
  if (process.env["NODE_COMPILE_CACHE"] === undefined && home !== undefined) {
    enableCompileCache(join(home, "setpoint"));
  }
  installDisposableStacks();
  await import("./main.ts");
}

function homeCache(): string | undefined {
  const home = process.env["HOME"];
  return home === undefined || home === "" ? undefined : join(home, ".cache");
}
