// An object that is not there: who reads the condition learns what to do about it.
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Binding } from "../../src/modules/connect/binding.ts";
import { conditionOf, messageOf, openMemoryConnect, plainBinding } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

it("says what to do where there is nothing to adopt", async () => {
  await using connect = await openMemoryConnect();
  await connect.make("a", { name: "a" }, { id: "7" });
  await connect.pass();
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "False ImportNotFound");
  assert.match(messageOf(found, "Ready"), /GET \/things\/7: 404 .*connect\.id is "7"/);
  assert.match(messageOf(found, "Ready"), /delete this resource and apply it again with the right/);
  assert.equal((await connect.plan("a")).message, messageOf(found, "Synced"));
});

it("says what to do where an object is gone and is not made anew", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  service.objects.set("/things/old", { id: "old", name: "old" });
  await connect.make("a", { name: "a" }, { drift: "report" });
  await connect.make("old", { name: "old" }, { id: "old" });
  await pass();
  service.objects.clear();
  await pass(200_000);
  const [reported, adopted] = [await connect.read("a"), await connect.read("old")];
  assert.equal(conditionOf(reported, "Ready"), "False ObjectGone");
  assert.match(messageOf(reported, "Ready"), /set connect\.drift to "correct" to create it/);
  assert.equal(conditionOf(adopted, "Ready"), "False ObjectGone");
  assert.match(messageOf(adopted, "Ready"), /apply it again without connect\.id/);
  // The advice is right.
  await connect.change("a", { connect: { drift: "correct" } });
  await connect.remove("old");
  await pass();
  await connect.make("old", { name: "old" });
  await pass();
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
  assert.equal(conditionOf(await connect.read("old"), "Ready"), "True Available");
  assert.deepEqual(writesOf(service), ["POST /things", "POST /things", "POST /things"]);
});

it("says of what is only observed that it is never made", async () => {
  await using connect = await openMemoryConnect();
  await connect.make("a", { name: "a" }, { manage: "observe" });
  await connect.pass();
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "False ObjectNotFound");
  assert.match(messageOf(found, "Ready"), /; it is only observed, so it is not created$/);
});

it("repeats a PUT of an object that is never shown once in a resync, and says so", async () => {
  const { read, replace, delete: remove } = plainBinding.operations;
  const create = { method: "PUT", path: "/things/{id}" } as const;
  const operations = { read, replace, create, delete: remove } as Binding["operations"];
  await using connect = await openMemoryConnect({ binding: { operations, resyncSeconds: 600 } });
  const { service, pass } = connect;
  service.interfere = ({ method }) => (method === "PUT" ? { status: 201 } : undefined);
  await connect.make("a", { name: "a" });
  await pass(60_000);
  const unshown = await connect.read("a");
  assert.equal(conditionOf(unshown, "Synced"), "False NotConverged");
  assert.match(messageOf(unshown, "Synced"), /confirmed the creation but does not return/);
  const looked = service.log.length;
  await pass(500_000);
  assert.equal(service.log.length, looked);
  await pass(3_000_000);
  assert.ok(writesOf(service).length <= 6, writesOf(service).join("; "));
  service.interfere = undefined;
  await pass(700_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});

it("looks ever more rarely at what does not get ready", async () => {
  const ready = "has(observed.state) && observed.state == 'up'";
  await using connect = await openMemoryConnect({ binding: { ready, resyncSeconds: 600 } });
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass(30_000);
  assert.ok(service.log.length >= 6, `${service.log.length}`);
  await pass(3_600_000);
  const before = service.log.length;
  await pass(600_000);
  assert.ok(service.log.length - before <= 11, `${service.log.length - before}`);
  // What was written just now may be ready soon.
  await connect.change("a", { spec: { color: "red" } });
  await pass(5_000);
  service.objects.set("/things/a", { name: "a", color: "red", id: "a", state: "up" });
  await pass(10_000);
  assert.equal(conditionOf(await connect.read("a"), "Ready"), "True Available");
});
