// Who stops a real server is told what it waits for, and can end it at once.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startProgram } from "../peers/child.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const module = join(root, "tests/e2e/slow-module.ts");
const begun = "a run has begun";

/** Longer than signals count as one. */
async function aMoment(): Promise<void> {
  const startMs = performance.now();
  await waitUntil("a moment to pass", () => performance.now() - startMs > 500);
}

it("a stop that waits for runs says so, and a second signal ends it", async () => {
  await using server = await startSetpoint({ args: ["--module", module] });
  const body = { apiVersion: "slow.example/v1", kind: "Slow", metadata: { name: "c" }, spec: {} };
  const path = "/apis/slow.example/v1/namespaces/default/slows";
  assert.equal((await server.ask(path, { method: "POST", body })).status, 201);
  await waitUntil("the run", () => server.log().includes(begun));
  process.kill(server.pid ?? 0, "SIGTERM");
  const stopping = /"message":"server stopping".*"waits for 1 run \(Slow\/c\), up to 15 s"/;
  await waitUntil("the stop to be told", () => stopping.test(server.log()));
  // As from `timeout`, which signals its child and then the group: the same request once more.
  process.kill(server.pid ?? 0, "SIGTERM");
  await aMoment();
  assert.doesNotMatch(server.log(), /server stopped immediately/);
  assert.equal(await server.stop(), 1);
  assert.match(server.log(), /server stopped immediately/);

  const args = ["dev", "--listen", "127.0.0.1:0", "--data", server.folder, "--module", module];
  await using dev = await startProgram("src/cli/main.ts", { args });
  await dev.waitForLine(/stop {5}Ctrl-C/);
  await dev.waitForLine(/^a run has begun$/);
  dev.signal("SIGINT");
  const line =
    /^stopping: waits for 1 run \(Slow\/c\), up to 15 s; press Ctrl-C again to stop now$/;
  await dev.waitForLine(line);
  await aMoment();
  dev.signal("SIGINT");
  const { code } = await dev.waitForExit({ limitMs: 10_000 });
  assert.equal(code, 1);
  assert.match(
    dev.stdout(),
    /^stopped immediately; the next server repeats the interrupted runs$/m,
  );
});
