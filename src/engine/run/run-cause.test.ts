// The cause of what a run writes, over the model of the store.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  create,
  edited,
  keyOf,
  newRig,
  read,
  plainDraft,
  widgets,
} from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import type { Cause } from "../../kernel/cause.ts";
import { isTraceId } from "../../kernel/trace-context.ts";
import { startEngine } from "../engine.ts";
import { again, done } from "../outcome.ts";

const traceId = "a".repeat(32);
const correlationId = "order-7";
const jane: Cause = { actor: "jane", surface: "kube", traceId, correlationId };

async function causes({ store }: Rig): Promise<readonly (Cause | undefined)[]> {
  return (await store.history(keyOf("a"))).toReversed().map(({ cause }) => cause);
}

/** A change of the spec, as the write path commits it for a request. */
async function changeAs(rig: Rig, cause: Cause, size: number): Promise<void> {
  const old = await read(rig.store, keyOf("a"));
  const record = await rig.store.get(keyOf("a"));
  assert(old !== undefined && record !== undefined);
  const { uid, revision } = record;
  const draft = plainDraft(edited(old, { size }));
  const due = { kind: "wake", afterMs: 0 } as const;
  const when = { kind: "revision", revision } as const;
  await rig.store.commit([{ kind: "put", key: keyOf("a"), uid, draft, when, due, cause }]);
}

test("a run records the engine, and trace and correlation id of its write", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  engine.add({ kind: widgets, reconcile: async () => done({ status: { colour: "red" } }) });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  const [, own] = await causes(rig);
  assert.deepEqual([own?.actor, own?.surface], ["system:setpoint:engine", "engine"]);
  assert(isTraceId(own?.traceId), "a write without a trace begins one at the run");

  await changeAs(rig, jane, 2);
  await rig.timers.advance(10);
  const reports = (await causes(rig)).slice(3);
  assert(reports.length > 0);
  for (const cause of reports) assert.deepEqual(cause, { ...own, traceId, correlationId });
});

test("a run that repeats itself stays in the trace until it succeeds, and not longer", async () => {
  const rig = newRig();
  await using engine = startEngine(rig.ports, { owner: "one" });
  let runs = 0;
  const reconcile = async () => {
    runs += 1;
    const status = { runs };
    return runs < 4 ? again(1_000, { status }) : done({ status });
  };
  engine.add({ kind: widgets, reconcile, resyncMs: 60_000 });
  await create(rig.store, keyOf("a"));
  await rig.timers.advance(10);
  await changeAs(rig, jane, 2);
  await rig.timers.advance(10_000);
  assert(runs >= 4);
  const before = await causes(rig);
  const sinceChange = before.slice(before.findIndex((cause) => cause?.actor === "jane"));
  assert(sinceChange.length > 2);
  for (const cause of sinceChange) {
    assert.equal(cause?.traceId, traceId);
    assert.equal(cause?.correlationId, correlationId);
  }
  await rig.timers.advance(200_000);
  const later = (await causes(rig)).slice(before.length);
  assert(later.length > 0, "a resync has changed the status");
  for (const cause of later) {
    assert.notEqual(cause?.traceId, traceId);
    assert.equal(cause?.correlationId, undefined);
  }
});
