// Modules in threads of their own: what a module does to its thread does not reach the server and
// the other modules, and is named on the resource, in the log and in the metrics.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../tools/stages.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

const blocking = "tests/e2e/blocking-module.ts";
const hostile = "tests/e2e/hostile-module.ts";
const greeting = "examples/greeting/greeting.ts";

let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "setpoint-isolation-"));
  for (const limit of ["2s", "10m"]) {
    const config = `engine:\n  isolate: true\n  moduleBlocked: ${limit}\n`;
    await writeFile(join(folder, `${limit}.yaml`), config);
  }
});

after(async () => await rm(folder, { recursive: true, force: true }));

async function startIsolated(limit: string, ...modules: readonly string[]): Promise<Setpoint> {
  const files = modules.flatMap((file) => ["--module", join(root, file)]);
  return await startSetpoint({ args: ["--config", join(folder, `${limit}.yaml`), ...files] });
}

function thingsOf(group: string): string {
  return `/apis/${group}.example/v1/namespaces/default/things`;
}

async function create(server: Setpoint, group: string, name: string): Promise<void> {
  const body = { apiVersion: `${group}.example/v1`, kind: "Thing", metadata: { name }, spec: {} };
  assert.equal((await server.ask(thingsOf(group), { method: "POST", body })).status, 201);
}

interface Condition {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

async function synced(server: Setpoint, path: string): Promise<Condition | undefined> {
  const { body } = await server.ask(path);
  const { status } = JSON.parse(body.toString()) as {
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
  return status?.conditions?.find(({ type }) => type === "Synced");
}

/** The message of the condition. */
async function becomes(
  server: Setpoint,
  group: string,
  name: string,
  reason: string,
): Promise<string> {
  return await waitUntil(`${name} to be ${reason}`, async () => {
    const found = await synced(server, `${thingsOf(group)}/${name}`);
    return found?.reason === reason && (found.message || reason);
  });
}

/** A new resource of the module is reconciled, and the server was never blocked. */
async function continues(server: Setpoint, group: string, name: string): Promise<void> {
  await create(server, group, name);
  await becomes(server, group, name, "ReconcileSuccess");
  assert.doesNotMatch(server.log(), /event loop blocked/);
  assert.equal((await server.ask("/readyz")).status, 200);
}

it("an endless loop stops its module, is named, and delays its resource alone", async () => {
  await using server = await startIsolated("2s", blocking, greeting);
  await create(server, "blocking", "for-ever");
  const message = await becomes(server, "blocking", "for-ever", "ModuleBlocked");
  assert.match(message, /^reconcile did not return .* the thread of the module blocking/);
  assert.match(
    server.log(),
    /"message":"module stopped".*"module":"blocking".*"cause":"blocked".*"name":"for-ever"/,
  );
  assert.match(server.log(), /"stack":\["reconcile \(.*blocking-module\.ts:\d+\)"/);
  await continues(server, "blocking", "fine");
  // The resource that is to blame is delayed: its next attempt is not made with the new thread.
  const stillBlocked = await synced(server, `${thingsOf("blocking")}/for-ever`);
  assert.equal(stillBlocked?.reason, "ModuleBlocked");
  const metrics = (await server.ask("/metrics")).body.toString();
  assert.match(metrics, /setpoint_module_stops_total\{module="blocking",cause="blocked"\} 1/);
  assert.match(metrics, /setpoint_module_up\{module="greeting"\} 1/);
  const events = (await server.ask("/api/v1/namespaces/default/events")).body.toString();
  assert.match(events, /ModuleBlocked/);
  assert.equal(await server.stop(), 0);
});

it("an endless loop in remove is named, and the deletion is retried", async () => {
  await using server = await startIsolated("2s", hostile);
  await continues(server, "hostile", "one");
  await server.ask(`${thingsOf("hostile")}/one`, { method: "DELETE" });
  const message = await becomes(server, "hostile", "one", "ModuleBlocked");
  assert.match(message, /^remove did not return/);
  await continues(server, "hostile", "two");
  assert.equal(await server.stop(), 0);
});

// Close to its limit the collector may block the thread for seconds, hence the long limit.
it("a module that exits or uses too much memory stops alone", async () => {
  await using server = await startIsolated("10m", hostile, greeting);
  await create(server, "hostile", "exits");
  await becomes(server, "hostile", "exits", "ModuleExited");
  await continues(server, "hostile", "after-exit");
  await create(server, "hostile", "uses-memory");
  await becomes(server, "hostile", "uses-memory", "ModuleOutOfMemory");
  await continues(server, "hostile", "after-memory");
  assert.equal(await server.stop(), 0);
});

it("errors that a run leaves behind are reported, and the module continues", async () => {
  await using server = await startIsolated("2s", hostile);
  for (const name of ["throws-later", "rejects-later"]) await create(server, "hostile", name);
  for (const said of ["thrown later", "rejected later"]) {
    await waitUntil(`${said} to be reported`, () => server.log().includes(said));
  }
  const metrics = (await server.ask("/metrics")).body.toString();
  assert.match(metrics, /setpoint_stray_errors_total\{kind="things.hostile.example",what="exc/);
  assert.match(metrics, /setpoint_stray_errors_total\{kind="things.hostile.example",what="rej/);
  assert.doesNotMatch(server.log(), /module stopped/);
  await continues(server, "hostile", "after");
  assert.equal(await server.stop(), 0);
});

it("a module that never finishes loading does not keep the server from starting", async () => {
  await using server = await startIsolated("2s", "tests/e2e/looping-import.ts", blocking);
  assert.match(server.log(), /looping-import\.ts was not loaded: it did not return for 6 s/);
  await continues(server, "blocking", "fine");
  assert.equal(await server.stop(), 0);
});

it("an action that blocks fails its own request", async () => {
  await using server = await startIsolated("2s", hostile);
  const subscription = "/subscriptions/11111111-2222-3333-4444-555555555555";
  const things = `${subscription}/resourceGroups/shop/providers/Example.Hostile/things`;
  const path = (rest: string): string => `${things}/${rest}?api-version=2026-01-01`;
  const registered = { state: "Registered" };
  await server.ask(`${subscription}?api-version=2.0`, { method: "PUT", body: registered });
  const body = { location: "westeurope", properties: {} };
  assert.ok((await server.ask(path("one"), { method: "PUT", body })).status < 300);
  const blocked = server.ask(path("one/block"), { method: "POST" });
  await waitUntil("the module to stop", () => server.log().includes("module stopped"));
  assert.equal((await blocked).status, 503);
  assert.match(server.log(), /"message":"module stopped".*"activity":"request".*actions\[0\]/);
  const answer = await server.ask(path("one/answer"), { method: "POST" });
  assert.deepEqual(JSON.parse(answer.body.toString()), { answer: 42 });
  assert.equal(await server.stop(), 0);
});
