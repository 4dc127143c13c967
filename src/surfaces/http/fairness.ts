// How many requests are under way at once, and whose turn is next when that is too many. Reads,
// writes and requests without an end (watches) are counted apart, so that none can crowd out the
// others. While there is room a request goes straight in; otherwise it waits in its user's own
// queue, and users take turns. No user may hold all places, so a place is always about to be free
// for somebody else: one who floods the server slows down only themselves. Everything is bounded;
// what is beyond a bound is refused at once with the advice to come back.

import { assert } from "../../kernel/assert.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

export type RequestClass = "read" | "write" | "long";

export interface Fairness {
  /**
   * Takes a place. Undefined means that the request may go on at once, which is the common case
   * and costs no promise; otherwise wait for the promise. Throws, or rejects with,
   * request.overloaded. A place that was taken must be given back with `leave`.
   */
  enter(kind: RequestClass, user: string, signal?: AbortSignal): Promise<void> | undefined;
  leave(kind: RequestClass, user: string): void;
  counts(kind: RequestClass): FairnessCounts;
}

export interface FairnessCounts {
  readonly inFlight: number;
  readonly waiting: number;
}

export interface FairnessOptions {
  readonly timers: Timers;
  readonly maxInFlight?: Readonly<Partial<Record<RequestClass, number>>>;
  readonly maxQueuedPerUser?: number;
  readonly maxQueued?: number;
  readonly maxWaitMs?: number;
}

/** The part of all places that one user may hold. */
const userShare = 0.75;

export function createFairness(options: FairnessOptions): Fairness {
  const { timers, maxInFlight = {} } = options;
  const common = {
    timers,
    maxQueuedPerUser: options.maxQueuedPerUser ?? limits.maxQueuedRequestsPerUser,
    maxQueued: options.maxQueued ?? limits.maxQueuedRequests,
    maxWaitMs: options.maxWaitMs ?? limits.maxRequestWaitMs,
  };
  const lanes = {
    read: createLane({ ...common, maxInFlight: maxInFlight.read ?? limits.maxReadsInFlight }),
    write: createLane({ ...common, maxInFlight: maxInFlight.write ?? limits.maxWritesInFlight }),
    // A watch that had to wait would be late for what it watches: it is refused instead.
    long: createLane({
      ...common,
      maxQueued: 0,
      maxInFlight: maxInFlight.long ?? limits.maxLongRequests,
    }),
  };
  return {
    enter: (kind, user, signal) => lanes[kind].enter(user, signal),
    leave: (kind, user) => lanes[kind].leave(user),
    counts: (kind) => lanes[kind].counts(),
  };
}

interface Lane {
  enter(user: string, signal?: AbortSignal): Promise<void> | undefined;
  leave(user: string): void;
  counts(): FairnessCounts;
}

interface LaneOptions {
  readonly timers: Timers;
  readonly maxInFlight: number;
  readonly maxQueuedPerUser: number;
  readonly maxQueued: number;
  readonly maxWaitMs: number;
}

interface User {
  readonly name: string;
  inFlight: number;
  /** In the order of arrival. */
  readonly queue: Set<Waiter>;
}

interface Waiter {
  readonly admit: () => void;
}

function createLane(options: LaneOptions): Lane {
  const { maxInFlight, maxQueued, maxQueuedPerUser } = options;
  const maxPerUser = Math.max(1, Math.ceil(maxInFlight * userShare));
  const users = new Map<string, User>();
  /** Users whose next request could go in as soon as a place is free, in the order of turns. */
  const turns = new Set<User>();
  let inFlight = 0;
  let waiting = 0;

  const userOf = (name: string): User => {
    const user = users.get(name) ?? { name, inFlight: 0, queue: new Set() };
    users.set(name, user);
    return user;
  };
  const settle = (user: User): void => {
    if (user.queue.size > 0 && user.inFlight < maxPerUser) turns.add(user);
    else turns.delete(user);
    if (user.inFlight === 0 && user.queue.size === 0) users.delete(user.name);
  };
  const drop = (user: User, waiter: Waiter): void => {
    if (!user.queue.delete(waiter)) return;
    waiting--;
    settle(user);
  };
  const admitNext = (): void => {
    while (inFlight < maxInFlight) {
      const [user] = turns;
      if (user === undefined) return;
      const [waiter] = user.queue;
      assert(waiter !== undefined, "a user whose turn it is has a request waiting");
      turns.delete(user);
      user.inFlight++;
      inFlight++;
      drop(user, waiter);
      waiter.admit();
    }
  };

  return {
    enter: (name, signal) => {
      const user = userOf(name);
      const hasRoom = inFlight < maxInFlight && user.inFlight < maxPerUser;
      if (hasRoom && turns.size === 0) {
        user.inFlight++;
        inFlight++;
        return undefined;
      }
      if (waiting >= maxQueued || user.queue.size >= maxQueuedPerUser) {
        settle(user);
        throw overloaded();
      }
      waiting++;
      return wait(options, signal, (waiter) => {
        user.queue.add(waiter);
        settle(user);
        return () => drop(user, waiter);
      });
    },
    leave: (name) => {
      const user = users.get(name);
      assert(user !== undefined && user.inFlight > 0, "only who entered leaves");
      user.inFlight--;
      inFlight--;
      settle(user);
      admitNext();
    },
    counts: () => ({ inFlight, waiting }),
  };
}

/** Waits for a place until the time is over or the client goes away. */
async function wait(
  { timers, maxWaitMs }: LaneOptions,
  signal: AbortSignal | undefined,
  enqueue: (waiter: Waiter) => () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const remove = enqueue({ admit: resolve });
  const giveUp = (): void => {
    remove();
    reject(overloaded());
  };
  const cancel = timers.after(maxWaitMs, giveUp);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted === true) giveUp();
  try {
    await promise;
  } finally {
    cancel();
    signal?.removeEventListener("abort", giveUp);
  }
}

function overloaded(): SetpointError {
  const message = "Too many requests, please try again later.";
  return new SetpointError("request.overloaded", message, { details: { retryAfterSeconds: 1 } });
}
