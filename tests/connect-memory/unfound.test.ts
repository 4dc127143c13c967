// A RestKind that names objects wrongly: the id in the response to the creation wins, and where
// that does not lead to the object either, the run stops. Nothing is created twice, however often
// the resource is reconciled, and nothing that may exist counts as deleted.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
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

/** The guess of an import: the object is named by its field name. In fact it has a number. */
const guessed: Partial<Binding> = {
  identity: { kind: "client", field: "/name", parameter: "id" },
  resyncSeconds: 60,
};

function numbered({ service }: MemoryConnect): void {
  let last = 0;
  service.nextId = () => `n-${(last += 1)}`;
}

/** The response shows everything except the id. */
function hideIds({ service }: MemoryConnect): void {
  service.show = (object) =>
    Object.fromEntries(Object.entries(object).filter(([key]) => key !== "id"));
}

const creations = ({ service }: MemoryConnect): number =>
  writesOf(service).filter((write) => write === "POST /things").length;

const changeBinding = async (connect: MemoryConnect, patch: JsonObject): Promise<void> => {
  const at = { apiVersion: connectVersion, kind: "RestKind", name: thingsKind };
  await connect.memory.patch(at, { spec: patch });
};

it("stops at an object that is too large to be compared", async () => {
  await using connect = await openMemoryConnect({ binding: { resyncSeconds: 60 } });
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass();
  const keys = Array.from({ length: 30_000 }, (_, at) => [`key-${at}`, at] as const);
  connect.service.show = (object) => ({ ...object, ...Object.fromEntries(keys) });
  await connect.pass(120_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Synced"), "False ObjectTooLarge");
  assert.match(messageOf(found, "Synced"), /more than 25000 values/);
  assert.ok(JSON.stringify(found).length < 10_000, "nothing of it is stored");
  assert.equal(creations(connect), 1);
});

it("uses the id in the response where the guessed path does not exist", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(600_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  assert.equal(bookOf(found)["id"], "n-1");
  assert.equal(bookOf(found)["path"], "/things/n-1");
  assert.equal(bookOf(found)["created"], undefined);
  await connect.change("a", { spec: { color: "blue" } });
  await connect.pass();
  assert.deepEqual(writesOf(connect.service), ["POST /things", "PUT /things/n-1"]);
  await connect.remove("a");
  await connect.pass();
  assert.equal(await connect.read("a"), undefined);
  assert.equal(connect.service.objects.size, 0);
});

it("uses the id in Location where the guessed path does not exist", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  hideIds(connect);
  const { service } = connect;
  service.interfere = (request) => {
    if (request.method !== "POST") return undefined;
    service.objects.set("/things/n-7", { ...(request.body as JsonObject), id: "n-7" });
    return { status: 201, body: { name: "a" }, headers: { location: "/things/n-7" } };
  };
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(600_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(bookOf(await connect.read("a"))["id"], "n-7");
  assert.equal(creations(connect), 1);
});

it("creates one object and stops where its id is unknown, over resyncs and restarts", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  hideIds(connect);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(200_000);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False IdentityMismatch");
  const message = messageOf(stopped, "Synced");
  assert.match(message, /POST \/things/);
  assert.match(message, /identity\.field \(\/name\).*RestKind things\.things\.example\.dev/);
  assert.equal((await connect.plan("a")).action, "refuse");
  await connect.restart();
  await connect.pass(4_000_000);
  await connect.change("a", { spec: { color: "blue" } });
  await connect.pass(200_000);
  await connect.restart();
  await connect.pass(4_000_000);
  assert.equal(connect.service.objects.size, 1);
  assert.equal(creations(connect), 1);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False IdentityMismatch");
});

it("manages the created object once a user names it", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  hideIds(connect);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(200_000);
  await connect.change("a", { connect: { id: "n-1" } });
  await connect.pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await connect.remove("a");
  await connect.pass();
  // The resource created the object, so it deletes it.
  assert.equal(connect.service.objects.size, 0);
  assert.equal(creations(connect), 1);
});

it("looks for the created object again once the RestKind is corrected", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  const { service } = connect;
  numbered(connect);
  // The item is at another path than the RestKind says.
  service.interfere = ({ method, path }) =>
    method === "GET" && path !== "/things" && !path.startsWith("/things/n-")
      ? { status: 404, body: "Not Found" }
      : path === "/things/n-1" && isWrong
        ? { status: 404, body: "Not Found" }
        : undefined;
  let isWrong = true;
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(200_000);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False IdentityMismatch");
  assert.match(messageOf(stopped, "Synced"), /\/id is "n-1"/);
  isWrong = false;
  const identity = { kind: "server", field: "/id", parameter: "id" };
  await changeBinding(connect, { identity });
  await connect.pass(200_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  assert.equal(bookOf(found)["id"], "n-1");
  assert.equal(creations(connect), 1);
});

it("does not report the deletion of an object that it never found", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  hideIds(connect);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(200_000);
  await connect.remove("a");
  await connect.pass(200_000);
  const held = await connect.read("a");
  assert.equal(conditionOf(held, "Synced"), "False IdentityMismatch");
  assert.match(messageOf(held, "Synced"), /detach-on-delete/);
  assert.equal(connect.service.objects.size, 1);
  await connect.change("a", { connect: { id: "n-1" } });
  await connect.pass(4_000_000);
  assert.equal(await connect.read("a"), undefined);
  assert.equal(connect.service.objects.size, 0);
});

it("stops after a lost response where the list has the object and its path does not", async () => {
  await using connect = await openMemoryConnect({ binding: guessed });
  numbered(connect);
  hideIds(connect);
  const { service } = connect;
  service.interfere = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass(4_000_000);
  await connect.restart();
  await connect.pass(4_000_000);
  assert.equal(creations(connect), 1);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "False IdentityMismatch");
});

it("never uses a credential of the response as an id", async () => {
  const { create, read, replace, delete: remove } = plainBinding.operations;
  const operations = { create, read, replace, delete: remove } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { ...guessed, operations } });
  const { service } = connect;
  const secret = "s3cr3t-value-1";
  service.interfere = (request) => {
    if (request.method !== "POST") return undefined;
    service.objects.set(`/things/${secret}`, { ...(request.body as JsonObject), secret });
    const location = `/things/${secret}`;
    return { status: 201, body: { name: "a", secret }, headers: { location } };
  };
  await connect.make("a", { name: "a" });
  await connect.pass(200_000);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False IdentityMismatch");
  assert.ok(!JSON.stringify(stopped).includes(secret), JSON.stringify(stopped));
  assert.ok(!connect.lines.join("").includes(secret));
  assert.equal(creations(connect), 1);
});

it("creates nothing again where the successor of a deleted object is not shown", async () => {
  const byService = { identity: { kind: "server", field: "/id", parameter: "id" } } as const;
  await using connect = await openMemoryConnect({ binding: byService });
  const { service } = connect;
  numbered(connect);
  await connect.make("a", { name: "a", color: "red" });
  await connect.pass();
  service.objects.clear();
  service.interfere = ({ method, path }) =>
    method === "GET" && path !== "/things" ? { status: 404, body: "Not Found" } : undefined;
  await connect.pass(4_000_000);
  assert.equal(creations(connect), 2);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False IdentityMismatch");
  assert.equal(textAt(bookOf(stopped), "id"), "n-2");
});

it("stops after three creations without a response where no list can show them", async () => {
  const { create, read, replace, delete: remove } = plainBinding.operations;
  const operations = { create, read, replace, delete: remove } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { ...guessed, operations } });
  numbered(connect);
  const { service } = connect;
  service.interfere = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.make("a", { name: "a" });
  await connect.pass(4_000_000);
  await connect.restart();
  await connect.pass(4_000_000);
  assert.equal(creations(connect), 3);
  const stopped = await connect.read("a");
  assert.equal(conditionOf(stopped, "Synced"), "False CreateIncomplete");
  // A service that answers with an error is asked again.
  service.interfere = ({ method }) =>
    method === "POST" ? { status: 503, body: "try later" } : undefined;
  await connect.make("b", { name: "b" });
  await connect.pass(8_000_000);
  assert.ok(creations(connect) > 6, `${creations(connect)}`);
});
