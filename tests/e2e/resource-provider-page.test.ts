// docs/tutorials/resource-provider.md, typed by a newcomer in a clone; page.ts says how.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "./newcomer.ts";
import { stepsOf } from "./page.ts";

const page = await readFile(join(root, "docs/tutorials/resource-provider.md"), "utf8");

test("a newcomer builds a resource provider, and asks it for an oven", async () => {
  const port = await freePort();
  await using somebody = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${port}` });
  await cp(join(root, "examples"), join(somebody.home, "examples"), { recursive: true });
  await mkdir(join(somebody.home, "bin"));
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(somebody.home, path));
  }
  const steps = stepsOf(withPorts(page, { 7443: port }));
  assert.ok(steps.length >= 12, "the page has tested blocks");
  await somebody.play(steps);
});
