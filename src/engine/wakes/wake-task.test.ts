// Wakes from changes of resources that are not references.
import assert from "node:assert/strict";
import { it } from "node:test";
import { create, keyOf, newRig, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { startEngine } from "../engine.ts";
import type { Engine } from "../engine.ts";
import { done } from "../outcome.ts";
import { wakeTask } from "./wake-task.ts";
import { wakingCompanion } from "./waking-companion.ts";

const [a, b] = [keyOf("a"), keyOf("b")];

interface Started {
  readonly engine: Engine;
  readonly runs: string[];
  readonly wake: (...keys: readonly ResourceKey[]) => void;
  readonly follows: () => number;
}

async function started(rig: Rig, commit = rig.store.commit.bind(rig.store)): Promise<Started> {
  const runs: string[] = [];
  let follows = 0;
  let wake: (keys: Iterable<ResourceKey>) => void = () => undefined;
  const engine = startEngine(rig.ports, { owner: "one", companions: [wakingCompanion] });
  engine.add({
    kind: widgets,
    reconcile: async ({ metadata }) => {
      runs.push(metadata.name);
      return done();
    },
  });
  for (const key of [a, b]) await create(rig.store, key);
  await rig.timers.advance(120_000);
  runs.length = 0;
  engine.lead(
    wakeTask({
      name: "test",
      store: { commit },
      timers: rig.timers,
      follow: (wakeLater) => {
        follows += 1;
        wake = wakeLater;
        return () => {
          wake = () => undefined;
        };
      },
    }),
  );
  await rig.timers.advance(1_000);
  return { engine, runs, wake: (...keys) => wake(keys), follows: () => follows };
}

it("resources are woken together, each once, and one that does not exist is skipped", async () => {
  const rig = newRig();
  let commits = 0;
  const { engine, runs, wake } = await started(rig, async (...call) => {
    commits += 1;
    return await rig.store.commit(...call);
  });
  assert.deepEqual(runs, []);
  wake(a, b, keyOf("missing"));
  wake(a);
  await rig.timers.advance(1_000);
  assert.deepEqual(runs, ["a", "b"]);
  assert.equal(commits, 1);
  wake(b);
  await rig.timers.advance(1_000);
  assert.deepEqual(runs, ["a", "b", "b"]);
  await engine.stop();
});

it("a task whose wakes cannot be stored follows again from the beginning", async () => {
  const rig = newRig();
  let isBroken = true;
  const { engine, runs, wake, follows } = await started(rig, async (...call) => {
    if (isBroken) throw new SetpointError("store.unavailable", "the store is not available");
    return await rig.store.commit(...call);
  });
  wake(a);
  await rig.timers.advance(200);
  assert.equal(follows(), 1);
  isBroken = false;
  await rig.timers.advance(2_000);
  assert.equal(follows(), 2);
  wake(a);
  await rig.timers.advance(1_000);
  assert.deepEqual(runs, ["a"]);
  await engine.stop();
  wake(b);
  assert.deepEqual(runs, ["a"], "a task that has ended follows nothing");
});
