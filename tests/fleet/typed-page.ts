// Types a page about fleets in a clone, as a new user does: see tests/e2e/page.ts.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";

/** `fewest` guards against a page whose marks were lost. */
export async function typePage(file: string, fewest: number): Promise<void> {
  const page = await readFile(join(root, file), "utf8");
  const port = await freePort();
  await using user = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${port}` });
  await cp(join(root, "examples"), join(user.home, "examples"), { recursive: true });
  await mkdir(join(user.home, "bin"));
  await mkdir(join(user.home, "setpoint-data"), { mode: 0o700 });
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(user.home, path));
  }
  const steps = stepsOf(withPorts(page, { 7443: port }));
  assert.ok(steps.length >= fewest, "the page has tested blocks");
  await user.play(steps);
}
