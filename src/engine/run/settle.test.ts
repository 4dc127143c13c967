import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { anyObject } from "../../kernel/arbitraries.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { seededRandom } from "../../kernel/random.ts";
import type { Resource } from "../../kernel/resource.ts";
import { backoffMs, spreadMs } from "./backoff.ts";
import { again, done, failed, waiting } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Reconciler } from "../reconciler.ts";
import { settle, settleUntouched } from "./settle.ts";
import type { RunFacts, Settled } from "./settle.ts";
import { conditionsOf, textOf } from "./status.ts";

const startMs = Date.UTC(2026, 0, 1);
const plain: Reconciler = { kind: "widgets", reconcile: async () => done() };
const facts: RunFacts = {
  what: "reconcile",
  generation: 2,
  request: undefined,
  note: undefined,
  startedMs: startMs,
  tookMs: 7,
  worker: "one",
};

function widget(status: JsonObject): Resource {
  const metadata = { name: "a", uid: "u", generation: 2, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "Widget", metadata, status };
}

interface Case {
  readonly status?: JsonObject;
  readonly facts?: Partial<RunFacts>;
  readonly reconciler?: Partial<Reconciler>;
  readonly nowMs?: number;
}

function settled(outcome: Outcome, given: Case = {}): Settled {
  const { status = {}, nowMs = startMs } = given;
  const all = { ...facts, ...given.facts };
  const reconciler = { ...plain, ...given.reconciler };
  return settle(widget(status), outcome, all, reconciler, nowMs, seededRandom(1));
}

/** "Ready=True/Available Synced=True/ReconcileSuccess" */
function saidIn(status: JsonObject): string {
  return conditionsOf(status)
    .map(({ type, status: value, reason }) => `${type}=${value}/${reason}`)
    .join(" ");
}

function reconcileIn({ status }: Settled): JsonObject {
  const own = status["reconcile"];
  assert.ok(isJsonObject(own));
  return own;
}

describe("settling a run", () => {
  it("keeps apart whether it can be used and whether the loop worked", () => {
    const ready = "Ready=True/Available Synced=True/ReconcileSuccess";
    assert.equal(saidIn(settled(done()).status), ready);
    const building = settled(again(1_000, { reason: "Building" })).status;
    assert.equal(saidIn(building), "Ready=False/Building Synced=True/ReconcileSuccess");
    const blocked = settled(waiting({ kind: "k", name: "n" })).status;
    assert.equal(saidIn(blocked), "Ready=False/Waiting Synced=True/ReconcileSuccess");
    const broken = settled(failed("Broken", "it is")).status;
    assert.equal(saidIn(broken), "Ready=False/Broken Synced=False/Broken");
    const stillUsable = settled(failed("Broken", "it is"), { status: settled(done()).status });
    assert.equal(saidIn(stillUsable.status), "Ready=True/Available Synced=False/Broken");
  });

  it("gives no wait as the reason of what has failed since", () => {
    const blocked = settled(waiting({ kind: "k", name: "n" })).status;
    const broken = settled(failed("Broken", "it is"), { status: blocked });
    assert.equal(saidIn(broken.status), "Ready=False/Broken Synced=False/Broken");
    const refused = failed("CircuitOpen", "not now", { afterMs: 1_000, isCounted: false });
    assert.match(saidIn(settled(refused, { status: blocked }).status), /Ready=False\/Waiting/);
  });

  it("takes the word of an outcome that says itself whether the resource is ready", () => {
    const readiness = { status: "Unknown", reason: "Silent", message: "" } as const;
    assert.match(saidIn(settled(done({ ready: readiness })).status), /Ready=Unknown\/Silent/);
    const before = settled(done({ ready: readiness })).status;
    const kept = settled(again(1_000, { ready: "keep" }), { status: before });
    assert.match(saidIn(kept.status), /Ready=Unknown\/Silent/);
    const first = settled(again(1_000, { ready: "keep", reason: "Building" }));
    assert.match(saidIn(first.status), /Ready=False\/Building/);
  });

  it("says of a deletion that it is going on, whatever the outcome says", () => {
    const given = { facts: { what: "remove" as const } };
    for (const outcome of [again(1), waiting([]), failed("Stuck", "no")]) {
      assert.match(saidIn(settled(outcome, given).status), /Ready=False\/Deleting/);
    }
  });

  it("names the generation that was looked at, not the newest", () => {
    const { status } = settled(done(), { facts: { generation: 1 } });
    assert.equal(status["observedGeneration"], 1);
    for (const condition of conditionsOf(status)) assert.equal(condition.observedGeneration, 1);
  });

  it("merges what an outcome reports, but not into what is the engine's", () => {
    const lies = { observedGeneration: 99, reconcile: { attempts: 99 }, conditions: [] };
    const { status } = settled(done({ status: { ...lies, colour: "red", size: null } }), {
      status: { size: 3, reconcile: { externalId: "x-1" } },
    });
    assert.equal(status["colour"], "red");
    assert.equal("size" in status, false);
    assert.equal(status["observedGeneration"], 2);
    assert.partialDeepStrictEqual(status["reconcile"], { externalId: "x-1" });
    assert.match(saidIn(status), /Ready=True/);
  });

  it("keeps the conditions of the author beside its own", () => {
    const theirs = { type: "Backed", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const fake = { ...theirs, type: "Ready", status: "False" };
    const before = settled(done()).status;
    const { status } = settled(done({ status: { conditions: [theirs, fake] } }), {
      status: before,
    });
    assert.equal(
      saidIn(status),
      "Ready=True/Available Synced=True/ReconcileSuccess Backed=True/undefined",
    );
  });

  it("writes nothing new when the same is said later", () => {
    const outcomes = [
      done({ status: { colour: "red" } }),
      again(5_000, { reason: "Building" }),
      waiting({ kind: "k", name: "n" }),
    ];
    for (const outcome of outcomes) {
      const first = settled(outcome);
      assert.equal(first.isChanged, true);
      const later = { status: first.status, nowMs: startMs + 60_000, facts: { tookMs: 99 } };
      assert.equal(settled(outcome, later).isChanged, false);
    }
  });

  it("tells about the last run, but only together with something else", () => {
    const first = settled(done());
    const lastRun = {
      startedAt: "2026-01-01T00:00:00Z",
      tookMs: 7,
      outcome: "done",
      worker: "one",
    };
    assert.deepEqual(reconcileIn(first)["lastRun"], lastRun);
    const given = { status: first.status, facts: { worker: "two" } };
    assert.partialDeepStrictEqual(reconcileIn(settled(done(), given))["lastRun"], lastRun);
    const changed = settled(done({ status: { colour: "red" } }), given);
    assert.partialDeepStrictEqual(reconcileIn(changed)["lastRun"], { worker: "two" });
  });

  it("echoes the request that it dealt with", () => {
    const asked = settled(done(), { facts: { request: "token-1" } });
    assert.equal(reconcileIn(asked)["handledRequest"], "token-1");
    assert.equal("handledRequest" in reconcileIn(settled(done(), asked)), false);
  });

  it("says for whom it waits, and forgets it when it does not", () => {
    const on = { kind: "databases.example.com", name: "main", condition: "Ready" };
    const blocked = settled(waiting(on, { message: "no database" }));
    assert.deepEqual(reconcileIn(blocked)["waitingFor"], [on]);
    assert.equal("waitingFor" in reconcileIn(settled(done(), blocked)), false);
  });

  it("adds a note to what the loop says", () => {
    const given = { facts: { note: "the policy is odd" } };
    const messageIn = ({ status }: Settled): string | undefined =>
      conditionsOf(status).find(({ type }) => type === "Synced")?.message;
    assert.equal(messageIn(settled(done(), given)), "the policy is odd");
    assert.equal(messageIn(settled(failed("A", "b"), given)), "b; the policy is odd");
  });

  it("survives any status that somebody may have written", () => {
    const outcomes = fc.constantFrom<Outcome>(done(), again(1), waiting([]), failed("A", "b"));
    fc.assert(
      fc.property(anyObject, outcomes, (status, outcome) => {
        const first = settled(outcome, { status });
        if (outcome.kind === "failed") return;
        const second = settled(outcome, { status: first.status });
        assert.equal(second.isChanged, false);
      }),
    );
  });
});

describe("when to look again", () => {
  it("is after the time that the kind says, spread, or never", () => {
    const hour = 3_600_000;
    const usual = settled(done()).releaseAfterMs ?? 0;
    assert.ok(usual >= 9 * hour && usual <= 11 * hour, `${usual}`);
    assert.equal(settled(done(), { reconciler: { resyncMs: 0 } }).releaseAfterMs, undefined);
    assert.equal(settled(again(5_000)).releaseAfterMs, 5_000);
    const backstop = settled(waiting([])).releaseAfterMs ?? 0;
    assert.ok(backstop >= 540_000 && backstop <= 660_000);
  });

  it("doubles with each failure, per generation, and is shown", () => {
    let status: JsonObject = {};
    const delays: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const result = settled(failed("Broken", "it is"), { status });
      status = result.status;
      delays.push(result.releaseAfterMs ?? 0);
      assert.equal(reconcileIn(result)["attempts"], attempt);
      const next = textOf(reconcileIn(result)["nextAttempt"]) ?? "";
      assert.ok(Math.abs(Date.parse(next) - startMs - (result.releaseAfterMs ?? 0)) <= 1_000);
    }
    assert.ok((delays[0] ?? 0) <= 1_000 && (delays[3] ?? 0) >= 6_000 && (delays[3] ?? 0) <= 8_000);
    assert.ok((delays.at(-1) ?? 0) <= 300_000 && (delays.at(-1) ?? 0) >= 225_000);
    const edited = settled(failed("Broken", "it is"), { status, facts: { generation: 3 } });
    assert.equal(reconcileIn(edited)["attempts"], 1);
    assert.equal("attempts" in reconcileIn(settled(done(), { status })), false);
  });

  it("is what the outside asked for, where it did", () => {
    const limited = failed("TooMany", "slow down", { afterMs: 12_345, retry: "slow" });
    assert.equal(settled(limited).releaseAfterMs, 12_345);
  });

  it("is never after a fatal failure, but a deletion is always tried again", () => {
    const fatal = failed("Invalid", "no such size", { retry: "never" });
    const result = settled(fatal);
    assert.equal(result.releaseAfterMs, undefined);
    assert.equal(reconcileIn(result)["retry"], "never");
    assert.equal("nextAttempt" in reconcileIn(result), false);
    const removal = settled(fatal, { facts: { what: "remove" } });
    assert.ok((removal.releaseAfterMs ?? 0) >= 45_000);
    assert.equal(reconcileIn(removal)["retry"], "slow");
    assert.equal(reconcileIn(removal)["isFinal"], true, "but that it had no hope is told");
    const slow = failed("Later", "not now", { retry: "slow" });
    assert.equal("isFinal" in reconcileIn(settled(slow, { facts: { what: "remove" } })), false);
  });

  it("is a whole number whatever an author computed", () => {
    for (const afterMs of [Number.NaN, -5, 1.5, Infinity, 1e300]) {
      const delay = settled(again(afterMs)).releaseAfterMs ?? -1;
      assert.ok(Number.isSafeInteger(delay) && delay >= 0, `${afterMs} gave ${delay}`);
    }
  });

  it("stays within its bounds for any policy and any chance", () => {
    const policies = fc.record({
      soonFirstMs: fc.integer({ min: 1, max: 10_000 }),
      soonMostMs: fc.integer({ min: 10_000, max: 10_000_000 }),
    });
    fc.assert(
      fc.property(policies, fc.nat(10_000), fc.nat(), (policy, attempts, seed) => {
        const delay = backoffMs("soon", attempts, policy, seededRandom(seed));
        assert.ok(delay >= 1 && delay <= policy.soonMostMs && Number.isInteger(delay));
        const spread = spreadMs(1_000, seededRandom(seed));
        assert.ok(spread >= 900 && spread <= 1_100);
      }),
    );
  });
});

describe("a resource that was not run", () => {
  it("says why, once", () => {
    const why = { status: "False", reason: "ReconcilePaused", message: "paused" } as const;
    const first = settleUntouched(widget({ colour: "red" }), why, startMs);
    assert.equal(saidIn(first.status), "Synced=False/ReconcilePaused");
    assert.equal(first.status["colour"], "red");
    assert.equal(settleUntouched(widget(first.status), why, startMs + 99_000).isChanged, false);
  });
});

describe("what succeeded", () => {
  const first = { generation: 2, at: "2026-01-01T00:00:00Z" };

  it("is the generation that became ready, and when it first did", () => {
    const ready = settled(done());
    assert.deepEqual(reconcileIn(ready)["succeeded"], first);
    const again2 = settled(done(), { status: ready.status, nowMs: startMs + 60_000 });
    assert.equal(again2.isChanged, false);
    const next = settled(done(), { status: ready.status, facts: { generation: 3 } });
    assert.deepEqual(reconcileIn(next)["succeeded"], { ...first, generation: 3 });
  });

  it("stays when the resource degrades or changes, and is not claimed by what is not ready", () => {
    const { status } = settled(done());
    for (const outcome of [again(5), waiting([]), failed("Broken", "x")]) {
      assert.deepEqual(reconcileIn(settled(outcome, { status }))["succeeded"], first);
      const changed = settled(outcome, { status, facts: { generation: 3 } });
      assert.deepEqual(reconcileIn(changed)["succeeded"], first);
      assert.equal(reconcileIn(settled(outcome))["succeeded"], undefined);
    }
    const unready = { status: "False", reason: "Cold", message: "" } as const;
    assert.equal(reconcileIn(settled(done({ ready: unready })))["succeeded"], undefined);
  });

  it("is asked for anew by a request", () => {
    const { status } = settled(done());
    const request = "now";
    const broken = settled(failed("Broken", "x", { retry: "never" }), {
      status,
      facts: { request },
    });
    assert.equal(reconcileIn(broken)["succeeded"], undefined);
    const nowMs = startMs + 1_000;
    const fine = settled(done(), { status: broken.status, facts: { request }, nowMs });
    assert.deepEqual(reconcileIn(fine)["succeeded"], { ...first, at: "2026-01-01T00:00:01Z" });
    const odd = settled(done(), { status: { reconcile: { succeeded: null } } });
    assert.deepEqual(reconcileIn(odd)["succeeded"], first);
  });
});
