// Nothing is made twice: answers that are lost, ids that the service chooses, objects that exist.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  bookOf,
  conditionOf,
  connectVersion,
  messageOf,
  openMemoryConnect,
  plainBinding,
  thingsKind,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const byService: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
};

function numbered(connect: MemoryConnect): void {
  let last = 0;
  connect.service.nextId = () => String((last += 1));
}

/** The answer to the next creation is lost. */
function loseNextCreation(connect: MemoryConnect): void {
  let isFirst = true;
  connect.service.interfere = ({ method }) => {
    if (method !== "POST" || !isFirst) return undefined;
    isFirst = false;
    return "lost";
  };
}

it("takes the object that it named itself after a lost answer", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  loseNextCreation(connect);
  await connect.make("a", { name: "a", color: "red" });
  await pass(20_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  assert.equal(bookOf(found)["creating"], undefined);
});

it("finds by listing what was made under an id that it never heard of", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  service.objects.set("/things/other", { id: "other", name: "a", color: "red" });
  loseNextCreation(connect);
  await connect.make("a", { name: "a", color: "red" });
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "1");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("finds what was made also when something else is wanted by then", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  loseNextCreation(connect);
  await connect.make("a", { name: "a", color: "red" });
  await pass(200);
  await connect.change("a", { spec: { name: "a", color: "blue" } });
  await pass(90_000);
  assert.equal(writesOf(service).filter((write) => write === "POST /things").length, 1);
  assert.deepEqual([...service.objects.values()], [{ id: "1", name: "a", color: "blue" }]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("stops when nobody can tell what was made, until a person says which", async () => {
  const { read, create, delete: remove, replace } = plainBinding.operations;
  const operations = { read, create, delete: remove, replace } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { ...byService, operations } });
  const { service, pass } = connect;
  numbered(connect);
  loseNextCreation(connect);
  await connect.make("a", { name: "a" });
  await pass(4_000_000);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False CreateIncomplete");
  assert.match(messageOf(stopped, "Synced"), /connect\.id/);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  await connect.change("a", { connect: { id: "1" } });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("makes it again once it is certain that nothing was made", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  let failures = 0;
  service.interfere = ({ method }) => {
    if (method !== "POST" || failures > 0) return undefined;
    failures += 1;
    return { status: 503, body: "try later" };
  };
  await connect.make("a", { name: "a" });
  await pass(10_000);
  assert.equal(service.objects.size, 0);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False CreateUncertain");
  await pass(120_000);
  assert.equal(service.objects.size, 1);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("makes one object however often it crashes around the creation", async () => {
  for (const binding of [{}, byService]) {
    await using connect = await openMemoryConnect({ binding });
    const { service, pass } = connect;
    if ("identity" in binding) numbered(connect);
    loseNextCreation(connect);
    await connect.make("a", { name: "a", color: "red" });
    await connect.restart();
    await pass(200);
    await connect.restart();
    await pass(90_000);
    assert.equal(service.objects.size, 1);
    assert.deepEqual(writesOf(service), ["POST /things"]);
  }
});

it("leaves alone what exists already, unless it may be adopted", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.objects.set("/things/a", { id: "a", name: "a", color: "green", theirs: 1 });
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False AlreadyExists");
  assert.deepEqual(writesOf(service), []);
  await connect.change("a", { connect: { adopt: "any" } });
  await pass();
  assert.deepEqual(service.objects.get("/things/a"), {
    id: "a",
    name: "a",
    color: "red",
    theirs: 1,
  });
});

it("adopts by id without a write, and lets go of it when it is deleted", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  service.objects.set("/things/7", { id: "7", name: "old", color: "green" });
  await connect.make("a", { name: "old", color: "green" }, { id: "7" });
  await pass(200_000);
  assert.deepEqual(writesOf(service), []);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await connect.remove("a");
  await pass();
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 1);
});

it("deletes what it made, also when somebody has written its id down since", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  await connect.make("a", { name: "a" });
  await pass();
  await connect.change("a", { connect: { id: "1" } });
  await pass(100_000);
  await connect.remove("a");
  await pass(10_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 0);
});

it("never makes what was to be adopted", async () => {
  await using connect = await openMemoryConnect({ binding: byService });
  const { service, pass } = connect;
  numbered(connect);
  await connect.make("a", { name: "old" }, { id: "7" });
  await pass(200_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False ImportNotFound");
  assert.deepEqual(writesOf(service), []);
});

it("tells two control planes apart by the mark of the owner", async () => {
  await using connect = await openMemoryConnect({
    binding: { ...byService, ownerMarker: "/tags/managed-by" },
  });
  const { service, pass } = connect;
  numbered(connect);
  loseNextCreation(connect);
  await connect.make("a", { name: "a" });
  await pass(60_000);
  assert.equal(service.objects.size, 1);
  const stored = service.objects.get("/things/1") ?? {};
  assert.match(JSON.stringify(stored["tags"]), /^\{"managed-by":"setpoint:/);
  service.objects.set("/things/1", { ...stored, tags: { "managed-by": "setpoint:another" } });
  await pass(100_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False OwnershipConflict");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("deletes by the stored path, takes 404 for success, and looks whether it is gone", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  for (const name of ["a", "b"]) await connect.make(name, { name });
  await pass();
  service.objects.delete("/things/a");
  let isHeld = true;
  service.interfere = ({ method, path }) =>
    method === "DELETE" && path === "/things/b" && isHeld ? { status: 204 } : undefined;
  await connect.remove("a");
  await connect.remove("b");
  await pass();
  assert.equal(await connect.read("a"), undefined);
  assert.equal(conditionOf(await connect.read("b"), "Ready"), "False Deleting");
  isHeld = false;
  await pass(10_000);
  assert.equal(await connect.read("b"), undefined);
  assert.equal(service.objects.size, 0);
});

it("says how to let go of what the service cannot delete", async () => {
  const { read, create, replace } = plainBinding.operations;
  const operations = { read, create, replace } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { operations } });
  const { pass, service } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  await connect.remove("a");
  await pass();
  const held = await connect.read("a");
  assert.equal(conditionOf(held, "Synced"), "False DeletionNotSupported");
  assert.match(messageOf(held, "Synced"), /detach-on-delete/);
  await connect.change("a", { connect: { manage: "keep" } });
  await pass();
  assert.equal(await connect.read("a"), undefined);
  assert.equal(service.objects.size, 1);
});

it("takes what the service shows as gone for absent, by a rule", async () => {
  await using connect = await openMemoryConnect({
    binding: { gone: "has(observed.state) && observed.state == 'expired'" },
  });
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  service.interfere = ({ method, path }) => {
    if (method !== "DELETE") return undefined;
    service.objects.set(path, { ...service.objects.get(path), state: "expired" });
    return { status: 200 };
  };
  await connect.remove("a");
  await pass();
  assert.equal(await connect.read("a"), undefined);
});

it("only looks, where that is the policy, and says when there is nothing", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" }, { manage: "observe" });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False ObjectNotFound");
  service.objects.set("/things/a", { id: "a", name: "a", color: "green" });
  await pass(100_000);
  const seen = await connect.read("a");
  assert.equal(conditionOf(seen, "Ready"), "True Available");
  assert.deepEqual(writesOf(service), []);
  await connect.remove("a");
  await pass();
  assert.equal(service.objects.size, 1);
});

it("removes and makes anew where a fixed field may be replaced, and only there", async () => {
  const fields = [
    ...plainBinding.fields,
    { path: "/size", class: "create-only", from: "override" } as const,
  ];
  await using connect = await openMemoryConnect({ binding: { fields } });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", size: 1 });
  await pass();
  await connect.change("a", { spec: { size: 2 }, connect: { replace: ["/size"] } });
  await pass(10_000);
  assert.deepEqual(writesOf(service), ["POST /things", "DELETE /things/a", "POST /things"]);
  assert.equal(service.objects.get("/things/a")?.["size"], 2);
});

it("knows that what never left made nothing", async () => {
  const { read, create, delete: remove, replace } = plainBinding.operations;
  const operations = { read, create, delete: remove, replace } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { ...byService, operations } });
  const { service, pass } = connect;
  numbered(connect);
  service.interfere = () => "refused";
  await connect.make("a", { name: "a" });
  await pass(60_000);
  assert.equal(bookOf(await connect.read("a"))["creating"], undefined);
  service.interfere = undefined;
  await pass(400_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(service.objects.size, 1);
});

it("keeps many objects within the rate of the connection, whatever is wrong with one", async () => {
  await using connect = await openMemoryConnect({
    connection: { rate: { perSecond: 20, burst: 5 }, concurrency: 2 },
  });
  const { service, pass } = connect;
  service.interfere = ({ method, body }) =>
    method === "POST" && JSON.stringify(body).includes("bad") ? { status: 400 } : undefined;
  await connect.make("bad", { name: "bad" });
  const names = Array.from({ length: 100 }, (_, index) => `n${index}`);
  for (const name of names) await connect.make(name, { name });
  const before = service.log.length;
  await pass(10_000);
  assert.ok(service.log.length - before <= 20 * 10 + 6 + 20, `${service.log.length - before}`);
  await pass(120_000);
  assert.equal(service.objects.size, 100);
  for (const name of names) {
    assert.equal(conditionOf(await connect.read(name), "Ready"), "True Available");
  }
});

it("can be taken out of the control plane in any order", async () => {
  const connection = { apiVersion: connectVersion, kind: "Connection", name: "service" };
  const parts = [
    connection,
    { apiVersion: connectVersion, kind: "RestKind", name: thingsKind },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name: thingsKind },
  ];
  for (const order of [parts, parts.toReversed()]) {
    await using connect = await openMemoryConnect();
    const { service, pass, memory } = connect;
    await connect.make("a", { name: "a" });
    await pass(10_000);
    for (const part of order.slice(0, 1)) await memory.remove(part);
    await pass(2_000);
    if (order === parts) {
      const held = await memory.read(connection);
      assert.equal(conditionOf(held, "Released"), "False InUse");
      assert.match(messageOf(held, "Released"), /used by resources of the kind Thing/);
      await connect.change("a", { spec: { name: "a", color: "red" } });
      await pass(2_000);
      assert.equal(service.objects.get("/things/a")?.["color"], "red");
    }
    for (const part of order.slice(1)) await memory.remove(part);
    await pass(120_000);
    assert.equal(service.objects.size, 0);
    for (const part of parts) assert.equal(await memory.read(part), undefined, part.kind);
  }
});

it("takes the objects of a kind out of the service when the kind is deleted", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass, memory } = connect;
  await connect.make("a", { name: "a" });
  await pass(10_000);
  assert.equal(service.objects.size, 1);
  const apiVersion = "apiextensions.k8s.io/v1";
  const definition = { apiVersion, kind: "CustomResourceDefinition", name: thingsKind };
  await memory.remove(definition);
  await pass(120_000);
  assert.equal(service.objects.size, 0);
  assert.equal(await memory.read(definition), undefined);
});
