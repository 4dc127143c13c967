import assert from "node:assert/strict";
import { chmod, mkdtemp, realpath, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeRunFolder } from "../../src/modules/executors/runs/run-folder.ts";

test("a folder that users of runs cannot enter is named with the fix", async () => {
  const outer = await realpath(await mkdtemp(join(tmpdir(), "setpoint-run-folder-")));
  try {
    await chmod(outer, 0o700);
    const root = join(outer, "runs");
    await assert.rejects(makeRunFolder(root, "a", "own"), (error: Error) => {
      return error.message.includes(`chmod o+x ${outer}`);
    });
    // The user of the server owns it.
    const { work } = await makeRunFolder(root, "b", undefined);
    assert.equal((await stat(work)).mode & 0o777, 0o700);
    await chmod(outer, 0o711);
    const { path } = await makeRunFolder(root, "c", "own");
    assert.equal((await stat(path)).mode & 0o777, 0o711);
  } finally {
    await rm(outer, { recursive: true, force: true });
  }
});
