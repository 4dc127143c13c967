// Objects that get another id when they are changed, as the silences of Alertmanager do: the old
// one expires, and what was wanted is under the new id, which only the answer tells. Whatever
// becomes of that answer, there is one object in the end, and it is ours.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  bookOf,
  conditionOf,
  messageOf,
  openMemoryConnect,
  plainBinding,
} from "./memory-connect.ts";
import type { MemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";
import type { MemoryService, ServiceAnswer, ServiceRequest } from "./memory-service.ts";

const renaming: Partial<Binding> = {
  identity: { kind: "server", field: "/id", parameter: "id" },
  operations: {
    ...plainBinding.operations,
    replace: { method: "POST", path: "/things" },
  },
  fields: [
    { path: "/id", class: "update-only", from: "override" },
    { path: "/state", class: "read-only", from: "override" },
  ],
  gone: "observed.state == 'expired'",
};

/** What becomes of a request once it has been carried out, or before. */
type Fate = (request: ServiceRequest) => ServiceAnswer | "lost" | undefined;

interface Renaming extends MemoryConnect {
  fate: Fate;
  /** Ids of those that have not expired. */
  readonly alive: () => readonly string[];
  /** Somebody else ends it. */
  readonly expire: (id: string) => void;
}

async function openRenaming(): Promise<Renaming> {
  const connect = await openMemoryConnect({ binding: renaming });
  const { service } = connect;
  let last = 0;
  const nextId = (): string => String((last += 1));
  const expire = (id: string): void => {
    const at = `/things/${id}`;
    service.objects.set(at, { ...service.objects.get(at), state: "expired" });
  };
  const opened: Renaming = {
    ...connect,
    fate: () => undefined,
    expire,
    alive: () =>
      [...service.objects.values()]
        .filter((each) => each["state"] !== "expired")
        .map((each) => textAt(each, "id")),
  };
  service.interfere = (request) => {
    const fate = opened.fate(request);
    if (fate !== undefined && fate !== "lost") return fate;
    const answer = carryOut(service, request, { nextId, expire });
    // What is lost must not be done a second time by the service in memory.
    return fate === "lost" && answer !== undefined ? { status: 504 } : answer;
  };
  return opened;
}

interface Ways {
  readonly nextId: () => string;
  readonly expire: (id: string) => void;
}

/** A comment is changed in its place; anything else makes another object of it. */
function carryOut(
  service: MemoryService,
  { method, path, body }: ServiceRequest,
  { nextId, expire }: Ways,
): ServiceAnswer | undefined {
  if (method === "DELETE") {
    expire(path.split("/").at(-1) ?? "");
    return { status: 200 };
  }
  if (method !== "POST") return undefined;
  const given = body as JsonObject;
  const old = service.objects.get(`/things/${textAt(given, "id")}`);
  const isSame = old?.["state"] === "active" && old["job"] === given["job"];
  if (old !== undefined && !isSame) expire(textAt(old, "id"));
  const id = isSame ? textAt(old, "id") : nextId();
  service.objects.set(`/things/${id}`, { ...given, id, state: "active" });
  return { status: 200, body: { thingID: id } };
}

const wanted = { job: "night", comment: "quiet", by: "us", until: "noon" };

it("follows an object to the id that a change gave it, though the answer was lost", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  assert.deepEqual(alive(), ["1"]);
  connect.fate = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.change("a", { spec: { job: "day" } });
  await pass(1_000);
  connect.fate = () => undefined;
  await pass(300_000);
  assert.deepEqual(alive(), ["2"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "2");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(writesOf(service).length, 2);
});

it("ends what a change made, though its answer was lost and the resource goes", async () => {
  await using connect = await openRenaming();
  const { pass, alive } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.change("a", { spec: { job: "day" } });
  await pass(100);
  await connect.remove("a");
  await pass(300_000);
  assert.deepEqual(alive(), []);
  assert.equal(await connect.read("a"), undefined);
});

it("deletes nothing while a change that was not answered may make another of it", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive, expire } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ method }) => (method === "POST" ? { status: 504 } : undefined);
  await connect.change("a", { spec: { job: "day" } });
  await pass(100);
  await connect.remove("a");
  await pass(20_000);
  assert.equal(writesOf(service).includes("DELETE /things/1"), false);
  // The service comes to it only now.
  expire("1");
  service.objects.set("/things/9", { ...wanted, job: "day", id: "9", state: "active" });
  await pass(300_000);
  assert.deepEqual(alive(), []);
  assert.equal(await connect.read("a"), undefined);
});

it("makes an object again that was ended before anybody knew its id", async () => {
  await using connect = await openRenaming();
  const { pass, alive, expire } = connect;
  connect.fate = ({ method }) => (method === "POST" ? "lost" : undefined);
  await connect.make("a", wanted);
  await pass(100);
  assert.deepEqual(alive(), ["1"]);
  expire("1");
  connect.fate = () => undefined;
  await pass(600_000);
  assert.deepEqual(alive(), ["2"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("sends nothing more while a change that was not answered may still be carried out", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive, expire } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ method }) => (method === "POST" ? { status: 504 } : undefined);
  await connect.change("a", { spec: { job: "day" } });
  await pass(20_000);
  connect.fate = () => undefined;
  assert.equal(writesOf(service).length, 2);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "Unknown UpdateUncertain");
  assert.equal((await connect.plan("a")).action, "wait");
  // The service comes to it only now.
  expire("1");
  service.objects.set("/things/9", { ...wanted, job: "day", id: "9", state: "active" });
  await pass(300_000);
  assert.deepEqual(alive(), ["9"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "9");
  assert.equal(writesOf(service).length, 2);
});

it("sends a change again once it is certain that nothing came of it", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  let failures = 0;
  connect.fate = ({ method }) =>
    method === "POST" && (failures += 1) === 1 ? { status: 504 } : undefined;
  await connect.change("a", { spec: { job: "day" } });
  await pass(300_000);
  assert.deepEqual(alive(), ["2"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(writesOf(service).length, 3);
  assert.equal(bookOf(await connect.read("a"))["renaming"], undefined);
});

it("keeps the id that it was told though what is there cannot be read at first", async () => {
  await using connect = await openRenaming();
  const { pass, alive } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ path }) => (path === "/things/2" ? { status: 500 } : undefined);
  await connect.change("a", { spec: { job: "day" } });
  await pass(10_000);
  connect.fate = () => undefined;
  await pass(300_000);
  assert.deepEqual(alive(), ["2"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "2");
});

it("makes no second one of what the service took for something else", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive } = connect;
  connect.fate = ({ method, body }) => {
    if (method !== "POST") return undefined;
    // It begins later than it was told to.
    const object = { ...(body as JsonObject), until: "evening", id: "7", state: "active" };
    service.objects.set("/things/7", object);
    return { status: 504 };
  };
  await connect.make("a", wanted);
  await pass(600_000);
  assert.deepEqual(alive(), ["7"]);
  const unclear = await connect.read("a");
  assert.equal(conditionOf(unclear, "Synced"), "False CreateIncomplete");
  assert.match(messageOf(unclear, "Synced"), /it may be this object: 7/);
  connect.fate = () => undefined;
  await connect.change("a", { connect: { id: "7" } });
  await pass(300_000);
  assert.deepEqual(alive(), ["7"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("tells what it made by the rest where a field is left to the service", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive } = connect;
  let last = 6;
  connect.fate = ({ method, body }) => {
    if (method !== "POST") return undefined;
    const given = body as JsonObject;
    if (given["id"] !== undefined) connect.expire(textAt(given, "id"));
    const id = String((last += 1));
    service.objects.set(`/things/${id}`, { ...given, until: "evening", id, state: "active" });
    return { status: 504 };
  };
  await connect.make("a", wanted, { leave: ["/until"] });
  await pass(300_000);
  assert.deepEqual(alive(), ["7"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await connect.change("a", { spec: { job: "day" } });
  await pass(300_000);
  assert.deepEqual(alive(), ["8"]);
  assert.equal(bookOf(await connect.read("a"))["id"], "8");
});

it("lets a person say which object a change has made", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive, expire } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ method }) => {
    if (method !== "POST") return undefined;
    expire("1");
    for (const id of ["7", "8"]) {
      service.objects.set(`/things/${id}`, { ...wanted, job: "day", id, state: "active" });
    }
    return { status: 504 };
  };
  await connect.change("a", { spec: { job: "day" } });
  await pass(300_000);
  const unclear = await connect.read("a");
  assert.match(messageOf(unclear, "Synced"), /an update that may have .* one of these objects/);
  connect.fate = () => undefined;
  await connect.change("a", { connect: { id: "8" } });
  await pass(300_000);
  assert.equal(bookOf(await connect.read("a"))["id"], "8");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await connect.remove("a");
  await pass(300_000);
  assert.deepEqual(alive(), ["7"]);
});

it("makes no second one while parts of the service do not know of the new id", async () => {
  for (const name of ["thingID", "id"]) {
    await using connect = await openRenaming();
    const { service, pass, alive } = connect;
    await connect.make("a", wanted);
    await pass(10_000);
    // From the change on, reads are answered by one that has not heard of it.
    const before = new Map(service.objects);
    let changed: ServiceAnswer | undefined;
    connect.fate = ({ method, path, body }) => {
      if (method === "POST") {
        connect.expire("1");
        service.objects.set("/things/9", { ...(body as JsonObject), id: "9", state: "active" });
        return (changed = { status: 200, body: { [name]: "9" } });
      }
      if (changed === undefined) return undefined;
      const known = before.get(path);
      if (known !== undefined) return { status: 200, body: known };
      return path === "/things" ? { status: 200, body: [...before.values()] } : { status: 404 };
    };
    await connect.change("a", { spec: { job: "day" } });
    await pass(5_000);
    const unsure = await connect.read("a");
    assert.equal(conditionOf(unsure, "Ready"), "Unknown UpdateUncertain");
    assert.match(messageOf(unsure, "Ready"), /has another id, 9, whose object is not updated/);
    // It hears of the end of the one before it hears of the other.
    before.set("/things/1", { ...before.get("/things/1"), state: "expired" });
    await pass(5_000);
    connect.fate = () => undefined;
    await pass(300_000);
    assert.deepEqual(alive(), ["9"]);
    assert.equal(bookOf(await connect.read("a"))["id"], "9");
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
    assert.equal(writesOf(service).length, 2);
  }
});

it("waits for one that was found by looking, and cannot be read yet", async () => {
  await using connect = await openRenaming();
  const { service, pass, alive } = connect;
  await connect.make("a", wanted);
  await pass(10_000);
  connect.fate = ({ method, path }) => {
    if (path === "/things/2") return { status: 404 };
    return method === "POST" ? "lost" : undefined;
  };
  await connect.change("a", { spec: { job: "day" } });
  await pass(10_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "False NotShownYet");
  connect.fate = () => undefined;
  await pass(300_000);
  assert.deepEqual(alive(), ["2"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(bookOf(await connect.read("a"))["renaming"], undefined);
  assert.equal(writesOf(service).length, 2);
});

it("sends a change that cannot be seen once while it may still be carried out", async () => {
  const pin = { path: "/pin", class: "write-only", from: "override" } as const;
  const fields = [...(renaming.fields ?? []), pin];
  await using connect = await openMemoryConnect({ binding: { ...renaming, fields } });
  const { service, pass } = connect;
  service.show = ({ pin: _, ...rest }) => rest;
  service.nextId = () => String(service.objects.size + 1);
  await connect.make("a", { ...wanted, pin: "1234" });
  await pass(10_000);
  service.interfere = ({ method }) => (method === "POST" ? { status: 504 } : undefined);
  await connect.change("a", { spec: { pin: "5678" } });
  await pass(30_000);
  assert.deepEqual(writesOf(service), ["POST /things", "POST /things"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "Unknown UpdateUncertain");
  // The service comes to it only now.
  service.objects.delete("/things/1");
  service.objects.set("/things/9", { ...wanted, pin: "5678", id: "9" });
  service.interfere = ({ method }) => (method === "POST" ? { status: 422 } : undefined);
  await pass(30_000);
  assert.equal(bookOf(await connect.read("a"))["id"], "9");
});

it("stays with its object though the answer to a change names something else", async () => {
  const identity = { kind: "server", field: "/id", parameter: "id" } as const;
  await using connect = await openMemoryConnect({ binding: { identity } });
  const { service, pass } = connect;
  service.nextId = () => String(service.objects.size + 1);
  await connect.make("a", wanted);
  await pass(10_000);
  service.interfere = ({ method }) =>
    method === "PUT" ? { status: 200, body: { id: "request-77", error: "not now" } } : undefined;
  await connect.change("a", { spec: { job: "day" } });
  await pass(200_000);
  assert.deepEqual([...service.objects.keys()], ["/things/1"]);
  service.interfere = undefined;
  await pass(600_000);
  assert.deepEqual([...service.objects.keys()], ["/things/1"]);
  assert.equal(service.objects.get("/things/1")?.["job"], "day");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(bookOf(await connect.read("a"))["renaming"], undefined);
});

it("is not held up for ever by a note whose time cannot be right", async () => {
  for (const since of ["", "2999-01-01T00:00:00Z"]) {
    await using connect = await openRenaming();
    const { pass, alive } = connect;
    await connect.make("a", wanted);
    await pass(10_000);
    await connect.changeStatus("a", { status: { connect: { renaming: { since, sent: {} } } } });
    await connect.change("a", { spec: { job: "day" } });
    await pass(60_000);
    assert.deepEqual(alive(), ["2"]);
    assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  }
});
