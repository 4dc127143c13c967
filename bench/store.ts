/** The contests between a store through its port and the raw limit of its database. */
import { setTimeout } from "node:timers/promises";
import type { Put, Store } from "../src/store/port.ts";
import { creation, documentText, kind } from "./documents.ts";
import { concurrently, duel, median, rate, tickGapP99 } from "./measure.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

export interface RawDocument {
  readonly name: string;
  readonly text: string;
}

/** What both raw baselines can do. */
export interface RawDatabase {
  write(documents: readonly RawDocument[], size: number): Promise<number> | number;
  get(names: readonly string[]): Promise<number> | number;
  list(count: number): Promise<number> | number;
  fillQueue(queue: RawQueue): Promise<void> | void;
  /** Each claim is held for as long as ours is. */
  claimAll(batch: number, queue: RawQueue): Promise<number> | number;
}

/** Work that is due, all of it of one kind and one namespace. */
export interface RawQueue {
  readonly kind: string;
  readonly namespace: string;
  readonly names: readonly string[];
  readonly dueAtMs: number;
}

export interface Contestants {
  readonly title: string;
  readonly raw: RawDatabase;
  readonly store: Store;
}

export interface Asked {
  readonly first: number;
  readonly goal?: number;
}

const writesPerRound = 16_384;
const singles = 2_000;

let serial = 0;
export function freshNames(count: number): readonly string[] {
  return Array.from({ length: count }, () => `r-${String((serial += 1)).padStart(9, "0")}`);
}

export async function createAll(
  store: Store,
  names: readonly string[],
  callers: number,
  labels = 0,
): Promise<number> {
  return await commitAll(
    store,
    names.map((name) => creation(name, labels)),
    callers,
  );
}

/** The documents are encoded already: what is measured is the store, not its callers. */
export async function commitAll(
  store: Store,
  writes: readonly Put[],
  callers: number,
): Promise<number> {
  return await concurrently(callers, writes.length, async (index) => {
    const [answer] = await store.commit(writes.slice(index, index + 1));
    if (answer?.kind !== "committed") throw new Error(`not committed: ${JSON.stringify(answer)}`);
  });
}

export async function groupWrites(who: Contestants, asked: Asked): Promise<Row> {
  const result = await duel({
    name: "64",
    unit: "/s",
    raw: () => rawWrites(who, writesPerRound, 64),
    ours: () => ourWrites(who, writesPerRound, 64),
  });
  return ratioRow(`${who.title}: writes, 64 callers`, result, "writes/s", asked);
}

export async function singleWrites(who: Contestants, asked: Asked): Promise<Row> {
  const result = await duel({
    name: "1",
    unit: "/s",
    raw: () => rawWrites(who, singles, 1),
    ours: () => ourWrites(who, singles, 1),
  });
  return ratioRow(`${who.title}: writes, one caller`, result, "writes/s", asked);
}

/** How late the event loop is while 64 callers write: against the same timer on an idle one. */
export async function loopDelay(store: Store): Promise<Row> {
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    idle.push(await tickGapP99(() => setTimeout(500)));
    const puts = freshNames(50_000).map((name) => creation(name));
    busy.push(await tickGapP99(() => commitAll(store, puts, 64)));
  }
  const [raw, ours] = [median(idle), median(busy)];
  return {
    ...boundRow("SQLite: event loop delay p99 meanwhile", ours - raw, "ms", 3),
    raw: `${figure(raw, "ms")} a tick, idle`,
    ours: `${figure(ours, "ms")} a tick`,
  };
}

async function rawWrites(who: Contestants, count: number, size: number): Promise<number> {
  const documents = freshNames(count).map((name) => ({ name, text: documentText(name) }));
  return await rate(() => who.raw.write(documents, size));
}

async function ourWrites(who: Contestants, count: number, callers: number): Promise<number> {
  const puts = freshNames(count).map((name) => creation(name));
  return await rate(() => commitAll(who.store, puts, callers));
}

export async function reads(who: Contestants): Promise<readonly Row[]> {
  const names = freshNames(20_000);
  await who.raw.write(
    names.map((name) => ({ name, text: documentText(name) })),
    256,
  );
  await createAll(who.store, names, 256);
  const some = names.filter((_, index) => index % 4 === 0);
  const gets = await duel({
    name: "get",
    unit: "/s",
    raw: () => rate(() => who.raw.get(some)),
    ours: () =>
      rate(async () => {
        for (const name of some) await who.store.get({ kind, namespace: "bench", name });
        return some.length;
      }),
  });
  const lists = await duel({
    name: "list",
    unit: "/s",
    raw: () => rate(() => times(100, async () => await who.raw.list(1_000))),
    ours: () =>
      rate(() =>
        times(100, async () => {
          const page = await who.store.list({ kind, namespace: "bench", limit: 1_000 });
          if (page.records.length !== 1_000) throw new Error("the page is not full");
        }),
      ),
  });
  return [
    ratioRow(`${who.title}: get by key`, gets, "gets/s", { first: 0.5 }),
    ratioRow(`${who.title}: list of 1,000`, lists, "lists/s", { first: 0.5 }),
  ];
}

/**
 * The same rows on both sides: all due, of one kind and one namespace. The raw ones are flushed,
 * those of SQLite through the port need not be (docs/decisions/0002-store-design.md), and the table
 * says so.
 */
export async function claims(who: Contestants, batch: number): Promise<Row> {
  const total = batch === 10 ? 10_000 : 20_000;
  const names = Array.from({ length: total }, (_, index) => `w-${index}`);
  const result = await duel({
    name: "claim",
    unit: "/s",
    raw: async () => {
      const claimKind = `work-${(serial += 1)}`;
      const queue = { kind: claimKind, namespace: "tenant-0", names, dueAtMs: Date.now() };
      await who.raw.fillQueue(queue);
      await atRest();
      return await rate(() => who.raw.claimAll(batch, queue));
    },
    ours: async () => {
      const claimKind = `work-${(serial += 1)}`;
      await makeDue(who.store, claimKind, total, 1);
      await atRest();
      return await rate(() => claimEverything(who.store, claimKind, batch, total));
    },
  });
  const unlike = who.store.engine === "sqlite" ? " (only the raw ones flush)" : "";
  const what = `${who.title}: claims, batches of ${batch}${unlike}`;
  return ratioRow(what, result, "claims/s", { first: 0.5 });
}

/** What was written before goes on to the disk for a moment, which is not what is measured. */
async function atRest(): Promise<void> {
  await setTimeout(200);
}

/** What fairness costs: many tenants with more due than fits, claimed in turns. */
export async function fairClaims(who: Contestants, batch: number): Promise<Row> {
  const claimKind = `work-${(serial += 1)}`;
  const total = 10_000;
  await makeDue(who.store, claimKind, total, 50);
  const found = await rate(() => claimEverything(who.store, claimKind, batch, total));
  const what = `${who.title}: claims, batches of ${batch}, 50 namespaces in turns`;
  const ours = figure(found, "claims/s");
  return { what, raw: "", ours, result: "", asked: "(stated)", isMet: true };
}

async function makeDue(
  store: Store,
  claimKind: string,
  total: number,
  namespaces: number,
): Promise<void> {
  await concurrently(256, total, async (index) => {
    const put = creation(`w-${index}`);
    await store.commit([
      {
        ...put,
        key: { kind: claimKind, namespace: `tenant-${index % namespaces}`, name: `w-${index}` },
        due: { kind: "wake", afterMs: 0 },
      },
    ]);
  });
}

async function claimEverything(
  store: Store,
  claimKind: string,
  batch: number,
  total: number,
): Promise<number> {
  let claimed = 0;
  while (claimed < total) {
    const got = await store.claim({
      owner: "bench",
      kinds: [claimKind],
      limit: batch,
      leaseMs: 600_000,
    });
    if (got.length === 0) throw new Error(`only ${claimed} of ${total} could be claimed`);
    claimed += got.length;
  }
  return claimed;
}

async function times(count: number, run: () => Promise<unknown>): Promise<number> {
  for (let index = 0; index < count; index += 1) await run();
  return count;
}

export function ratioRow(
  what: string,
  result: { readonly raw: number; readonly ours: number; readonly ratio: number },
  unit: string,
  asked: Asked,
): Row {
  const goal = asked.goal === undefined ? "" : ` (${asked.goal}x)`;
  return {
    what,
    raw: figure(result.raw, unit),
    ours: figure(result.ours, unit),
    result: `${result.ratio.toFixed(2)}x`,
    asked: `${asked.first}x${goal}`,
    isMet: result.ratio >= asked.first,
  };
}

export function boundRow(what: string, value: number, unit: string, most: number): Row {
  return {
    what,
    raw: "",
    ours: figure(value, unit),
    result: figure(value, unit),
    asked: `< ${most} ${unit}`,
    isMet: value < most,
  };
}
