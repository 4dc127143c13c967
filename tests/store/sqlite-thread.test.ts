// The thread of an embedded store: what is asked of it after its end must not start another one.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { isSetpointError } from "../../src/kernel/errors.ts";
import { openConnection } from "../../src/store/sqlite/schema.ts";
import { Thread } from "../../src/store/sqlite/thread.ts";
import { walLimits } from "../../src/store/sqlite/wal-watch.ts";

let folder: string;
let path: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-thread-"));
  path = join(folder, "setpoint.db");
  openConnection(path, "writer").close();
});

after(async () => await rm(folder, { recursive: true, force: true }));

const newThread = (): Thread =>
  new Thread(() => ({ role: "background", path, aheadMs: 0, walLimits }));

// A checkpoint that came during the close started a thread that kept the process alive for ever.
for (const [title, use] of [
  ["that was used", true],
  ["that was never used", false],
] as const) {
  it(`a thread ${title} is not started again by a call after its close`, async () => {
    const thread = newThread();
    if (use) await thread.call("checkpoint", []);
    const closing = thread.close();
    await assert.rejects(thread.call("checkpoint", []), (error) =>
      isSetpointError(error, "store.closed"),
    );
    await closing;
    assert.equal(thread.isRunning, false);
  });
}
