import { test } from "node:test";
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { createFairness } from "./fairness.ts";
import type { Fairness, FairnessOptions } from "./fairness.ts";

const timers = manualTimers(manualClock());

function fairness(options: Partial<FairnessOptions> = {}): Fairness {
  return createFairness({ timers, maxInFlight: { read: 4, write: 4, long: 4 }, ...options });
}

async function waitFor(lane: Fairness, user: string, signal?: AbortSignal): Promise<void> {
  await lane.enter("read", user, signal);
}

const isOverloaded = (error: unknown): boolean =>
  isSetpointError(error, "request.overloaded") && error.details["retryAfterSeconds"] === 1;

test("while there is room, a request goes in at once", () => {
  const lane = fairness();
  for (const user of ["a", "b", "a", "a"]) equal(lane.enter("read", user), undefined);
  deepEqual(lane.counts("read"), { inFlight: 4, waiting: 0 });
  deepEqual(lane.counts("write"), { inFlight: 0, waiting: 0 });
});

test("one user never holds all places", () => {
  const lane = fairness();
  for (let i = 0; i < 3; i++) equal(lane.enter("write", "flood"), undefined);
  const fourth = lane.enter("write", "flood");
  ok(fourth instanceof Promise);
  equal(lane.enter("write", "other"), undefined, "the last place is for others");
  lane.leave("write", "flood");
  return fourth;
});

test("who waits takes turns by user, not by request", async () => {
  const lane = fairness({ maxInFlight: { read: 2 } });
  equal(lane.enter("read", "x"), undefined);
  equal(lane.enter("read", "y"), undefined);
  const order: string[] = [];
  const queued = ["flood", "flood", "flood", "late"].map(async (user) => {
    await lane.enter("read", user);
    order.push(user);
    lane.leave("read", user);
  });
  lane.leave("read", "x");
  await Promise.all(queued);
  deepEqual(order, ["flood", "late", "flood", "flood"]);
});

test("queues are bounded for each user and for all, and watches do not wait", async () => {
  const lane = fairness({ maxInFlight: { read: 1, long: 1 }, maxQueuedPerUser: 2, maxQueued: 3 });
  equal(lane.enter("read", "x"), undefined);
  const waiting = [waitFor(lane, "a"), waitFor(lane, "a")];
  throws(() => lane.enter("read", "a"), isOverloaded);
  waiting.push(waitFor(lane, "b"));
  throws(() => lane.enter("read", "c"), isOverloaded);
  equal(lane.enter("long", "x"), undefined);
  throws(() => lane.enter("long", "y"), isOverloaded);
  for (const user of ["x", "a", "b", "a"]) lane.leave("read", user);
  await Promise.all(waiting);
  deepEqual(lane.counts("read"), { inFlight: 0, waiting: 0 });
});

test("a wait ends after its time, and when the client goes away", async () => {
  const lane = fairness({ maxInFlight: { read: 1 }, maxWaitMs: 1_000 });
  equal(lane.enter("read", "x"), undefined);
  const late = rejects(waitFor(lane, "a"), isOverloaded);
  const client = new AbortController();
  const gone = rejects(waitFor(lane, "a", client.signal), isOverloaded);
  client.abort();
  await gone;
  deepEqual(lane.counts("read"), { inFlight: 1, waiting: 1 });
  await timers.advance(1_000);
  await late;
  deepEqual(lane.counts("read"), { inFlight: 1, waiting: 0 });
  equal(timers.pendingCount(), 0);
  lane.leave("read", "x");
  equal(lane.enter("read", "a"), undefined);
});

// Any sequence of arrivals and departures is played, with queues that fill faster than they empty.
// After each step the bounds must hold, no place may be free while somebody who may have it waits,
// and while a user below its share waits, every other user is let in from the queue at most once.
test("however one user floods, another is let in after one turn of each", async () => {
  const arrival = fc.constantFrom("flood", "flood", "flood", "a", "b", "c");
  const step = fc.oneof({ weight: 3, arbitrary: arrival }, { weight: 2, arbitrary: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
      const lane = fairness();
      const seen = new Observer();
      for (const each of steps) {
        const leaver = typeof each === "number" ? seen.inside[each] : undefined;
        if (typeof each === "string") seen.arrive(each, lane.enter("read", each));
        else if (leaver !== undefined) {
          seen.inside.splice(each, 1);
          lane.leave("read", leaver);
        }
        await timers.advance(0);
        deepEqual(seen.passedTwice, []);
        equal(lane.counts("read").inFlight, seen.inside.length);
        ok(seen.inside.length <= 4 && seen.queued.every((name) => seen.places(name) <= 3));
        const couldEnter = seen.queued.some((name) => seen.places(name) < 3);
        ok(seen.inside.length === 4 || !couldEnter, "a place is free while somebody waits for it");
      }
      await timers.advance(limits.maxRequestWaitMs);
      deepEqual(seen.queued, []);
    }),
    { numRuns: 100 },
  );
});

/** Sees requests come and go from outside, and who was let in while others waited. */
class Observer {
  readonly inside: string[] = [];
  readonly queued: string[] = [];
  readonly passedTwice: string[] = [];
  /** "who/whom" for each time that somebody was let in before somebody who could have been. */
  readonly #passed = new Set<string>();

  arrive(name: string, turn: Promise<void> | undefined): void {
    if (turn === undefined) {
      this.inside.push(name);
      return;
    }
    this.queued.push(name);
    turn.then(
      () => this.#admitted(name),
      () => this.queued.splice(this.queued.indexOf(name), 1),
    );
  }

  places(name: string): number {
    return this.inside.filter((each) => each === name).length;
  }

  #admitted(name: string): void {
    this.queued.splice(this.queued.indexOf(name), 1);
    this.inside.push(name);
    for (const pair of this.#passed) if (pair.endsWith(`/${name}`)) this.#passed.delete(pair);
    for (const other of ["flood", "a", "b", "c"]) {
      if (other === name) continue;
      const pair = `${name}/${other}`;
      if (!this.queued.includes(other) || this.places(other) >= 3) this.#passed.delete(pair);
      else if (this.#passed.has(pair)) this.passedTwice.push(pair);
      else this.#passed.add(pair);
    }
  }
}
