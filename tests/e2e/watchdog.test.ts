// A watchdog outside of the event loop reports what blocks it while it is blocked, and lets signals
// end the process. The module runs on the event loop here.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const module = join(root, "tests/e2e/blocking-module.ts");

async function create(server: Setpoint, name: string): Promise<void> {
  const body = { apiVersion: "blocking.example/v1", kind: "Thing", metadata: { name }, spec: {} };
  const path = "/apis/blocking.example/v1/namespaces/default/things";
  assert.equal((await server.ask(path, { method: "POST", body })).status, 201);
}

function line(server: Setpoint, message: string): Readonly<Record<string, unknown>> | undefined {
  const lines = server.log().split("\n");
  const found = lines.find((each) => each.includes(`"message":"${message}"`));
  return found === undefined ? undefined : (JSON.parse(found) as Record<string, unknown>);
}

it("an endless loop in a run is named while it blocks, and SIGTERM ends the process", async () => {
  await using server = await startSetpoint({ args: ["--module", module] });
  await create(server, "for-ever");
  await waitUntil("the block to be reported", () => line(server, "event loop blocked"));
  const said = line(server, "event loop blocked");
  const { activity, kind, namespace, name, module: of, stack, isCertain } = said ?? {};
  assert.deepEqual(
    { activity, kind, namespace, name, of, isCertain },
    {
      activity: "reconcile",
      kind: "things.blocking.example",
      namespace: "default",
      name: "for-ever",
      of: "blocking",
      isCertain: undefined,
    },
  );
  assert.match(String((stack as readonly string[])[0]), /reconcile .*blocking-module\.ts:\d+/);
  // Ended by the signal itself: no handler has run.
  assert.equal(await server.stop(), null);
});

it("a block that ends is counted, and the server stops cleanly afterwards", async () => {
  await using server = await startSetpoint({ args: ["--module", module] });
  await create(server, "for-a-while");
  await waitUntil("the end to be reported", () => line(server, "event loop resumed"));
  const metrics = (await server.ask("/metrics")).body.toString();
  assert.match(metrics, /setpoint_event_loop_blocked_seconds_count\{activity="reconcile"\} 1/);
  const health = (await server.ask("/readyz?verbose")).body.toString();
  assert.match(health, /\[-\]event-loop failed \(not required\): blocked for [\d.]+ s until/);
  assert.equal((await server.ask("/readyz")).status, 200);
  assert.equal(await server.stop(), 0);
});

it("a call that does not return to JavaScript is reported by what began last", async () => {
  await using server = await startSetpoint({ args: ["--module", module] });
  await create(server, "outside");
  await waitUntil("the block to be reported", () => line(server, "event loop blocked"));
  const { activity, isCertain } = line(server, "event loop blocked") ?? {};
  assert.equal(activity, "reconcile things.blocking.example default/outside");
  assert.equal(isCertain, false);
  await waitUntil("the end to be reported", () => line(server, "event loop resumed"));
  assert.equal(await server.stop(), 0);
});
