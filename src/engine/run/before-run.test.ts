// What people write at the very moment when the engine takes hold of a resource.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated, change, create, deleted, keyOf, newRig } from "../../../tests/engine/rig.ts";
import { read, widgets } from "../../../tests/engine/rig.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Store } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import { annotations, finalizer } from "../names.ts";
import { done } from "../outcome.ts";

interface Told {
  readonly runs: readonly string[];
  readonly after: Resource | undefined;
}

/**
 * Lets somebody write just before the first commit of the engine, which adds the finalizer. Its
 * answer may be late, and no lease is renewed.
 */
async function meanwhile(edit: (resource: Resource) => Resource, answerMs = 0): Promise<Told> {
  const rig = newRig();
  let isFirst = true;
  const store: Store = Object.assign(Object.create(rig.store) as Store, {
    commit: async (...given: Parameters<Store["commit"]>) => {
      if (isFirst) {
        isFirst = false;
        await change(rig.store, keyOf("a"), edit);
        const answers = await rig.store.commit(...given);
        if (answerMs > 0) await rig.timers.sleep(answerMs);
        return answers;
      }
      return await rig.store.commit(...given);
    },
    renew: async () => await Promise.reject(new SetpointError("store.unavailable", "not now")),
    claim: async (...given: Parameters<Store["claim"]>) => await rig.store.claim(...given),
    getMany: async (...given: Parameters<Store["getMany"]>) => await rig.store.getMany(...given),
    get: async (...given: Parameters<Store["get"]>) => await rig.store.get(...given),
    nextDue: async (...given: Parameters<Store["nextDue"]>) => await rig.store.nextDue(...given),
    workTick: () => rig.store.workTick(),
    recentCause: (revision: number) => rig.store.recentCause(revision),
    workArrived: async (...given: Parameters<Store["workArrived"]>) =>
      await rig.store.workArrived(...given),
  });
  await create(rig.store, keyOf("a"));
  await using engine = startEngine(rig.portsOver(store), { owner: "one", leaseMs: 10_000 });
  const runs: string[] = [];
  engine.add({
    kind: widgets,
    reconcile: async (_, { signal }) => {
      runs.push(signal.aborted ? "reconcile in vain" : "reconcile");
      return await Promise.resolve(done());
    },
    remove: async () => {
      runs.push("remove");
      return await Promise.resolve(done());
    },
  });
  await rig.timers.advance(5_000 + 2 * answerMs);
  return { runs, after: await read(rig.store, keyOf("a")) };
}

test("a resource that is paused just then is neither held nor run", async () => {
  const { runs, after } = await meanwhile((old) => annotated(old, annotations.paused, "true"));
  assert.deepEqual(runs, []);
  assert.deepEqual(after?.metadata.finalizers, undefined);
});

test("a resource that is not to be touched from now on is not", async () => {
  const { runs } = await meanwhile((old) => annotated(old, annotations.policy, "skip"));
  assert.deepEqual(runs, []);
});

test("a resource that others hold and that is deleted just then is not held", async () => {
  const { runs, after } = await meanwhile((old) => {
    const marked = deleted(old);
    return { ...marked, metadata: { ...marked.metadata, finalizers: ["example.com/other"] } };
  });
  assert.deepEqual(runs, []);
  assert.deepEqual(after?.metadata.finalizers, ["example.com/other"]);
});

test("a resource that is changed in some other way is held, run, and looked at again", async () => {
  const { runs, after } = await meanwhile((old) => annotated(old, "example.com/note", "hello"));
  assert.deepEqual(runs, ["reconcile", "reconcile"]);
  assert.deepEqual(after?.metadata.finalizers, [finalizer]);
});

test("a run whose lease has ended by then does not begin", async () => {
  const { runs, after } = await meanwhile((old) => old, 20_000);
  assert.ok(runs.length > 0 && runs.every((run) => run === "reconcile"), runs.join());
  assert.deepEqual(after?.metadata.finalizers, [finalizer]);
});
