// Quotas of a service over HTTP: reserved once before an instance is placed, released once when it
// is removed, whatever fails in between.
import assert from "node:assert/strict";
import { it } from "node:test";
import { array, asyncProperty, assert as check, constantFrom, integer, record } from "fast-check";
import { textAt } from "../../src/kernel/json-read.ts";
import type { Fault } from "../peers/quota-ledger.ts";
import { instance, offeringAt } from "./memory-fleet.ts";
import { openQuotaFleet, quotaOf } from "./quota-fleet.ts";

const minuteMs = 60_000;

function fault(method: string, kind: Fault["kind"], count = 1): Fault {
  return { method, kind, count };
}

it("quota is reserved before an instance is placed and released when it is removed", async () => {
  await using quota = await openQuotaFleet();
  const { ledger, fleet } = quota;
  await quota.create("rex");
  await fleet.pass(10_000);
  assert.equal(await quota.phase("rex"), "ready");
  const { uid = "" } = (await quota.read("rex"))?.metadata ?? {};
  assert.deepEqual(Object.keys(ledger.state().reservations), [uid]);
  const { state, subscription } = await quotaOf(quota, "rex");
  assert.deepEqual([state, subscription], ["reserved", "sub-1"]);
  await quota.remove("rex");
  await fleet.pass(10_000);
  assert.equal(await quota.phase("rex"), "none");
  assert.deepEqual(ledger.log, [`PUT ${uid} 201`, `DELETE ${uid} 204`]);
});

it("a definite refusal fails the instance with its reason, and nothing is placed", async () => {
  await using quota = await openQuotaFleet();
  const { ledger, fleet } = quota;
  ledger.setLimits({ "acme/standard": 1 });
  await quota.create("rex");
  await fleet.pass(10_000);
  await quota.create("tina");
  await fleet.pass(10_000);
  assert.equal(await quota.phase("tina"), "failed");
  const found = await quota.read("tina");
  const reason = "the quota is used up: 1 of 1 units are in use";
  assert.equal(textAt(found?.status, "failedReason"), reason);
  assert.equal(textAt(found?.status, "placement", "cluster"), "");
  assert.equal(textAt(await quotaOf(quota, "tina"), "code"), "exceeded");
  ledger.setLimits({});
  await quota.create("otto");
  await fleet.pass(10_000);
  assert.match(textAt((await quota.read("otto"))?.status, "failedReason"), /there is no quota for/);
  for (const name of ["rex", "tina", "otto"]) await quota.remove(name);
  await fleet.pass(10_000);
  assert.equal(await quota.phase("tina"), "none", "an unknown reservation counts as released");
  assert.deepEqual(ledger.state().reservations, {});
});

it("a request whose answer was lost is repeated with the same key", async () => {
  await using quota = await openQuotaFleet();
  const { ledger, fleet } = quota;
  ledger.faults = [fault("PUT", "lose", 3), fault("DELETE", "lose", 3)];
  await quota.create("rex");
  await fleet.pass(minuteMs);
  assert.equal(await quota.phase("rex"), "ready");
  assert.equal(Object.keys(ledger.state().reservations).length, 1);
  await quota.remove("rex");
  await fleet.pass(minuteMs);
  assert.equal(await quota.phase("rex"), "none");
  assert.deepEqual(ledger.state().reservations, {});
});

it("an instance fails when the service cannot be asked for five minutes", async () => {
  await using quota = await openQuotaFleet();
  const { fleet } = quota;
  quota.isDown = true;
  await quota.create("rex");
  await fleet.pass(4 * minuteMs);
  assert.equal(await quota.phase("rex"), "", "it is accepted");
  await fleet.pass(12 * minuteMs);
  assert.equal(await quota.phase("rex"), "failed");
  const reason = textAt((await quota.read("rex"))?.status, "failedReason");
  assert.equal(reason, "the quota service could not be asked for 5 min");
});

it("an instance stays deleting until its quota is released", async () => {
  await using quota = await openQuotaFleet();
  const { fleet, ledger } = quota;
  await quota.create("rex");
  await fleet.pass(10_000);
  quota.isDown = true;
  await quota.remove("rex");
  await fleet.pass(60 * minuteMs);
  assert.equal(await quota.phase("rex"), "deleting");
  quota.isDown = false;
  await fleet.pass(10 * minuteMs);
  assert.equal(await quota.phase("rex"), "none");
  assert.deepEqual(ledger.state().reservations, {});
});

it("an instance releases its quota where it reserved it", async () => {
  await using quota = await openQuotaFleet();
  const { fleet, ledger } = quota;
  await quota.create("rex");
  await fleet.pass(10_000);
  await fleet.memory.patch(offeringAt(), { spec: { quota: { backend: "list" } } });
  await fleet.pass();
  await quota.remove("rex");
  await fleet.pass(10_000);
  assert.equal(await quota.phase("rex"), "none");
  assert.deepEqual(ledger.state().reservations, {});
});

it("an instance of a probe or of a type without quota asks no service", async () => {
  await using quota = await openQuotaFleet();
  await quota.create("probe", { isInternal: true });
  await quota.create("trial", { type: "eval" });
  await quota.fleet.pass(10_000);
  assert.equal(await quota.phase("probe"), "ready");
  assert.equal(await quota.phase("trial"), "ready");
  assert.deepEqual(quota.ledger.log, []);
});

it("a member gets the type that the quota service allows", async () => {
  await using quota = await openQuotaFleet();
  const alice = quota.fleet.as("alice");
  const rex = await alice.create(instance("rex"));
  assert.equal(textAt(rex.spec, "type"), "standard");
  assert.equal(textAt(rex.spec, "quotaBackend"), "http");
  quota.ledger.setLimits({});
  const tri = await alice.create(instance("tri"));
  assert.equal(textAt(tri.spec, "type"), "eval");
  assert.deepEqual(quota.ledger.log.slice(0, 2), ["POST /check 200", "POST /check 200"]);
});

it("a member without quota is refused where every type needs one", async () => {
  const types = [{ name: "standard", quota: "required" }];
  const regions = [{ id: "us-east-1", isDefault: true, types: [{ name: "standard" }] }];
  const providers = [{ id: "aws", isDefault: true, regions }];
  await using quota = await openQuotaFleet({ types, providers });
  quota.ledger.setLimits({ "acme/standard": 0 });
  const create = quota.fleet.as("alice").create(instance("rex"));
  await assert.rejects(create, {
    code: "fleet.quota_exceeded",
    message: /0 of 0 units are in use/,
  });
  quota.isDown = true;
  const later = quota.fleet.as("alice").create(instance("rex"));
  await assert.rejects(later, { code: "fleet.quota_unavailable" });
});

it("an outage leaves members the types without quota, if the Offering allows it", async () => {
  const http = { url: "http://quota.example/v1", onOutage: "withoutQuota" };
  await using quota = await openQuotaFleet({ quota: { backend: "http", http } });
  quota.isDown = true;
  const rex = await quota.fleet.as("alice").create(instance("rex"));
  assert.equal(textAt(rex.spec, "type"), "eval");
  await quota.fleet.pass(10_000);
  assert.equal(await quota.phase("rex"), "ready");
});

it("a quota service that fails is not asked by every request", async () => {
  await using quota = await openQuotaFleet();
  quota.ledger.faults = [fault("POST", "status", 100)];
  for (let at = 0; at < 20; at += 1) {
    await assert.rejects(quota.fleet.as("alice").create(instance(`rex-${at}`)));
  }
  assert.equal(quota.ledger.faults[0]?.count, 95, "five requests, then a pause");
  quota.ledger.faults = [];
  await quota.fleet.pass(5_000);
  await quota.fleet.as("alice").create(instance("rex"));
});

it("the author of an Offering must be able to read the Secret of its quota service", async () => {
  await using quota = await openQuotaFleet();
  const token = { namespace: "default", name: "quota", key: "token" };
  const patch = { spec: { quota: { http: { token } } } };
  await assert.rejects(
    quota.fleet.as("alice").patch(offeringAt(), patch),
    /spec\.quota\.http\.token: User "alice" cannot get the Secret "quota"/,
  );
});

it("a token is not sent to another URL by an author who may not read it", async () => {
  await using quota = await openQuotaFleet();
  const token = { namespace: "default", name: "quota", key: "token" };
  await quota.fleet.memory.patch(offeringAt(), { spec: { quota: { http: { token } } } });
  const alice = quota.fleet.as("alice");
  await assert.rejects(
    alice.patch(offeringAt(), { spec: { quota: { http: { url: "https://other.example" } } } }),
    /spec\.quota\.http\.token: User "alice" cannot get the Secret "quota"/,
  );
  await alice.patch(offeringAt(), { spec: { displayName: "Dinosaurs" } });
});

/** What happens to instance number `at`: see below. */
const event = record({
  action: constantFrom("create", "remove", "restart", "down", "up", "pass"),
  at: integer({ min: 0, max: 3 }),
  fault: constantFrom<Fault["kind"] | "none">("none", "none", "lose", "drop", "status"),
  method: constantFrom("PUT", "DELETE"),
  ms: integer({ min: 0, max: 30_000 }),
});

it("no unit leaks and none is reserved twice, wherever processes and requests fail", async () => {
  await check(
    asyncProperty(array(event, { minLength: 5, maxLength: 25 }), async (events) => {
      await using quota = await openQuotaFleet();
      const { fleet, ledger } = quota;
      for (const { action, at, fault: kind, method, ms } of events) {
        const name = `rex-${at}`;
        if (kind !== "none") ledger.faults.push(fault(method, kind));
        const isThere = (await quota.read(name)) !== undefined;
        if (action === "create" && !isThere) await quota.create(name);
        if (action === "remove" && isThere) await quota.remove(name);
        if (action === "down" || action === "up") quota.isDown = action === "down";
        if (action === "restart") await fleet.restart();
        await fleet.pass(ms);
        const { reservations } = ledger.state();
        assert.ok(Object.keys(reservations).length <= 5);
      }
      quota.isDown = false;
      ledger.faults = [];
      await fleet.pass(20 * minuteMs);
      const names = [0, 1, 2, 3].map((at) => `rex-${at}`);
      const held = new Set(Object.keys(ledger.state().reservations));
      for (const name of names) {
        const found = await quota.read(name);
        const hasUnit = held.delete(found?.metadata.uid ?? "");
        assert.ok(hasUnit || (await quota.phase(name)) !== "ready", `${name} has its unit`);
        if (found !== undefined) await quota.remove(name);
      }
      assert.deepEqual([...held], [], "units without an instance");
      await fleet.pass(20 * minuteMs);
      assert.deepEqual(ledger.state().reservations, {});
      const reserved = ledger.log.filter((line) => line.endsWith(" 201"));
      assert.equal(new Set(reserved).size, reserved.length, "a key was reserved twice");
    }),
    { numRuns: 12 },
  );
});
