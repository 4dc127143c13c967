// Tasks of the leader: one process at a time, fenced, started again after a failure.
import assert from "node:assert/strict";
import { it } from "node:test";
import { newRig } from "../../../tests/engine/rig.ts";
import { systemCause } from "../../kernel/cause.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { ClaimRef, Put } from "../../store/port.ts";
import { startEngine } from "../engine.ts";
import type { LeaderTask } from "./leader-tasks.ts";
import { wakingCompanion } from "./waking-companion.ts";

async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}

function noted(name: string, leading: Set<string>): LeaderTask {
  return {
    name,
    lead: async (_claim, signal) => {
      leading.add(name);
      await untilAborted(signal);
      leading.delete(name);
    },
  };
}

const companions = [wakingCompanion];

it("a leader task runs in one process, and in another after the leader has stopped", async () => {
  const rig = newRig();
  const leading = new Set<string>();
  const one = startEngine(rig.ports, { owner: "one", companions });
  await using two = startEngine(rig.ports, { owner: "two", companions });
  one.lead(noted("one", leading));
  two.lead(noted("two", leading));
  await rig.timers.advance(5_000);
  assert.equal(leading.size, 1);
  await one.stop();
  await rig.timers.advance(30_000);
  assert.deepEqual([...leading], ["two"]);
});

it("a leader task that was ended does not run, and another one goes on", async () => {
  const rig = newRig();
  const leading = new Set<string>();
  await using engine = startEngine(rig.ports, { owner: "one", companions });
  const end = engine.lead(noted("first", leading));
  engine.lead(noted("second", leading));
  await rig.timers.advance(1_000);
  assert.equal(leading.size, 2);
  end();
  await rig.timers.advance(1_000);
  assert.deepEqual([...leading], ["second"]);
});

it("a leader task that fails is started again", async () => {
  const rig = newRig();
  let starts = 0;
  await using engine = startEngine(rig.ports, { owner: "one", companions });
  engine.lead({
    name: "failing",
    lead: async (_claim, signal) => {
      starts += 1;
      if (starts < 3) throw new Error("not yet");
      await untilAborted(signal);
    },
  });
  await rig.timers.advance(10_000);
  assert.equal(starts, 3);
});

it("the store refuses a write of a leader whose lease has ended", async () => {
  const rig = newRig();
  const held = Promise.withResolvers<ClaimRef>();
  await using engine = startEngine(rig.ports, { owner: "one", companions });
  engine.lead({
    name: "writing",
    lead: async (claim, signal) => {
      held.resolve(claim);
      await untilAborted(signal);
    },
  });
  await rig.timers.advance(1_000);
  const claim = await held.promise;
  const put: Put = {
    kind: "put",
    key: { kind: "notes.test", namespace: "", name: "a" },
    uid: "a",
    draft: { body: Buffer.from("{}"), terms: [], secrets: [] },
    when: { kind: "absent" },
    cause: systemCause,
    claim,
  };
  await engine.stop();
  const [answer] = await rig.store.commit([put]);
  assert.ok(answer?.kind === "refused" && isSetpointError(answer.error, "claim.lost"));
});
