import assert from "node:assert/strict";
import { it } from "node:test";
import * as fc from "fast-check";
import { Bulkhead } from "./bulkhead.ts";

const policy = { calls: 16, queue: 64 };

it("one namespace leaves half of both rooms to the others", () => {
  const bulkhead = new Bulkhead<number>(policy);
  const answers = Array.from({ length: 100 }, (_, at) => bulkhead.enter("a", at));
  assert.equal(answers.filter((answer) => answer === "inside").length, 8);
  assert.equal(answers.filter((answer) => answer === "waiting").length, 32);
  for (const namespace of ["b", "c", "d", "e"]) {
    assert.equal(bulkhead.enter(namespace, 0), "inside", namespace);
  }
});

it("lets those of one namespace in as they came", () => {
  const bulkhead = new Bulkhead<number>({ calls: 1, queue: 64 });
  for (let at = 0; at < 5; at++) bulkhead.enter("a", at);
  const entered = [1, 2, 3, 4].flatMap(() => bulkhead.leave("a"));
  assert.deepEqual(entered, [1, 2, 3, 4]);
});

it("namespaces take turns when there is one place", () => {
  const bulkhead = new Bulkhead<string>({ calls: 1, queue: 64 });
  for (let at = 0; at < 9; at++) bulkhead.enter("a", `a${at}`);
  for (let at = 0; at < 3; at++) bulkhead.enter("b", `b${at}`);
  const order: string[] = [];
  let inside = "a";
  for (let at = 0; at < 6; at++) {
    const [next = ""] = bulkhead.leave(inside);
    order.push(next);
    inside = next.slice(0, 1);
  }
  assert.deepEqual(
    order.map((each) => each.slice(0, 1)),
    ["a", "b", "a", "b", "a", "b"],
  );
});

it("who gave up is not let in", () => {
  const bulkhead = new Bulkhead<string>({ calls: 1, queue: 4 });
  bulkhead.enter("a", "first");
  bulkhead.enter("a", "second");
  bulkhead.giveUp("a", "second");
  bulkhead.giveUp("a", "second");
  assert.deepEqual(bulkhead.leave("a"), []);
  assert.deepEqual([bulkhead.inside, bulkhead.waiting], [0, 0]);
});

it("is never fuller than allowed, never idle with somebody who may enter, and empties", () => {
  const action = fc.record({
    do: fc.constantFrom("enter", "enter", "leave", "giveUp"),
    namespace: fc.constantFrom("a", "b", "c"),
    calls: fc.nat(),
  });
  const shape = fc.record({
    calls: fc.integer({ min: 1, max: 6 }),
    queue: fc.integer({ min: 0, max: 8 }),
    actions: fc.array(action, { maxLength: 150 }),
  });
  fc.assert(
    fc.property(shape, ({ calls, queue, actions }) => {
      const bulkhead = new Bulkhead<Waiter>({ calls, queue });
      const inside: Waiter[] = [];
      const waiting = new Set<Waiter>();
      const leave = (waiter: Waiter): void => {
        inside.splice(inside.indexOf(waiter), 1);
        for (const entered of bulkhead.leave(waiter.namespace)) {
          assert.ok(waiting.delete(entered), "only who waits is let in");
          inside.push(entered);
        }
      };
      for (const { do: what, namespace } of actions) {
        const waiter: Waiter = { namespace };
        const mine = inside.find((each) => each.namespace === namespace);
        const first = [...waiting].find((each) => each.namespace === namespace);
        if (what === "enter") {
          const where = bulkhead.enter(namespace, waiter);
          if (where === "inside") inside.push(waiter);
          if (where === "waiting") waiting.add(waiter);
        } else if (what === "leave" && mine !== undefined) leave(mine);
        else if (what === "giveUp" && first !== undefined) {
          bulkhead.giveUp(namespace, first);
          waiting.delete(first);
        }
        assert.deepEqual([bulkhead.inside, bulkhead.waiting], [inside.length, waiting.size]);
        assert.ok(inside.length <= calls && waiting.size <= queue);
        for (const { namespace: waits } of waiting) {
          const held = inside.filter((each) => each.namespace === waits).length;
          assert.ok(held >= calls - inside.length, "whoever may enter has entered");
        }
      }
      for (let [next] = inside; next !== undefined; [next] = inside) leave(next);
      assert.deepEqual([bulkhead.inside, bulkhead.waiting], [0, 0]);
    }),
  );
});

interface Waiter {
  readonly namespace: string;
}
