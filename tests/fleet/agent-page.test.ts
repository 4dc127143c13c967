// docs/how-to/run-the-agent.md, typed in a clone as a user does: see tests/e2e/page.ts.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";

const page = await readFile(join(root, "docs/how-to/run-the-agent.md"), "utf8");

test("a user runs the agent of a cluster as the page describes it", async () => {
  const [port, cluster] = [await freePort(), await freePort()];
  await using user = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${port}` });
  await cp(join(root, "examples"), join(user.home, "examples"), { recursive: true });
  for (const folder of ["bin", "setpoint-data"]) await mkdir(join(user.home, folder));
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(user.home, path));
  }
  const steps = stepsOf(withPorts(page, { 7443: port, 7444: cluster }));
  assert.ok(steps.length >= 15, "the page has tested blocks");
  await user.play(steps);
});
