// The README, typed in a clone against a fresh server and with the real
// kubectl; page.ts says how.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { newcomer } from "./newcomer.ts";
import { stepsOf } from "./page.ts";

test("the README is as it says", { timeout: 120_000 }, async () => {
  const steps = stepsOf(await readFile(join(root, "README.md"), "utf8"));
  assert.ok(steps.length >= 10, "the README has tested blocks");
  await using reader = await newcomer();
  // What the README needs of a clone, without the server's data in the repository itself.
  const clone = reader.home;
  await cp(join(root, "examples"), join(clone, "examples"), { recursive: true });
  await mkdir(join(clone, "bin"));
  await symlink(join(root, "bin", "setpoint"), join(clone, "bin", "setpoint"));
  // Both modules from the start, so that the server need not be started twice.
  const modules = ["examples/hello/hello.ts", "examples/greeting/greeting.ts"];
  const flags = modules.flatMap((module) => ["--module", module]);
  const args = ["dev", "--demo", "--listen", "127.0.0.1:0", ...flags];
  await using server = await startProgram("src/cli/main.ts", { cwd: clone, args });
  await server.waitForLine(/^ {2}try /);
  await reader.play(steps);
});
