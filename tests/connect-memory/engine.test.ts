// What the engine promises of every reconciler, held for objects of a service: a lost lease, a
// protected resource, conditions that keep their time.
import assert from "node:assert/strict";
import { it } from "node:test";
import { annotations } from "../../src/kernel/annotations.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { bookOf, conditionOf, openMemoryConnect } from "./memory-connect.ts";
import { writesOf } from "./memory-service.ts";

it("discards what is answered after the lease was lost, and makes nothing twice", async () => {
  await using connect = await openMemoryConnect({ connection: { timeoutSeconds: 600 } });
  const { service, pass, memory } = connect;
  const late = Promise.withResolvers<void>();
  let isHeld = false;
  service.hold = ({ method }) => {
    if (method !== "POST") return undefined;
    isHeld = true;
    return late.promise;
  };
  const renew = memory.store.renew.bind(memory.store);
  memory.store.renew = () => Promise.reject(new Error("the store cannot be reached"));
  await connect.make("a", { name: "a", color: "red" });
  await pass();
  assert.equal(isHeld, true);
  assert.ok(bookOf(await connect.read("a"))["creating"], "what is begun is written down before");
  await pass(120_000);
  memory.store.renew = renew;
  await pass(120_000);
  const found = await connect.read("a");
  assert.equal(conditionOf(found, "Ready"), "True Available");
  assert.equal(bookOf(found)["id"], "a");
  late.resolve();
  await pass(10_000);
  // Neither the late answer nor the end of its run is written.
  const after = await connect.read("a");
  assert.equal(after?.metadata.resourceVersion, found?.metadata.resourceVersion);
  assert.deepEqual(writesOf(service), ["POST /things"]);
});

it("deletes nothing in the service while the resource is protected", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  await connect.make("a", { name: "a" });
  await pass();
  const protect = async (value: "true" | null): Promise<void> => {
    await connect.change("a", { metadata: { annotations: { [annotations.protected]: value } } });
  };
  await protect("true");
  await assert.rejects(connect.remove("a"), /deletion-protection/);
  await pass(60_000);
  assert.deepEqual(writesOf(service), ["POST /things"]);
  await protect(null);
  await connect.remove("a");
  await pass(60_000);
  assert.equal(service.objects.size, 0);
  assert.equal(await connect.read("a"), undefined);
});

it("keeps the time of a condition that stays, and the failure while it tries", async () => {
  await using connect = await openMemoryConnect();
  const { service, pass } = connect;
  const timeOf = (resource: Resource | undefined, type: string): string => {
    const found = objectsAt(resource, "status", "conditions").find((each) => each["type"] === type);
    return textAt(found, "lastTransitionTime");
  };
  await connect.make("a", { name: "a" });
  await pass(5_000);
  const first = await connect.read("a");
  const looks = service.log.length;
  await pass(600_000);
  assert.ok(service.log.length > looks, "it was looked at again");
  const later = await connect.read("a");
  for (const type of ["Ready", "Synced"]) {
    assert.equal(timeOf(later, type), timeOf(first, type), type);
  }

  service.interfere = () => ({ status: 500, body: { error: "not now" } });
  const tells = async (): Promise<Resource | undefined> => {
    const now = await connect.read("a");
    assert.equal(conditionOf(now, "Synced"), "False ServiceError");
    return now;
  };
  await pass(120_000);
  const failing = await tells();
  assert.notEqual(timeOf(failing, "Synced"), timeOf(later, "Synced"));
  const tries = service.log.length;
  for (let round = 0; round < 20; round++) {
    await pass(7_000);
    assert.equal(timeOf(await tells(), "Synced"), timeOf(failing, "Synced"));
  }
  assert.ok(service.log.length > tries, "it was tried again");
});
