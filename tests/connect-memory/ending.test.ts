// What becomes of a Connection, a RestKind and those who need them once they are deleted: nothing
// new is made, nobody is woken in vain, and each goes when the last that needs it is gone.
import assert from "node:assert/strict";
import { it } from "node:test";
import { systemCaller } from "../../src/intents/bootstrap.ts";
import { explain } from "../../src/engine/why/explain.ts";
import type { Explanation } from "../../src/engine/why/explain.ts";
import { connectionsKind } from "../../src/modules/connect/kinds/connection-kind.ts";
import { observerFor } from "../../src/app/operations/observer.ts";
import { done } from "../../src/engine/outcome.ts";
import type { Reconciler } from "../../src/engine/reconciler.ts";
import {
  conditionOf,
  connectVersion,
  messageOf,
  openMemoryConnect,
  thingsKind,
} from "./memory-connect.ts";

const connection = { apiVersion: connectVersion, kind: "Connection", name: "service" };
const restKind = { apiVersion: connectVersion, kind: "RestKind", name: thingsKind };

for (const part of [connection, restKind]) {
  it(`makes nothing new by a ${part.kind} that is being deleted`, async () => {
    await using connect = await openMemoryConnect();
    const { service, pass, memory } = connect;
    await connect.make("a", { name: "a" });
    await pass(5_000);
    await memory.remove(part);
    await pass(2_000);
    await connect.make("b", { name: "b" });
    await pass(60_000);
    assert.deepEqual([...service.objects.keys()], ["/things/a"]);
    const waits = messageOf(await connect.read("b"), "Ready");
    assert.ok(waits.includes(`the ${part.kind} ${part.name} is being deleted`), waits);
    const plan = await connect.plan("b");
    assert.equal(plan.action, "wait");
    // What was made before is looked after until it goes.
    await connect.change("a", { spec: { name: "a", color: "red" } });
    await pass(5_000);
    assert.equal(service.objects.get("/things/a")?.["color"], "red");
    for (const name of ["a", "b"]) await connect.remove(name);
    await pass(10_000);
    assert.equal(service.objects.size, 0);
    assert.equal(await memory.read(part), undefined);
  });
}

it("makes what waited for a Connection that was deleted and is made anew", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass, memory } = connect;
  await connect.make("a", { name: "a" });
  await pass(5_000);
  await memory.remove(connection);
  await connect.make("b", { name: "b" });
  await pass(10_000);
  // A person knows better than to wait for the resources.
  await memory.patch(connection, { metadata: { finalizers: null } });
  await pass(2_000);
  const { name, ...kind } = connection;
  await memory.create({ ...kind, metadata: { name }, spec: { baseUrl: "http://service" } });
  await pass(10_000);
  assert.deepEqual([...service.objects.keys()], ["/things/a", "/things/b"]);
});

it("wakes nobody by what is told in the status of a Connection", async () => {
  await using connect = await openMemoryConnect({ binding: { resyncSeconds: 36_000 } });
  const { service, pass, memory } = connect;
  for (const name of ["a", "b", "c"]) await connect.make(name, { name });
  await pass(60_000);
  const requests = service.log.length;
  const condition = { type: "Other", status: "False", reason: "Some", message: "thing" };
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  const status = { conditions: [{ ...condition, lastTransitionTime }] };
  await memory.patch({ ...connection, subresource: "status" }, { status });
  await pass(60_000);
  assert.equal(service.log.length, requests);
  await memory.patch(connection, { spec: { timeoutSeconds: 7 } });
  await pass(60_000);
  const looks = new Set(service.log.slice(requests));
  for (const name of ["a", "b", "c"]) assert.ok(looks.has(`GET /things/${name}`), name);
});

it("does not look at those that stay while others of a deleted Connection go", async () => {
  await using connect = await openMemoryConnect({ binding: { resyncSeconds: 36_000 } });
  const { service, pass, memory } = connect;
  const [going, staying] = [
    ["a", "b", "c", "d", "e"],
    ["v", "w", "x", "y", "z"],
  ];
  for (const name of [...going, ...staying]) await connect.make(name, { name });
  await pass(60_000);
  await memory.remove(connection);
  await pass(60_000);
  const requests = service.log.length;
  for (const name of going) {
    await connect.remove(name);
    await pass(5_000);
  }
  assert.equal(service.objects.size, staying.length);
  const looks = service.log.slice(requests).filter((line) => /\/things\/[v-z]$/.test(line));
  assert.deepEqual(looks, []);
  assert.equal(conditionOf(await memory.read(connection), "Released"), "False InUse");
});

it("lets a RestKind go whose kind a module has, whatever resources there are", async () => {
  const reconciler: Reconciler = {
    kind: thingsKind,
    reconcile: () => Promise.resolve(done()),
    remove: () => Promise.resolve(done()),
  };
  await using connect = await openMemoryConnect({ reconciler });
  const { pass, memory } = connect;
  await connect.make("a", { name: "a" });
  await pass(5_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready").slice(0, 4), "True");
  assert.equal(conditionOf(await memory.read(restKind), "Accepted"), "False Conflict");
  for (const part of [connection, restKind]) await memory.remove(part);
  await pass(10_000);
  for (const part of [connection, restKind]) assert.equal(await memory.read(part), undefined);
  assert.ok((await connect.read("a")) !== undefined);
});

it("tells what is missing when the Secret of the Connection goes first", async () => {
  await using connect = await openMemoryConnect({
    connection: { auth: { kind: "bearer", secret: "proof" }, secretNamespace: "default" },
  });
  const { service, pass, memory } = connect;
  const metadata = { name: "proof", namespace: "default" };
  const data = { token: Buffer.from("a token").toString("base64") };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data };
  await memory.create(secret);
  await connect.make("a", { name: "a" });
  await pass(5_000);
  assert.equal(service.objects.size, 1);
  await memory.remove({ apiVersion: "v1", kind: "Secret", ...metadata });
  for (const part of [connection, restKind]) await memory.remove(part);
  await connect.remove("a");
  await pass(60_000);
  const waits = messageOf(await connect.read("a"), "Ready");
  assert.match(waits, /Secret proof.*create it again: the object cannot be deleted without it/);
  await memory.create(secret);
  await pass(60_000);
  assert.equal(service.objects.size, 0);
  for (const part of [connection, restKind]) assert.equal(await memory.read(part), undefined);
});

it("shows of a Connection that it is being deleted, and what holds it", async () => {
  await using connect = await openMemoryConnect();
  const { memory, pass } = connect;
  const why = async (): Promise<Explanation | undefined> => {
    const observer = observerFor(
      { ...memory.plane, worker: undefined, isAlone: true },
      systemCaller.user,
    );
    const key = { kind: connectionsKind, namespace: "", name: "service" };
    return await explain(observer, key, memory.surroundings.clock.nowMs());
  };
  assert.match((await why())?.summary ?? "", /^Connection\/service is not used yet: no resource/);
  await connect.make("a", { name: "a" });
  await pass(5_000);
  assert.equal((await why())?.summary, "Connection/service is ready");
  await memory.remove(connection);
  await pass(5_000);
  const held = await memory.read(connection);
  assert.equal(conditionOf(held, "Released"), "False InUse");
  assert.match(
    messageOf(held, "Released"),
    /^used by resources of the kind Thing; deleted after the last/,
  );
  const found = await why();
  assert.match(
    found?.summary ?? "",
    /is being deleted for \d+ s: needed until the resources that use it/,
  );
  assert.deepEqual(
    found?.resource.blockers.map(({ key, message }) => [key.name, message]),
    [["a", "not being deleted yet"]],
  );
});
