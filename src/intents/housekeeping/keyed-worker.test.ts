import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { keyedWorker } from "./keyed-worker.ts";

const never = (): never => {
  throw new Error("nothing may fail here");
};

test("a key that is added while its work runs is worked on once more", async () => {
  const timers = manualTimers(manualClock());
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const worker = keyedWorker({
    timers,
    onError: never,
    work: async (key) => {
      seen.push(key);
      if (seen.length === 1) await gate.promise;
      return undefined;
    },
  });
  worker.add("a");
  worker.add("a");
  worker.add("b");
  gate.resolve();
  await timers.advance(0);
  assert.deepEqual(seen, ["a", "b", "a"]);
  await worker[Symbol.asyncDispose]();
});

test("work that fails is tried again later, and later still", async () => {
  const timers = manualTimers(manualClock());
  const errors: unknown[] = [];
  let calls = 0;
  const worker = keyedWorker({
    timers,
    onError: (error) => errors.push(error),
    work: async () => {
      calls += 1;
      if (calls < 3) throw new Error("not yet");
      return undefined;
    },
  });
  worker.add("a");
  await timers.advance(0);
  assert.equal(calls, 1);
  await timers.advance(400);
  await timers.advance(0);
  assert.equal(calls, 2);
  await timers.advance(400);
  await timers.advance(0);
  assert.equal(calls, 2);
  await timers.advance(400);
  await timers.advance(0);
  assert.equal(calls, 3);
  assert.equal(errors.length, 2);
  await worker[Symbol.asyncDispose]();
});

test("nothing is begun after the end", async () => {
  let calls = 0;
  const timers = manualTimers(manualClock());
  const work = async (): Promise<number> => {
    calls += 1;
    return 10;
  };
  const worker = keyedWorker({ timers, onError: never, work });
  worker.add("a");
  await worker[Symbol.asyncDispose]();
  worker.add("b");
  await timers.advance(1_000);
  assert.equal(calls, 1);
});

test("a slow key does not hold up others, and only a few run at once", async () => {
  const timers = manualTimers(manualClock());
  const gate = Promise.withResolvers<void>();
  let most = 0;
  let now = 0;
  const seen = new Set<string>();
  const worker = keyedWorker({
    timers,
    onError: never,
    work: async (key) => {
      seen.add(key);
      most = Math.max(most, (now += 1));
      if (key === "slow") await gate.promise;
      await Promise.resolve();
      now -= 1;
      return undefined;
    },
  });
  worker.add("slow");
  for (let at = 0; at < 40; at++) worker.add(`key-${at}`);
  for (let at = 0; at < 10; at++) await timers.advance(0);
  assert.equal(seen.size, 41);
  assert.equal(most, 8);
  gate.resolve();
  await worker[Symbol.asyncDispose]();
});
