import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { manualClock } from "../kernel/clock.ts";
import { seededIds } from "../kernel/ids.ts";
import { limits } from "../kernel/limits.ts";
import { seededRandom } from "../kernel/random.ts";
import { ModelStore } from "../store/contract/model.ts";
import { removeOldOutcomes } from "../intents/idempotency/outcome-expiry.ts";
import { beginKeyed, outcomeKind } from "../intents/idempotency/outcome-records.ts";
import type { Begun, RunningRecord } from "../intents/idempotency/outcome-records.ts";

const cause = { actor: "jane", surface: "rest" };
const request = {
  user: "jane",
  key: "k1",
  fingerprint: "POST /a 1",
  isConditional: true,
  cause,
};

function rig() {
  const clock = manualClock();
  const store = new ModelStore(clock);
  return { clock, store, ids: seededIds(seededRandom(1)) };
}

function running(begun: Begun): RunningRecord {
  assert.equal(begun.kind, "run");
  if (begun.kind !== "run") throw new Error("unreachable");
  return begun.record;
}

describe("the outcome of an idempotent request", () => {
  it("is returned for a repeat", async () => {
    const ports = rig();
    await running(await beginKeyed(ports, request)).finish({ status: 200 });
    const repeat = await beginKeyed(ports, request);
    assert.deepEqual(repeat, { kind: "replay", outcome: { status: 200 } });
  });

  it("refuses the same key for another request", async () => {
    const ports = rig();
    await running(await beginKeyed(ports, request)).finish({ status: 200 });
    const other = { ...request, fingerprint: "POST /a 2" };
    await assert.rejects(beginKeyed(ports, other), { code: "idempotency.mismatch" });
  });

  it("belongs to its user", async () => {
    const ports = rig();
    await running(await beginKeyed(ports, request)).finish({ status: 200 });
    const other = await beginKeyed(ports, { ...request, user: "joe", fingerprint: "POST /b" });
    assert.equal(other.kind, "run");
  });

  it("is in progress until the request ends or its lease is over", async () => {
    const ports = rig();
    const first = running(await beginKeyed(ports, request));
    await assert.rejects(beginKeyed(ports, request), { code: "idempotency.in_progress" });
    ports.clock.advanceMs(limits.idempotencyLeaseMs);
    const second = running(await beginKeyed(ports, request));
    // The first run comes too late to change the record of the second.
    await first.finish({ status: 500 });
    await second.finish({ status: 200 });
    const repeat = await beginKeyed(ports, request);
    assert.deepEqual(repeat, { kind: "replay", outcome: { status: 200 } });
  });

  it("is unknown after the lease for a request that a second run could undo", async () => {
    const ports = rig();
    const unconditional = { ...request, isConditional: false };
    await beginKeyed(ports, unconditional);
    ports.clock.advanceMs(limits.idempotencyLeaseMs);
    const repeat = beginKeyed(ports, unconditional);
    await assert.rejects(repeat, { code: "idempotency.outcome_unknown" });
  });

  it("of two requests at the same time one runs", async () => {
    const ports = rig();
    const results = await Promise.allSettled([
      beginKeyed(ports, request),
      beginKeyed(ports, request),
    ]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  });

  it("runs again after it was abandoned", async () => {
    const ports = rig();
    await running(await beginKeyed(ports, request)).abandon();
    assert.equal((await beginKeyed(ports, request)).kind, "run");
  });

  it("is removed after its time", async () => {
    const ports = rig();
    await running(await beginKeyed(ports, request)).finish({ status: 200 });
    assert.equal(await removeOldOutcomes(ports), 0);
    ports.clock.advanceMs(limits.idempotencyTtlMs);
    const again = await beginKeyed(ports, { ...request, fingerprint: "POST /b" });
    assert.equal(again.kind, "run");
    ports.clock.advanceMs(limits.idempotencyTtlMs);
    assert.equal(await removeOldOutcomes(ports), 1);
    assert.equal((await ports.store.list({ kind: outcomeKind })).records.length, 0);
  });
});
