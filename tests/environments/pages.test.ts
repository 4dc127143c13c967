// Pages about environments, typed as they are: see tests/e2e/page.ts.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { findTerraform } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";

const example = "examples/preview-environments";

/** Types a page in a folder that has the example and the program, with free ports. */
async function typePage(page: string, fewest: number): Promise<void> {
  const ports = { 7443: await freePort(), 8092: await freePort() };
  await using user = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${ports[7443]}` });
  await cp(join(root, example), join(user.home, example), { recursive: true });
  for (const file of await readdir(join(user.home, example))) {
    const path = join(user.home, example, file);
    await writeFile(path, withPorts(await readFile(path, "utf8"), ports));
  }
  await mkdir(join(user.home, "bin"));
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(user.home, path));
  }
  const steps = stepsOf(withPorts(page, ports));
  assert.ok(steps.length >= fewest, "the page has tested blocks");
  await user.play(steps);
}

test("a CI job deploys, updates and destroys one environment for each branch", async (t) => {
  const page = await readFile(join(root, example, "README.md"), "utf8");
  const [plain = "", withTerraform] = page.split(
    "## A new version of the Template, with Terraform",
  );
  assert.ok(withTerraform !== undefined);
  const hasTerraform = findTerraform() !== undefined;
  if (!hasTerraform) t.diagnostic("terraform is not installed: its part of the page is skipped");
  await typePage(hasTerraform ? page : plain, 20);
});

test("a new user deploys, repairs, plans and destroys a first environment", async () => {
  await typePage(await readFile(join(root, "docs/tutorials/environments.md"), "utf8"), 20);
});
