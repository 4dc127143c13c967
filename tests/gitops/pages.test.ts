// Pages about GitOps, typed as they are: see tests/e2e/page.ts.
import assert from "node:assert/strict";
import { cp, mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../../tools/stages.ts";
import { freePort, newcomer, withPorts } from "../e2e/newcomer.ts";
import { stepsOf } from "../e2e/page.ts";

const examples = ["gitops-platform", "preview-environments", "scale-sets"];

/** Types a page in a folder that has the examples and the program, with free ports. */
async function typePage(file: string, fewest: number): Promise<void> {
  const names = [7443, 8443, 8090, 8092];
  const ports: Record<string, number> = {};
  for (const name of names) ports[name] = await freePort();
  await using user = await newcomer({ SETPOINT_LISTEN: `127.0.0.1:${ports["7443"]}` });
  for (const example of examples) {
    const folder = join(user.home, "examples", example);
    await cp(join(root, "examples", example), folder, { recursive: true });
    for (const path of await readdir(folder, { recursive: true })) {
      const at = join(folder, path);
      if (!(await stat(at)).isFile()) continue;
      await writeFile(at, withPorts(await readFile(at, "utf8"), ports));
    }
  }
  await mkdir(join(user.home, "bin"));
  for (const path of ["bin/setpoint", "node_modules"]) {
    await symlink(join(root, path), join(user.home, path));
  }
  const steps = stepsOf(withPorts(await readFile(join(root, file), "utf8"), ports));
  assert.ok(steps.length >= fewest, "the page has tested blocks");
  await user.play(steps);
}

test("a new user manages a whole platform from one git repository", async () => {
  await typePage("docs/tutorials/gitops.md", 25);
});

test("a user previews branches, and merges one", async () => {
  await typePage("docs/how-to/preview-branches.md", 15);
});

test("a user brings one repository to clusters with a label", async () => {
  await typePage("docs/how-to/deploy-to-many-clusters.md", 15);
});

test("a user promotes a version, and verifies it again", async () => {
  await typePage("docs/how-to/promote-versions.md", 15);
});

test("a user of Argo CD hands an application over", async () => {
  await typePage("docs/how-to/move-from-argo-cd.md", 10);
});
