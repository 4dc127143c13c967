// The loop against a service in memory: each test is one claim about what is sent, and when.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { applyJsonPatch, parseJsonPatch } from "../../src/kernel/json-patch.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  bookOf,
  conditionOf,
  messageOf,
  openMemoryConnect,
  plainBinding,
} from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

it("creates, changes by PUT, puts back what others change, and deletes", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red", tags: { x: "1" } });
  await pass();
  const made = await connect.read("a");
  assert.equal(conditionOf(made, "Ready"), "True Available", JSON.stringify(made));
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(bookOf(made)["path"], "/things/a");

  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(service.objects.get("/things/a")?.["color"], "blue");

  service.objects.set("/things/a", {
    ...service.objects.get("/things/a"),
    color: "green",
    mine: 1,
  });
  await pass(200_000);
  assert.equal(writesOf(service).length, 3, service.log.join("\n"));
  assert.deepEqual(service.objects.get("/things/a"), {
    name: "a",
    color: "blue",
    tags: { x: "1" },
    mine: 1,
    id: "a",
  });

  await connect.remove("a");
  await pass();
  assert.equal(service.objects.size, 0);
  assert.equal(await connect.read("a"), undefined);
});

it("writes nothing while nothing changes, whatever the service makes of it", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.keep = (next) => ({ ...next, zone: "West Europe", serial: 1, tags: { by: "service" } });
  await connect.make("a", { name: "a", zone: "westeurope" });
  await pass(400_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  const made = await connect.read("a");
  assert.deepEqual(bookOf(made)["knownDifferences"], [
    { path: "/zone", sent: "westeurope", shown: "West Europe" },
  ]);
  // What is known is no excuse for another value.
  const stored = service.objects.get("/things/a") ?? {};
  service.keep = (next) => next;
  service.objects.set("/things/a", { ...stored, zone: "East" });
  await pass(100_000);
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(service.objects.get("/things/a")?.["zone"], "westeurope");
});

it("takes away what is no longer wanted, and leaves what others have set", async () => {
  for (const patch of [undefined, { method: "PATCH", style: "merge" } as const]) {
    await using connect = await openMemoryConnect({
      binding: { operations: { ...plainBinding.operations, ...(patch && { patch }) } },
    });
    const { service, pass } = connect;
    await connect.make("a", { name: "a", note: "n", tags: { x: "1", y: "2" }, list: [1] });
    await pass();
    const stored = service.objects.get("/things/a") ?? {};
    service.objects.set("/things/a", { ...stored, tags: { x: "1", y: "2", z: "3" }, other: true });
    await connect.change("a", { spec: { note: null, list: [], tags: { y: null } } });
    await pass();
    assert.deepEqual(service.objects.get("/things/a"), {
      name: "a",
      id: "a",
      list: [],
      tags: { x: "1", z: "3" },
      other: true,
    });
    const method = patch === undefined ? "PUT" : "PATCH";
    assert.deepEqual(writesOf(service), ["POST /things", `${method} /things/a`]);
    await pass(200_000);
    assert.equal(writesOf(service).length, 2);
  }
});

it("sends an empty list to a service that takes a missing one for unchanged", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.keep = (next, before) => ({ ...(before?.["list"] && { list: before["list"] }), ...next });
  await connect.make("a", { name: "a", list: [1, 2] });
  await pass();
  await connect.change("a", { spec: { list: null } });
  await pass(20_000);
  assert.deepEqual(service.objects.get("/things/a")?.["list"], []);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
});

it("says what a service accepts and does not show, and stops writing it", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.keep = (next) => ({ ...next, kind: "Native" });
  await connect.make("a", { name: "a", kind: "Wrong" });
  await pass(50_000);
  const stuck = await connect.read("a");
  assert.equal(conditionOf(stuck, "Synced"), "False NotConverged");
  assert.match(messageOf(stuck, "Synced"), /\/kind/);
  const writes = writesOf(service).length;
  assert.ok(writes >= 3 && writes <= 4, service.log.join("\n"));
  await pass(600_000);
  assert.ok(writesOf(service).length <= writes + 11, "at most once for each resync");
  await connect.change("a", { spec: { kind: "Native" } });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
});

it("looks again when somebody else was faster, and loses neither change", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  let isFirst = true;
  service.interfere = ({ method, path }) => {
    if (method !== "PUT" || !isFirst) return undefined;
    isFirst = false;
    service.objects.set(path, { ...service.objects.get(path), theirs: "kept" });
    return undefined;
  };
  await connect.change("a", { spec: { color: "blue" } });
  await pass();
  assert.deepEqual(service.objects.get("/things/a"), {
    name: "a",
    color: "blue",
    id: "a",
    theirs: "kept",
  });
});

it("uses PATCH only when it takes every changed field", async () => {
  const patch = { method: "PATCH", style: "merge", takes: ["/tags"] } as const;
  await using connect = await openMemoryConnect({
    binding: { operations: { ...plainBinding.operations, patch } },
  });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red", tags: { x: "1" } });
  await pass();
  await connect.change("a", { spec: { tags: { x: "2" } } });
  await pass();
  assert.deepEqual(service.requests.at(-2)?.body, { tags: { x: "2" } });
  await connect.change("a", { spec: { tags: { x: "3" }, color: "blue" } });
  await pass();
  const methods = writesOf(service).map((line) => line.split(" ")[0]);
  assert.deepEqual(methods, ["POST", "PATCH", "PUT"]);
  const { why, fields } = bookOf(await connect.read("a"))["lastWrite"] as JsonObject;
  assert.equal(why, "PATCH does not accept /color, so the whole object is sent");
  assert.deepEqual(fields, [
    { path: "/color", why: "wanted", before: "red", after: "blue" },
    { path: "/tags/x", why: "wanted", before: "2", after: "3" },
  ]);
});

it("speaks in forms to a service that takes nothing else", async () => {
  const mediaType = "application/x-www-form-urlencoded";
  await using connect = await openMemoryConnect({
    binding: {
      operations: {
        ...plainBinding.operations,
        create: { method: "POST", mediaType },
        replace: { method: "PUT", mediaType },
      },
    },
  });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", size: 3 });
  await pass();
  await connect.change("a", { spec: { size: 4 } });
  await pass();
  assert.equal(service.objects.get("/things/a")?.["size"], "4");
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  await pass(300_000);
  // A number that is shown as a text is the same.
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
});

it("speaks JSON Patch to a service that takes nothing else", async () => {
  const patch = { method: "PATCH", style: "json" } as const;
  const { read, create, delete: remove } = plainBinding.operations;
  await using connect = await openMemoryConnect({
    binding: { operations: { read, create, delete: remove, patch } as Binding["operations"] },
  });
  const { service, pass } = connect;
  service.interfere = ({ method, path, body, headers }) => {
    if (method !== "PATCH") return undefined;
    assert.equal(headers["content-type"], "application/json-patch+json");
    const next = applyJsonPatch(service.objects.get(path) ?? {}, parseJsonPatch(body ?? null));
    service.objects.set(path, next as JsonObject);
    return { status: 204 };
  };
  await connect.make("a", { name: "a", color: "red", note: "x", list: [1, 2, 3] });
  await pass();
  await connect.change("a", { spec: { color: null, note: "y", list: [1, 3] } });
  await pass();
  assert.deepEqual(service.objects.get("/things/a"), {
    name: "a",
    note: "y",
    list: [1, 3],
    id: "a",
  });
});

it("leaves to another what it owns, after setting it once", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", size: { capacity: 2 } }, { leave: ["/size/capacity"] });
  await pass();
  const stored = service.objects.get("/things/a") ?? {};
  service.objects.set("/things/a", { ...stored, size: { capacity: 9 } });
  await pass(200_000);
  await connect.change("a", { spec: { color: "red", size: { capacity: 3 } } });
  await pass();
  assert.deepEqual(service.objects.get("/things/a")?.["size"], { capacity: 9 });
  assert.equal(service.objects.get("/things/a")?.["color"], "red");
});

it("updates right after the creation what can only be updated", async () => {
  const fields = [
    ...plainBinding.fields,
    { path: "/late", class: "update-only", from: "override" } as const,
  ];
  await using connect = await openMemoryConnect({ binding: { fields } });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", late: 1 });
  await pass();
  assert.deepEqual(service.requests.find(({ method }) => method === "POST")?.body, { name: "a" });
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
  assert.equal(service.objects.get("/things/a")?.["late"], 1);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("reports what others change without touching it, where that is the policy", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red", size: 1 }, { drift: "report" });
  await pass();
  const stored = service.objects.get("/things/a") ?? {};
  service.objects.set("/things/a", { ...stored, color: "green" });
  await pass(200_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Drifted");
  assert.match(messageOf(await connect.read("a"), "Ready"), /\/color \("green" should be "red"\)/);
  const [drift] = bookOf(await connect.read("a"))["drift"] as readonly JsonObject[];
  assert.deepEqual(
    { ...drift, since: "" },
    { path: "/color", found: "green", wanted: "red", since: "" },
  );
  await connect.change("a", { spec: { size: 2 } });
  await pass();
  assert.equal(service.objects.get("/things/a")?.["color"], "green");
  assert.equal(service.objects.get("/things/a")?.["size"], 2);
});

it("learns that a PATCH replaces more than it is sent, and loses nothing by it", async () => {
  const patch = { method: "PATCH", style: "merge" } as const;
  await using connect = await openMemoryConnect({
    binding: { operations: { ...plainBinding.operations, patch } },
  });
  const { service, pass } = connect;
  service.interfere = ({ method, path, body }) => {
    if (method !== "PATCH") return undefined;
    service.objects.set(path, { ...service.objects.get(path), ...(body as JsonObject) });
    return { status: 200, body: service.objects.get(path) ?? {} };
  };
  await connect.make("a", { name: "a", labels: { a: "1" } });
  await pass(10_000);
  await connect.change("a", { spec: { labels: { b: "2" } } });
  await pass(20_000);
  assert.equal(conditionOf(await connect.read("a"), "Synced"), "True ReconcileSuccess");
  assert.deepEqual(service.objects.get("/things/a")?.["labels"], { a: "1", b: "2" });
  assert.deepEqual(bookOf(await connect.read("a"))["replaces"], ["/labels"]);
  const stored = service.objects.get("/things/a") ?? {};
  service.objects.set("/things/a", { ...stored, labels: { a: "1", b: "2", theirs: "x" } });
  await connect.change("a", { spec: { labels: { a: null, c: "3" } } });
  await pass(300_000);
  assert.deepEqual(service.objects.get("/things/a")?.["labels"], { b: "2", c: "3", theirs: "x" });
  const methods = writesOf(service).map((line) => line.split(" ")[0]);
  assert.deepEqual(methods, ["POST", "PATCH", "PATCH", "PATCH"]);
});

it("does not write on and on to a service that takes one field away for another", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  let isOdd = false;
  // Whatever is written, one of two fields is missing in turn.
  service.keep = ({ one, two, ...rest }) => {
    isOdd = !isOdd;
    return { ...rest, ...(isOdd ? { one: one ?? 1 } : { two: two ?? 2 }) };
  };
  await connect.make("a", { name: "a", one: 1, two: 2 });
  await pass(300_000);
  const found = await connect.read("a");
  assert.match(conditionOf(found, "Synced"), /^False (?:Unsteady|NotConverged)$/);
  const before = writesOf(service).length;
  await pass(600_000);
  const within = writesOf(service).length - before;
  assert.ok(within < 20, `${within} writes in ten minutes`);
});
