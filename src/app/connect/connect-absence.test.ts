// An object that is not there: who reads the condition learns what to do about it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { conditionOf, messageOf, openMemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

it("says what to do where there is nothing to adopt", async () => {
  await using connect = await openMemoryConnect();
  await connect.make("a", { name: "a" }, { id: "7" });
  await connect.pass();
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "False ImportNotFound");
  assert.match(messageOf(found, "Ready"), /GET \/things\/7: 404 .*connect\.id names "7"/);
  assert.match(
    messageOf(found, "Ready"),
    /delete this resource, and apply it again with the right/,
  );
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
  assert.match(messageOf(reported, "Ready"), /set connect\.drift to "correct" to have it made/);
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
  assert.match(messageOf(found, "Ready"), /; it is only observed, and so never made$/);
});
