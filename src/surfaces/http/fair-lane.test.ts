import { test } from "node:test";
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import * as fc from "fast-check";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { FairLane } from "./fair-lane.ts";
import type { FairLaneOptions } from "./fair-lane.ts";

const timers = manualTimers(manualClock());

function laneOf(options: Partial<FairLaneOptions> = {}): FairLane {
  return new FairLane({
    timers,
    capacity: 4,
    shareOf: () => 3,
    least: 1,
    maxQueued: 2_000,
    maxQueuedPerTenant: 50,
    maxWaitMs: limits.maxRequestWaitMs,
    ...options,
  });
}

const isOverloaded = (error: unknown): boolean =>
  isSetpointError(error, "request.overloaded") && error.details["retryAfterSeconds"] === 1;

/** Enters until the lane refuses or makes the tenant wait. */
function fill(lane: FairLane, tenant: string): number {
  const before = lane.heldBy(tenant);
  for (;;) {
    try {
      const waiting = lane.enter(tenant);
      if (waiting === undefined) continue;
      waiting.catch(() => undefined);
    } catch (error) {
      ok(isOverloaded(error));
    }
    return lane.heldBy(tenant) - before;
  }
}

test("while there is room, a request enters at once", () => {
  const lane = laneOf();
  for (const tenant of ["a", "b", "a", "c"]) equal(lane.enter(tenant), undefined);
  deepEqual(lane.counts(), { held: 4, waiting: 0 });
});

test("tenants that anyone can multiply hold at most their common bound together", async () => {
  const isMany = (tenant: string): boolean => tenant.startsWith("address");
  const lane = laneOf({ capacity: 16, common: { includes: isMany, most: 2 } });
  equal(lane.enter("address 1"), undefined);
  equal(lane.enter("address 2"), undefined);
  const third = lane.enter("address 3");
  ok(third instanceof Promise);
  equal(lane.enter("a user"), undefined, "the bound is not for others");
  lane.leave("address 1");
  await third;
  deepEqual(lane.counts(), { held: 3, waiting: 0 });
});

test("one tenant never holds all places", () => {
  const lane = laneOf();
  for (let i = 0; i < 3; i++) equal(lane.enter("flood"), undefined);
  const fourth = lane.enter("flood");
  ok(fourth instanceof Promise);
  equal(lane.enter("other"), undefined, "the last place is for other tenants");
  lane.leave("other");
  lane.leave("flood");
  return fourth;
});

test("any number of tenants that take all they can leave a place for the next tenant", () => {
  const lane = laneOf({ capacity: 10_000, shareOf: () => 1, maxQueued: 0 });
  equal(fill(lane, "tenant 0"), 5_000);
  for (let at = 1; at < 12; at++) ok(fill(lane, `tenant ${at}`) > 0, `tenant ${at}`);
  equal(lane.enter("newcomer"), undefined);
});

test("what a tenant may hold falls while other tenants hold more", () => {
  const lane = laneOf({ capacity: 100, shareOf: () => 1, maxQueued: 0 });
  equal(fill(lane, "a"), 50);
  equal(fill(lane, "b"), 25);
  for (let i = 0; i < 30; i++) lane.leave("a");
  ok(fill(lane, "b") > 0, "b may hold more than before");
  throws(() => lane.enter("b"), isOverloaded);
  equal(lane.enter("c"), undefined);
});

test("a tenant with a small share holds a small part, and its least amount in any case", () => {
  const shareOf = (tenant: string): number => (tenant === "small" ? 1 / 16 : 1);
  const wide = laneOf({ capacity: 200, shareOf, maxQueued: 0 });
  equal(fill(wide, "small"), 11);
  const narrow = laneOf({ capacity: 4, shareOf, maxQueued: 0 });
  equal(fill(narrow, "small"), 1);
});

test("a large amount waits until it fits, and its tenant holds no more", async () => {
  const lane = laneOf({ capacity: 512, shareOf: () => 1, least: 32 });
  equal(lane.enter("a", 200), undefined);
  throws(() => lane.grow("a", 200), isOverloaded);
  const more = lane.enter("a", 200);
  ok(more instanceof Promise);
  equal(lane.enter("b", 100), undefined);
  lane.leave("a", 200);
  await more;
  equal(lane.heldBy("a"), 200);
  equal(lane.add("a", 300), false, "what exists is counted, and reported as too much");
  equal(lane.heldBy("a"), 500);
});

test("tenants that wait take turns, whatever the number of their requests", async () => {
  const lane = laneOf({ capacity: 2 });
  equal(lane.enter("x"), undefined);
  equal(lane.enter("y"), undefined);
  const order: string[] = [];
  const queued = ["flood", "flood", "flood", "late"].map(async (tenant) => {
    await lane.enter(tenant);
    order.push(tenant);
    lane.leave(tenant);
  });
  lane.leave("x");
  await Promise.all(queued);
  deepEqual(order, ["flood", "late", "flood", "flood"]);
});

test("queues are bounded, and a tenant without a queue still gets one", async () => {
  const lane = laneOf({ capacity: 1, maxQueuedPerTenant: 2, maxQueued: 8 });
  equal(lane.enter("x"), undefined);
  const waiting = [lane.enter("a"), lane.enter("a")];
  throws(() => lane.enter("a"), isOverloaded);
  for (const tenant of ["b", "b", "c", "d", "e", "f"]) waiting.push(lane.enter(tenant));
  throws(() => lane.enter("c"), isOverloaded);
  throws(() => lane.enter("g"), isOverloaded);
  for (const tenant of ["x", "a", "b", "c", "d", "e", "f", "a", "b"]) {
    lane.leave(tenant);
    await timers.settle();
  }
  await Promise.all(waiting.map((one) => Promise.resolve(one)));
  deepEqual(lane.counts(), { held: 0, waiting: 0 });
});

test("a lane without a queue refuses at once", () => {
  const lane = laneOf({ capacity: 1, maxQueued: 0 });
  equal(lane.enter("x"), undefined);
  throws(() => lane.enter("y"), isOverloaded);
});

test("a wait ends after its time, and when the client leaves", async () => {
  const lane = laneOf({ capacity: 1, maxWaitMs: 1_000 });
  equal(lane.enter("x"), undefined);
  const late = rejects(lane.enter("a") ?? Promise.resolve(), isOverloaded);
  const client = new AbortController();
  const leaving = lane.enter("a", 1, { signal: () => client.signal });
  const left = rejects(leaving ?? Promise.resolve(), isOverloaded);
  client.abort();
  await left;
  deepEqual(lane.counts(), { held: 1, waiting: 1 });
  await timers.advance(1_000);
  await late;
  deepEqual(lane.counts(), { held: 1, waiting: 0 });
  equal(timers.pendingCount(), 0);
  lane.leave("x");
  equal(lane.enter("a"), undefined);
});

// Any sequence of arrivals and departures is played, with queues that fill faster than they empty.
// After each step the bounds must hold, no place may be free while a tenant that may have it waits,
// and while a tenant below its share waits, each other tenant is admitted at most once.
test("however one tenant floods, another is admitted after one turn of each", async () => {
  const arrival = fc.constantFrom("flood", "flood", "flood", "a", "b", "c");
  const step = fc.oneof({ weight: 3, arbitrary: arrival }, { weight: 2, arbitrary: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
      const lane = laneOf();
      const seen = new Observer();
      for (const each of steps) {
        const leaver = typeof each === "number" ? seen.inside[each] : undefined;
        if (typeof each === "string") seen.arrive(each, lane.enter(each));
        else if (leaver !== undefined) {
          seen.inside.splice(each, 1);
          lane.leave(leaver);
        }
        await timers.advance(0);
        deepEqual(seen.passedTwice, []);
        equal(lane.counts().held, seen.inside.length);
        ok(seen.inside.length <= 4 && seen.queued.every((name) => seen.places(name) <= 3));
        ok(!seen.queued.some((name) => seen.mayEnter(name)), "a tenant waits that may enter");
      }
      await timers.advance(limits.maxRequestWaitMs);
      deepEqual(seen.queued, []);
    }),
    { numRuns: 100 },
  );
});

/** Records arrivals and departures, and which tenant was admitted while others waited. */
class Observer {
  readonly inside: string[] = [];
  readonly queued: string[] = [];
  readonly passedTwice: string[] = [];
  /** "admitted/waiting" for each time that a tenant was admitted before one that could enter. */
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

  /** One more must be within the share of what is free. */
  mayEnter(name: string): boolean {
    const free = 4 - this.inside.length;
    return free > 0 && this.places(name) + 1 <= Math.max(1, 3 * free);
  }

  places(name: string): number {
    return this.inside.filter((each) => each === name).length;
  }

  #admitted(name: string): void {
    this.queued.splice(this.queued.indexOf(name), 1);
    // Whether another tenant could have entered instead, before this one did.
    const could = new Set(this.queued.filter((other) => other !== name && this.mayEnter(other)));
    this.inside.push(name);
    for (const pair of this.#passed) if (pair.endsWith(`/${name}`)) this.#passed.delete(pair);
    for (const other of ["flood", "a", "b", "c"]) {
      const pair = `${name}/${other}`;
      if (!could.has(other)) this.#passed.delete(pair);
      else if (this.#passed.has(pair)) this.passedTwice.push(pair);
      else this.#passed.add(pair);
    }
  }
}
