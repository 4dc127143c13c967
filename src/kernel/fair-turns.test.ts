import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FairTurns } from "./fair-turns.ts";

/** Turns of the event loop that the test starts itself; each step costs 1. */
function turnsOf(budget: number): { readonly turns: FairTurns; readonly next: () => boolean } {
  const planned: (() => void)[] = [];
  let reading = 0;
  const turns = new FairTurns({
    budget,
    later: (run) => void planned.push(run),
    clock: () => (reading += 1),
  });
  const next = (): boolean => {
    const run = planned.shift();
    run?.();
    return run !== undefined;
  };
  return { turns, next };
}

function countdown(name: string, steps: number, done: string[]): () => boolean {
  let left = steps;
  return () => {
    left -= 1;
    done.push(`${name}${left}`);
    return left > 0;
  };
}

describe("work in turns", () => {
  it("runs at once as long as the budget of the turn lasts", () => {
    const { turns, next } = turnsOf(2);
    const done: string[] = [];
    turns.add("a", countdown("a", 3, done));
    assert.deepEqual(done, ["a2", "a1"]);
    assert.equal(turns.isOpen, false);
    next();
    assert.deepEqual(done, ["a2", "a1", "a0"]);
    assert.equal(turns.isOpen, true);
    turns.add("a", countdown("b", 1, done));
    assert.deepEqual(done.at(-1), "b0");
  });

  it("delays another tenant by one step, however many tasks wait", () => {
    const { turns, next } = turnsOf(2);
    const done: string[] = [];
    for (let task = 0; task < 1_000; task++) turns.add("many", countdown(`m${task}-`, 2, done));
    turns.add("one", countdown("one-", 2, done));
    next();
    next();
    assert.deepEqual(done, ["m0-1", "m0-0", "m1-1", "one-1", "m1-0", "one-0"]);
  });

  it("finishes a task before the next one of the same tenant begins", () => {
    const { turns } = turnsOf(100);
    const done: string[] = [];
    turns.add("a", () => {
      turns.add("a", countdown("second", 2, done));
      turns.add("a", countdown("third", 1, done));
      return false;
    });
    assert.deepEqual(done, ["second1", "second0", "third0"]);
  });

  it("counts costs that tasks state themselves, and costs without a task", () => {
    const planned: (() => void)[] = [];
    const turns = new FairTurns({ budget: 10, later: (run) => void planned.push(run) });
    turns.spend(9);
    assert.equal(turns.isOpen, true);
    const handed: number[] = [];
    const hand = (bytes: number) => (): boolean => {
      handed.push(bytes);
      turns.spend(bytes);
      return false;
    };
    turns.add("a", hand(5));
    turns.add("a", hand(6));
    turns.add("b", hand(7));
    assert.deepEqual([handed, turns.isOpen, turns.waiting], [[5], false, 2]);
    planned.shift()?.();
    assert.deepEqual(handed, [5, 6, 7]);
    assert.equal(planned.length, 1);
  });

  it("plans one later turn at a time, and none when nothing was spent", () => {
    let planned = 0;
    const turns = new FairTurns({ budget: 1, later: () => (planned += 1) });
    turns.add("a", () => false);
    assert.equal(planned, 0);
    turns.spend(1);
    for (let task = 0; task < 5; task++) turns.add("a", () => false);
    assert.equal(planned, 1);
  });

  it("ends a task that throws, and continues with the others in the next turn", () => {
    const { turns, next } = turnsOf(10);
    const done: string[] = [];
    const broken = (): boolean => {
      turns.add("b", countdown("b", 1, done));
      throw new Error("broken");
    };
    assert.throws(() => turns.add("a", broken), /broken/);
    next();
    assert.deepEqual([done, turns.waiting], [["b0"], 0]);
  });
});
