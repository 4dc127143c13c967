import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { limits } from "./limits.ts";
import { StepTurns } from "./step-turns.ts";

interface Work {
  readonly tenant: string;
  readonly steps: number;
  readonly stepMs: number;
  /** Steps of other work after which it arrives. */
  readonly arrivesAt?: number;
}

/** An event loop in which a step takes the time that the test gives it. */
class Loop {
  nowMs = 0;
  readonly rests: number[] = [];
  /** The tenant of each step. */
  order: string[] = [];
  #done = 0;
  readonly #later: (() => void)[] = [];
  readonly #turns = new StepTurns({
    nowMs: () => this.nowMs,
    later: (run) => this.#later.push(run),
    after: (ms, run) => {
      this.rests.push(ms);
      this.nowMs += ms;
      this.#later.push(run);
    },
  });

  /** The order of the steps, when all work is done. */
  async perform(works: readonly Work[]): Promise<readonly string[]> {
    this.order = [];
    const waiting = [...works];
    this.#done = 0;
    while (this.#done < works.length) {
      const at = waiting.findIndex(({ arrivesAt = 0 }) => arrivesAt <= this.order.length);
      const [work] = at < 0 ? [] : waiting.splice(at, 1);
      if (work !== undefined) {
        void this.#perform(work);
        continue;
      }
      this.#later.shift()?.();
      // The step that was admitted runs.
      await settled();
    }
    while (this.#later.length > 0) this.#later.shift()?.();
    return this.order;
  }

  async #perform({ tenant, steps, stepMs }: Work): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#turns.next(tenant);
      this.order.push(tenant);
      this.nowMs += stepMs;
    }
    this.#done += 1;
  }
}

function writesOf(tenant: string, count: number, stepMs = 20): readonly Work[] {
  return Array.from({ length: count }, () => ({ tenant, steps: 4, stepMs }));
}

function countOf(order: readonly string[], wanted: string): number {
  return order.filter((tenant) => tenant === wanted).length;
}

test("a line of large writes delays the write of another tenant by one step", async () => {
  const single = { tenant: "b", steps: 6, stepMs: 20, arrivesAt: 20 };
  const order = await new Loop().perform([...writesOf("a", 50), single]);
  assert.equal(order.length, 206);
  const meanwhile = order.slice(20, order.lastIndexOf("b"));
  assert.ok(countOf(meanwhile, "a") <= 1, meanwhile.join(""));
});

test("tenants that write all the time get equal time, however many writes each has", async () => {
  const order = await new Loop().perform([...writesOf("a", 40), ...writesOf("b", 10, 40)]);
  const first = order.slice(0, 90);
  const [a, b] = [countOf(first, "a") * 20, countOf(first, "b") * 40];
  assert.ok(Math.abs(a - b) <= 80, `${a} ms and ${b} ms`);
});

test("the time that a tenant has used for steps is forgotten", async () => {
  const loop = new Loop();
  await loop.perform(writesOf("a", 2));
  loop.nowMs += 20 * limits.stepShareHalfLifeMs;
  const order = await loop.perform([...writesOf("b", 1), ...writesOf("a", 1)]);
  assert.equal(order.join(""), "babababa");
});

test("after a step the event loop rests as long as the step took, within a bound", async () => {
  const loop = new Loop();
  const work = { steps: 1, stepMs: 30 };
  await loop.perform([
    { ...work, tenant: "a" },
    { ...work, tenant: "b", stepMs: 5_000 },
  ]);
  assert.deepEqual(loop.rests, [30, limits.maxStepRestMs]);
});
