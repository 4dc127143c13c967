// The shared store as one process sees it: over the network. News of commits reach it late, twice
// or, for a bounded time, not at all; what it knows of the head lags behind, but never runs ahead
// of what it can read. What the engine does not use is not offered.

import { SetpointError } from "../../src/kernel/errors.ts";
import { Waiters } from "../../src/store/contract/model-waiters.ts";
import type {
  Answer,
  Claim,
  ClaimRef,
  CommitOptions,
  Head,
  Renewal,
  Store,
  Write,
} from "../../src/store/port.ts";
import type { Agenda } from "./agenda.ts";
import { outcomeUnknown, unavailable } from "./network.ts";
import type { CallKind, Fate, Network } from "./network.ts";
import type { SimulatedProcess } from "./process.ts";
import type { SharedStore } from "./shared-store.ts";
import type { Weather } from "./weather.ts";

const read = (name: string): CallKind => ({ name, hasEffect: false, isStore: true });
const write = (name: string): CallKind => ({ name, hasEffect: true, isStore: true });

const calls = {
  commit: write("commit"),
  claim: write("claim"),
  renew: write("renew"),
  get: read("get"),
  getMany: read("getMany"),
  list: read("list"),
  changes: read("changes"),
  history: read("history"),
  nextDue: read("nextDue"),
} as const;

export interface StorePlace {
  readonly agenda: Agenda;
  readonly weather: Weather;
  readonly network: Network;
  readonly shared: SharedStore;
  readonly process: SimulatedProcess;
  /** Told of each renewal as the process gets it. */
  readonly onRenewal: (renewal: Renewal) => void;
}

export function distantStore(place: StorePlace): Store {
  const { network, process, shared } = place;
  const { model } = shared;
  const news = listenFor(place);
  return {
    engine: "postgres",
    commit: (writes, options) => commitOver(place, writes, options),
    get: (key) => network.call(process, calls.get, () => model.get(key)),
    getMany: (keys) => network.call(process, calls.getMany, () => model.getMany(keys)),
    list: (query) => network.call(process, calls.list, () => model.list(query)),
    recentCause: (revision) => model.recentCause(revision),
    head: async (): Promise<Head> => {
      const { compacted } = model.state;
      return await Promise.resolve({ revision: Math.max(news.head(), compacted), compacted });
    },
    changes: (after, limit, options) =>
      network.call(process, calls.changes, () => model.changes(after, limit, options)),
    history: (key, options) =>
      network.call(process, calls.history, () => model.history(key, options)),
    claim: async (request) =>
      someDocuments(await network.call(process, calls.claim, () => shared.claim(process, request))),
    renew: async (claims: readonly ClaimRef[], leaseMs: number): Promise<Renewal> => {
      const fate = lateRenewal(place, leaseMs);
      const renew = (): Promise<Renewal> => shared.renew(claims, leaseMs);
      const renewal = await network.call(process, calls.renew, renew, fate);
      place.onRenewal(renewal);
      return renewal;
    },
    nextDue: (kinds) => network.call(process, calls.nextDue, () => model.nextDue(kinds)),
    ...news.waits,
    ...notOffered,
  };
}

/** Every other document comes along with its claim; the rest has to be read. */
function someDocuments(claims: readonly Claim[]): readonly Claim[] {
  return claims.map(({ body, ...claim }) =>
    body === undefined || claim.token % 2 === 0 ? claim : { ...claim, body },
  );
}

/** Now and then a renewal is answered late, and nothing else gets through in the meantime. */
function lateRenewal({ agenda, process, weather }: StorePlace, leaseMs: number): Partial<Fate> {
  if (!weather.strikes("late-renewal")) return {};
  const answerMs = weather.dice.between(leaseMs / 5, leaseMs);
  agenda.after(50, () => {
    process.refusedUntilMs = agenda.nowMs + 2 * leaseMs;
  });
  return { requestMs: 1, answerMs, failure: "none", crash: "none", pauseMs: 0 };
}

/** Now and then only a part of a large call comes through, as when one of its batches failed. */
function commitOver(
  { network, process, shared, weather }: StorePlace,
  writes: readonly Write[],
  options?: CommitOptions,
): Promise<readonly Answer[]> {
  const isWhole = options?.atomic === true || writes.length < 2;
  return network.call(process, calls.commit, async () => {
    const isParted = !isWhole && weather.strikes("partial");
    if (!isParted) return await shared.commit(process, writes, options);
    const { dice } = weather;
    const answers: Answer[] = [];
    for (const item of writes) {
      const isApplied = dice.chance(0.5);
      const isTold = isApplied && dice.chance(0.5);
      const [answer] = isApplied ? await shared.commit(process, [item]) : [];
      const error = isApplied ? outcomeUnknown() : unavailable();
      answers.push(isTold && answer !== undefined ? answer : { kind: "refused", error });
    }
    return answers;
  });
}

interface News {
  head(): number;
  readonly waits: Pick<Store, "advancedBeyond" | "workTick" | "workArrived">;
}

/** News travel to each process by themselves and are heard late when the weather is bad. */
function listenFor({ agenda, process, shared, weather }: StorePlace): News {
  const revisions = new Waiters();
  const work = new Waiters();
  let head = shared.head;
  let tick = 0;
  let nextAtMs = Number.POSITIVE_INFINITY;

  const hear = (isWork: boolean): void => {
    head = Math.max(head, shared.head);
    revisions.wake(head);
    if (!isWork) return;
    tick += 1;
    work.wake(tick);
  };
  const send = (afterMs: number, isWork: boolean): void => {
    // One message is as good as two, unless the later one would be heard first.
    const atMs = agenda.nowMs + afterMs;
    if (isWork && atMs >= nextAtMs && nextAtMs > agenda.nowMs) return;
    if (isWork) nextAtMs = atMs;
    agenda.after(Math.max(afterMs, process.cutOffUntilMs - agenda.nowMs), () => {
      if (isWork && nextAtMs === atMs) nextAtMs = Number.POSITIVE_INFINITY;
      process.deliver(() => hear(isWork));
    });
  };
  const stop = shared.listen({
    committed: (_, isWork) => {
      if (!weather.isStormy) return send(1, isWork);
      const isLate = weather.strikes("late-signal");
      send(isLate ? weather.dice.between(200, 30_000) : weather.dice.delay(60), isWork);
      if (weather.strikes("extra-signal")) send(weather.dice.between(1, 5_000), true);
    },
  });
  process.onEnd(stop);
  return {
    head: () => head,
    waits: {
      advancedBeyond: async (after, signal) => await revisions.beyond(after, head, signal),
      workTick: () => tick,
      workArrived: async (seen, signal) => await work.beyond(seen, tick, signal),
    },
  };
}

function refuse(): never {
  throw new SetpointError("request.invalid", "the simulated store does not offer this");
}

/** Async so that a mistake is a rejection, as it would be in a store. */
const refusing = async (): Promise<never> => await Promise.try(refuse);

const notOffered = {
  lastSeen: refuse,
  compact: refusing,
  workOf: refusing,
  backlog: refusing,
  nameHolder: refusing,
  counter: refusing,
  stats: refusing,
  verify: refusing,
  hazards: refusing,
  checkKeys: refusing,
  reseal: refusing,
  erase: refusing,
  keyUses: refusing,
  retireKeys: refusing,
  otherRings: refusing,
  beginKeyChange: refusing,
  dump: refuse,
  load: refusing,
  close: async (): Promise<void> => {
    // It belongs to the world.
  },
  [Symbol.asyncDispose]: async (): Promise<void> => {
    // It belongs to the world.
  },
} satisfies Partial<Store>;
