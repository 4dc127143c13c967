// Numbers that nobody keeps are right when somebody reads them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { create, cuttable, keyOf, newRig, widgets } from "../../../tests/engine/rig.ts";
import { startEngine } from "../engine.ts";
import { done } from "../outcome.ts";
import { metric } from "./metric-names.ts";

test("a run that is being written counts as such until it is, and no longer", async () => {
  const rig = newRig();
  const { view, cut, mend } = cuttable(rig.store);
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const numbers = new Map<string, number>();
  const meter = {
    count: () => undefined,
    observe: () => undefined,
    gauge: (name: string, value: number) => void numbers.set(name, value),
  };
  await create(rig.store, keyOf("a"));
  const engine = startEngine({ ...rig.portsOver(view), meter }, { owner: "one" });
  engine.add({
    kind: widgets,
    reconcile: async () => {
      await mayEnd;
      return done();
    },
  });
  await rig.timers.advance(10);
  cut();
  end();
  await rig.timers.advance(10);
  engine.measure();
  assert.equal(numbers.get(metric.settling), 1);
  mend();
  await rig.timers.advance(5_000);
  engine.measure();
  assert.equal(numbers.get(metric.settling), 0);
  await engine.stop();
});
