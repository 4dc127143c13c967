import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import type { Timers } from "../../kernel/timers.ts";
import {
  createAdmission,
  listCost,
  longCost,
  loopShare,
  memoryLane,
  readCost,
  writeCost,
} from "./admit.ts";
import type { Admission } from "./admit.ts";
import type { FairLane } from "./fair-lane.ts";
import type { Arriving, Place } from "./place.ts";
import { SharedBytes } from "./shared-bytes.ts";
import { noRoleTenant } from "./tenant.ts";

interface Rig {
  readonly admission: Admission;
  readonly memory: FairLane;
}

function rig(): Rig {
  const timers = manualTimers(manualClock());
  const memory = memoryLane(timers);
  return { admission: admissionWith(timers, memory), memory };
}

function admissionWith(timers: Timers, memory: FairLane): Admission {
  const shared = new SharedBytes(memory);
  return createAdmission({ timers, memory, shared, loop: loopShare() });
}

function held({ admission }: Rig): readonly [writes: number, bodies: number] {
  return [admission.counts("write").held, admission.counts("body").held];
}

interface Sender {
  readonly body: Arriving;
  readonly send: (bytes: number) => void;
  readonly end: () => void;
}

function sender(declaredBytes?: number): Sender {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  let onPart: (bytes: number) => void = () => undefined;
  let isInTransit = true;
  const read = (onBytes: (bytes: number) => void): Promise<Buffer> => {
    onPart = onBytes;
    return promise;
  };
  return {
    body: { declaredBytes, isInTransit: () => isInTransit, read },
    send: (bytes) => onPart(bytes),
    end: () => {
      isInTransit = false;
      resolve(Buffer.alloc(0));
    },
  };
}

const inTransit = { isBodyInTransit: true, bodyBytesAhead: 0 };
const noBody = { isBodyInTransit: false, bodyBytesAhead: 0 };

const isOverloaded = (error: unknown): boolean => isSetpointError(error, "request.overloaded");

function writing({ admission }: Rig, tenant = "a"): Place {
  return admission.placeOf(tenant, writeCost, inTransit);
}

test("a request is no write in progress until its body has arrived", async () => {
  const its = rig();
  const place = writing(its);
  equal(place.enter(), undefined);
  deepEqual(held(its), [0, 1]);
  const client = sender();
  const received = place.receive(client.body);
  await Promise.resolve();
  deepEqual(held(its), [0, 1]);
  client.end();
  await received;
  deepEqual(held(its), [1, 0]);
  place.leave();
  deepEqual(held(its), [0, 0]);
});

test("bodies of one tenant that never end leave places for bodies of another", () => {
  const its = rig();
  for (let at = 0; at < 600; at++) {
    try {
      writing(its, noRoleTenant)
        .enter()
        ?.catch(() => undefined);
    } catch (error) {
      equal(isOverloaded(error), true);
    }
  }
  const [writes, bodies] = held(its);
  equal(writes, 0);
  equal(bodies < limits.maxBodiesInTransit / 10, true, `${bodies} bodies of callers without role`);
  equal(writing(its, "b").enter(), undefined);
});

test("memory for a body is taken before it arrives, and returned with the place", async () => {
  const its = rig();
  const place = writing(its);
  equal(place.enter(), undefined);
  const client = sender(1_000);
  const received = place.receive(client.body);
  equal(its.memory.heldBy("a"), 1_000 * limits.bodyMemoryFactor);
  client.end();
  await received;
  equal(place.bytes, 1_000 * limits.bodyMemoryFactor);
  place.leave();
  equal(its.memory.heldBy("a"), 0);
});

test("a body without a length is refused as soon as its tenant holds too much", async () => {
  const its = rig();
  its.memory.add("a", limits.maxBytesInFlight / 2 - 1_000);
  const place = writing(its);
  equal(place.enter(), undefined);
  const client = sender();
  void place.receive(client.body);
  await Promise.resolve();
  await Promise.resolve();
  client.send(100);
  equal(place.bytes, 100 * limits.bodyMemoryFactor);
  throws(() => client.send(100), isOverloaded);
  place.leave();
  equal(its.memory.heldBy("a"), limits.maxBytesInFlight / 2 - 1_000);
});

test("a request that holds memory never waits for more", async () => {
  const its = rig();
  const place = writing(its);
  equal(place.enter(), undefined);
  await place.reserve(1_000);
  its.memory.add("a", limits.maxBytesInFlight / 2);
  throws(() => place.reserve(2_000), isOverloaded);
  equal(place.bytes, 1_000);
});

test("a place that was left holds nothing, whatever arrives later", async () => {
  const its = rig();
  const place = writing(its);
  equal(place.enter(), undefined);
  const client = sender();
  const received = place.receive(client.body);
  place.leave();
  client.end();
  await received;
  deepEqual(held(its), [0, 0]);
  place.hold(1_000);
  place.grow(1_000);
  equal(its.memory.heldBy("a"), 0);
});

test("a tenant takes at most half of the watches, whatever the number of its accounts", () => {
  const { admission } = rig();
  const open = (tenant: string): number => {
    for (let count = 0; ; count++) {
      try {
        equal(admission.placeOf(tenant, longCost, noBody).enter(), undefined);
      } catch (error) {
        equal(isOverloaded(error), true);
        return count;
      }
    }
  };
  equal(open("namespace a"), limits.maxLongRequests / 2);
  equal(open("namespace b"), limits.maxLongRequests / 4);
});

test("a list reserves memory with its place, and waits while its tenant has no more", async () => {
  const its = rig();
  const { admission, memory } = its;
  const half = limits.maxBytesInFlight / 2;
  const lists = Array.from({ length: 4 }, () => {
    const place = admission.placeOf("a", { work: "list", bytes: half / 4 }, noBody);
    equal(place.enter(), undefined);
    return place;
  });
  equal(memory.heldBy("a"), half);
  const next = admission.placeOf("a", listCost, noBody);
  const waiting = next.enter();
  ok(waiting instanceof Promise);
  const other = admission.placeOf("b", listCost, noBody);
  equal(other.enter(), undefined, "another tenant is not affected");
  for (const place of lists) place.hold(1_000);
  await waiting;
  equal(memory.heldBy("a"), 1_000 * lists.length + listCost.bytes);
});

test("a read whose answer is too large for its tenant is refused, a write never", () => {
  const { admission, memory } = rig();
  memory.add("a", limits.maxBytesInFlight / 2);
  const read = admission.placeOf("a", readCost, noBody);
  equal(read.enter(), undefined);
  throws(() => read.answer(1_000_000), isOverloaded);
  const write = admission.placeOf("a", writeCost, noBody);
  equal(write.enter(), undefined);
  write.answer(1_000_000);
  equal(write.bytes, 1_000_000);
});

test("a request that is refused for its memory returns its place", () => {
  const timers = manualTimers(manualClock());
  const memory = memoryLane(timers, { maxQueued: 0 });
  const admission = admissionWith(timers, memory);
  memory.add("a", limits.maxBytesInFlight / 2);
  throws(() => admission.placeOf("a", listCost, noBody).enter(), isOverloaded);
  equal(admission.counts("list").held, 0);
});

test("memory that a request keeps is returned when it leaves, and refused beyond the share", () => {
  const { admission, memory } = rig();
  const watch = admission.placeOf("a", longCost, noBody);
  equal(watch.enter(), undefined);
  watch.keep(1_000_000);
  watch.hold(500_000);
  watch.hold(0);
  equal(memory.heldBy("a"), 1_000_000);
  throws(() => watch.keep(limits.maxBytesInFlight), isOverloaded);
  watch.leave();
  equal(memory.heldBy("a"), 0);
});

test("a body that was read is charged while the request waits for a place", async () => {
  const { admission, memory } = rig();
  const small = { isBodyInTransit: false, bodyBytesAhead: 1_000 };
  const places = Array.from({ length: 200 }, () => admission.placeOf("a", writeCost, small));
  const waiting: Promise<void>[] = [];
  const entered: Place[] = [];
  for (const place of places) {
    const wait = place.enter();
    if (wait === undefined) entered.push(place);
    else waiting.push(wait);
    if (waiting.length === 20) break;
  }
  equal(memory.heldBy("a"), 20 * 1_000);
  for (const place of entered.slice(0, 30)) place.leave();
  await Promise.all(waiting);
  equal(memory.heldBy("a"), 0);
});

test("requests whose bodies wait are refused when their tenant holds its share", async () => {
  const timers = manualTimers(manualClock());
  const memory = memoryLane(timers, { capacity: 10_000_000 });
  const admission = admissionWith(timers, memory);
  const large = { isBodyInTransit: false, bodyBytesAhead: 1_000_000 };
  const waiting: Promise<void>[] = [];
  let refused = 0;
  for (let at = 0; at < 180; at++) {
    try {
      const wait = admission.placeOf("a", writeCost, large).enter();
      if (wait !== undefined) waiting.push(wait);
    } catch (error) {
      equal(isOverloaded(error), true);
      refused += 1;
    }
  }
  equal(waiting.length, 5);
  ok(refused > 0);
  equal(memory.heldBy("a"), 5_000_000);
  // Another tenant continues.
  equal(admission.placeOf("b", writeCost, large).enter(), undefined);
  const ended = waiting.map((wait) => rejects(wait, isOverloaded));
  await timers.advance(limits.maxRequestWaitMs);
  await Promise.all(ended);
  equal(memory.heldBy("a"), 0);
});

test("a body that waits for memory is charged for the wait as well", async () => {
  const timers = manualTimers(manualClock());
  const memory = memoryLane(timers, { capacity: 10_000_000 });
  const admission = admissionWith(timers, memory);
  memory.add("a", 5_000_000);
  const body = { isBodyInTransit: true, bodyBytesAhead: 1_000 };
  const place = admission.placeOf("a", writeCost, body);
  equal(place.enter(), undefined);
  const client = sender(1_000);
  const received = place.receive(client.body);
  equal(memory.heldBy("a"), 5_001_000);
  memory.leave("a", 5_000_000);
  client.end();
  await received;
  equal(memory.heldBy("a"), 1_000 * limits.bodyMemoryFactor);
  place.leave();
  equal(memory.heldBy("a"), 0);
});

test("a small request waits for the memory of the large document that it changes", async () => {
  const its = rig();
  const half = limits.maxBytesInFlight / 2;
  const place = writing(its);
  equal(place.enter(), undefined);
  const client = sender(100);
  const received = place.receive(client.body);
  client.end();
  await received;
  its.memory.add("a", half - 10_000_000);
  const waiting = place.reserveDocument(3_000_000);
  ok(waiting instanceof Promise);
  equal(place.bytes, 0, "it holds nothing while it waits");
  its.memory.leave("a", half - 10_000_000);
  await waiting;
  equal(place.bytes, 3_000_000 * limits.bodyMemoryFactor);
  equal(place.reserveDocument(2_000_000), undefined, "what is held is enough");
  place.leave();
  equal(its.memory.heldBy("a"), 0);
});

test("a large request is refused when the document that it changes needs more memory", async () => {
  const its = rig();
  const place = writing(its);
  equal(place.enter(), undefined);
  await place.reserve(2_000_000);
  its.memory.add("a", limits.maxBytesInFlight / 2);
  throws(() => place.reserveDocument(3_000_000), isOverloaded);
  equal(place.bytes, 2_000_000);
});
