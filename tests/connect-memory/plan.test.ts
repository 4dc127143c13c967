// What is told before it is done, and what is made of objects that exist.
import assert from "node:assert/strict";
import { it } from "node:test";
import { textAt } from "../../src/kernel/json-read.ts";
import { bookOf, conditionOf, openMemoryConnect, plainBinding } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

const secretFields = [
  ...plainBinding.fields,
  { path: "/password", class: "writable", isSecret: true, from: "override" } as const,
];

it("tells the request, the fields and the reason before a run, and changes nothing", async () => {
  await using connect = await openMemoryConnect({ binding: { fields: secretFields } });
  const { service, pass } = connect;
  const first = await connect.plan("a", {
    spec: { name: "a", color: "red", password: "hunter22" },
  });
  assert.deepEqual(first, {
    action: "create",
    message: "the object does not exist: GET /things/a: 404 Not Found",
    request: {
      method: "POST",
      path: "/things",
      body: { name: "a", color: "red", password: "[hidden]" },
    },
    changes: [
      { path: "/name", why: "wanted", after: "a" },
      { path: "/color", why: "wanted", after: "red" },
      { path: "/password", why: "wanted", after: "[hidden]" },
    ],
  });
  assert.deepEqual(writesOf(service), []);
  await connect.make("a", { name: "a", color: "red", password: "hunter22" });
  await pass();
  assert.equal((await connect.plan("a")).action, "nothing");
  const next = await connect.plan("a", {
    spec: { name: "a", color: "blue", password: "hunter22" },
  });
  assert.equal(next.action, "update");
  assert.deepEqual(next.changes, [{ path: "/color", why: "wanted", before: "red", after: "blue" }]);
  const { body, ...request } = next.request ?? {};
  assert.deepEqual(request, { method: "PUT", path: "/things/a" });
  assert.doesNotMatch(JSON.stringify([next, body]), /hunter22/);
  const stored = service.objects.get("/things/a") ?? {};
  service.objects.set("/things/a", { ...stored, color: "green" });
  assert.equal((await connect.plan("a")).changes?.[0]?.["why"], "drift");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("makes a spec of an object that exists, by which adopting it writes nothing", async () => {
  await using connect = await openMemoryConnect({
    binding: { identity: { kind: "server", field: "/id", parameter: "id" } },
  });
  const { service, pass } = connect;
  service.objects.set("/things/7", { id: "7", name: "old", tags: { a: "b" }, list: [1, { x: 2 }] });
  const found = await connect.plan("a", { connect: { id: "7" } });
  assert.deepEqual(found.object, { name: "old", tags: { a: "b" }, list: [1, { x: 2 }] });
  await connect.make("a", found.object ?? {}, { id: "7" });
  await pass(200_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), []);
  assert.equal((await connect.plan("b", { connect: { id: "8" } })).action, "refuse");
});

it("compares an object with a text of several megabytes", async () => {
  await using connect = await openMemoryConnect();
  const { service } = connect;
  const text = "x".repeat(7_000_000);
  service.objects.set("/things/a", { id: "a", name: "a", text });
  const plan = await connect.plan("a", {
    spec: { name: "a", text: "y" },
    connect: { adopt: "any" },
  });
  assert.equal(plan.action, "update");
  const [change] = plan.changes ?? [];
  assert.deepEqual([change?.["path"], change?.["after"]], ["/text", "y"]);
});

it("judges what it is asked about as if it were written", async () => {
  const properties = { size: { type: "integer" } };
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  await using connect = await openMemoryConnect({
    schema: { type: "object", required: ["size"], properties, ...open },
  });
  const { service, pass } = connect;
  const wrong = [
    [{ spec: { name: "a", size: "large" } }, /spec\.size: Invalid value/],
    [{ spec: "text" }, /spec: Invalid value|spec in body must be/],
    [{ spec: { size: 1 }, connect: { secrets: "all" } }, /connect\.secrets/],
    [{ spec: { size: 1 }, connect: { id: "1", adopt: "any" } }, /connect\.adopt/],
    [{ connect: { id: 7 } }, /connect\.id/],
    [{ connect: "text" }, /connect: Invalid value|connect in body must be/],
  ] as const;
  for (const [given, expected] of wrong) {
    await assert.rejects(connect.plan("a", given), (error: Error) => {
      assert.match(error.message, expected);
      return true;
    });
  }
  await connect.make("a", { name: "a", size: 1 });
  await pass();
  await assert.rejects(connect.plan("a", { spec: { size: "large" } }), /spec\.size/);
  assert.equal((await connect.plan("a", { spec: { name: "a", size: 2 } })).action, "update");
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("tells that a run would leave alone what is another's", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.objects.set("/things/b", { id: "b", name: "b", color: "green" });
  const spec = { name: "b", color: "red" };
  const found = await connect.plan("b", { spec });
  assert.equal(found.action, "refuse");
  assert.match(found.message, /already exists and was not created by this resource/);
  assert.equal((await connect.plan("b", { spec, connect: { adopt: "any" } })).action, "update");
  await connect.make("a", { name: "a" });
  await pass();
  const taken = await connect.plan("c", { spec, connect: { id: "a" } });
  assert.equal(taken.action, "refuse");
  assert.match(taken.message, /the resource a already manages the object \/things\/a/);
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("tells what a run would wait for", async () => {
  await using connect = await openMemoryConnect({ binding: { connection: "elsewhere" } });
  assert.deepEqual(await connect.plan("a", { spec: {} }), {
    action: "wait",
    message: "the Connection elsewhere does not exist",
  });
});

it("says of a paused resource that it waits, and what would be done then", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  const paused = { metadata: { annotations: { "setpoint.dev/paused": "true" } } };
  await connect.change("a", { ...paused, spec: { color: "blue" } });
  await pass();
  const { afterwards, ...now } = await connect.plan("a");
  assert.deepEqual(now, {
    action: "wait",
    message: "paused by the annotation setpoint.dev/paused: no request is sent until it is removed",
  });
  assert.equal(afterwards?.action, "update");
  assert.deepEqual(afterwards.request?.["method"], "PUT");
  // A document that is not stored yet pauses, too.
  await connect.change("a", { metadata: { annotations: { "setpoint.dev/paused": null } } });
  await pass();
  const planned = { metadata: { name: "a", ...paused.metadata }, spec: { name: "a", color: "x" } };
  assert.equal((await connect.plan("a", planned)).afterwards?.action, "update");
  // What cannot be looked at does not hide that it is paused.
  service.interfere = () => ({ status: 500 });
  const unseen = await connect.plan("a", planned);
  assert.match(unseen.message, /^paused/);
  assert.equal(unseen.afterwards?.action, "wait");
  assert.deepEqual(writesOf(service), ["POST /things", "PUT /things/a"]);
});

it("tells which request a deletion would send, and when it sends none", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.objects.set("/things/old", { id: "old", name: "old" });
  const hold = { metadata: { annotations: { "setpoint.dev/paused": "true" } } };
  const deleted = async (name: string): Promise<unknown> => {
    await pass();
    await connect.change(name, hold);
    await pass();
    await connect.remove(name);
    return (await connect.plan(name)).afterwards;
  };
  await connect.make("a", { name: "a" });
  assert.deepEqual(await deleted("a"), {
    action: "delete",
    message: "the resource is being deleted",
    request: { method: "DELETE", path: "/things/a" },
  });
  service.objects.delete("/things/a");
  assert.match(
    (await connect.plan("a")).afterwards?.message ?? "",
    /^being deleted; the object no longer exists/,
  );
  await connect.make("b", { name: "old" }, { id: "old" });
  const kept = { action: "nothing" };
  assert.partialDeepStrictEqual(await deleted("b"), kept);
  await connect.make("c", { name: "c" }, { manage: "keep" });
  assert.partialDeepStrictEqual(await deleted("c"), kept);
  const detached = { metadata: { annotations: { "setpoint.dev/policy": "detach-on-delete" } } };
  await connect.change("a", detached);
  assert.deepEqual((await connect.plan("a")).afterwards, {
    action: "nothing",
    message: "being deleted; the annotation setpoint.dev/policy keeps the object",
  });
  assert.deepEqual(writesOf(service), ["POST /things", "POST /things"]);
});

it("plans no write of what is only observed, and tells what differs", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.objects.set("/things/a", { id: "a", name: "a", color: "green" });
  await connect.make("a", { name: "a", color: "red" }, { manage: "observe" });
  await pass();
  const found = await connect.plan("a");
  assert.equal(found.action, "nothing");
  assert.equal(found.message, "it is only observed, so no request is sent");
  assert.partialDeepStrictEqual(found.drift, [{ path: "/color", before: "green", after: "red" }]);
  service.objects.delete("/things/a");
  const gone = await connect.plan("a");
  assert.equal(gone.action, "refuse");
  assert.match(gone.message, /^the object does not exist: GET .* 404 .*; it is only observed/);
  service.objects.set("/things/b", { id: "b", name: "b", color: "green" });
  const metadata = { annotations: { "setpoint.dev/policy": "skip" } };
  const skipped = await connect.plan("b", { metadata, spec: { name: "b", color: "red" } });
  assert.equal(skipped.action, "nothing");
});

it("does not call wanted what others changed and is left", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a", color: "red" }, { drift: "report" });
  await pass();
  service.objects.set("/things/a", { id: "a", name: "a", color: "green" });
  const found = await connect.plan("a");
  assert.equal(found.action, "nothing");
  assert.match(found.message, /except for changes by others, which are kept$/);
  assert.equal(found.drift?.length, 1);
});

it("names fields that the kind does not have, be the resource stored or not", async () => {
  await using connect = await openMemoryConnect({
    schema: { type: "object", properties: { name: { type: "string" } } },
  });
  const wrong = [
    [{ spec: { name: "a", nmae: "b" } }, /strict decoding error: unknown field "spec\.nmae"/],
    [{ spec: { name: "a" }, connect: { drfit: "report" } }, /unknown field "connect\.drfit"/],
    [{ connect: { id: "a", adpot: "any" } }, /unknown field "connect\.adpot"/],
  ] as const;
  for (const isStored of [false, true]) {
    if (isStored) await connect.make("a", { name: "a" });
    await connect.pass();
    for (const [given, expected] of wrong) {
      await assert.rejects(connect.plan("a", given), expected);
    }
  }
});

it("tells both requests of what is made anew, and afterwards why it was", async () => {
  const fixed = { path: "/size", class: "create-only", from: "override" } as const;
  await using connect = await openMemoryConnect({
    binding: { fields: [...plainBinding.fields, fixed] },
  });
  const { service, pass } = connect;
  await connect.make("a", { name: "a", size: 1 });
  await pass();
  const told = await connect.plan("a", {
    spec: { name: "a", size: 2 },
    connect: { replace: ["/size"] },
  });
  assert.equal(told.action, "replace");
  assert.deepEqual(told.request, { method: "DELETE", path: "/things/a" });
  assert.deepEqual(
    told.changes?.map(({ path, before, after }) => ({ path, before, after })),
    [{ path: "/size", before: 1, after: 2 }],
  );
  assert.equal(told.afterwards?.action, "create");
  const body = { name: "a", size: 2 };
  assert.deepEqual(told.afterwards?.request, { method: "POST", path: "/things", body });
  assert.deepEqual(writesOf(service), ["POST /things"]);

  await connect.change("a", { spec: { size: 2 }, connect: { replace: ["/size"] } });
  await pass(10_000);
  const { lastWrite, replacing } = bookOf(await connect.read("a"));
  assert.equal(textAt(lastWrite, "why"), "replaced: /size changed");
  assert.equal(replacing, undefined);
  assert.equal(service.objects.get("/things/a")?.["size"], 2);
});
