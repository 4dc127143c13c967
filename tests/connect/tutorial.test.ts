// docs/tutorials/connect-scale-sets.md, typed by a newcomer in a clone; page.ts says how.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";

const page = await readFile(join(root, "docs/tutorials/connect-scale-sets.md"), "utf8");

test("a newcomer manages sets of machines from the document of their service", async () => {
  const [port, servicePort] = [await freePort(), await freePort()];
  await using somebody = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${port}` });
  await cp(join(root, "examples"), join(somebody.home, "examples"), { recursive: true });
  await mkdir(join(somebody.home, "bin"));
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(somebody.home, path));
  }
  const steps = stepsOf(withPorts(page, { 7443: port, 8090: servicePort }));
  assert.ok(steps.length >= 18, "the page has tested blocks");
  await somebody.play(steps);
});
