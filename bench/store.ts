/** The contests between a store through its port and the raw limit of its database. */
import type { Store } from "../src/store/port.ts";
import { creation, kind } from "./documents.ts";
import { concurrently, duel, rate } from "./measure.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

/** What both raw baselines can do. */
export interface RawDatabase {
  write(names: readonly string[], size: number): Promise<number> | number;
  get(names: readonly string[]): Promise<number> | number;
  list(count: number): Promise<number> | number;
  fillQueue(count: number): Promise<void> | void;
  claimAll(batch: number): Promise<number> | number;
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

const writes = 16_384;
const singles = 1_000;

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
  return await concurrently(callers, names.length, async (index) => {
    const [answer] = await store.commit([creation(names[index] ?? "", labels)]);
    if (answer?.kind !== "committed") throw new Error(`not committed: ${JSON.stringify(answer)}`);
  });
}

export async function groupWrites(who: Contestants, asked: Asked): Promise<Row> {
  const result = await duel({
    name: "64",
    unit: "/s",
    raw: () => rate(() => who.raw.write(freshNames(writes), 64)),
    ours: () => rate(() => createAll(who.store, freshNames(writes), 64)),
  });
  return ratioRow(`${who.title}: writes, 64 callers`, result, "writes/s", asked);
}

export async function singleWrites(who: Contestants, asked: Asked): Promise<Row> {
  const result = await duel({
    name: "1",
    unit: "/s",
    raw: () => rate(() => who.raw.write(freshNames(singles), 1)),
    ours: () => rate(() => createAll(who.store, freshNames(singles), 1)),
  });
  return ratioRow(`${who.title}: writes, one caller`, result, "writes/s", asked);
}

export async function reads(who: Contestants): Promise<readonly Row[]> {
  const names = freshNames(20_000);
  await who.raw.write(names, 256);
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
    raw: () => rate(() => times(40, async () => await who.raw.list(1_000))),
    ours: () =>
      rate(() =>
        times(40, async () => {
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

export async function claims(who: Contestants, batch: number): Promise<Row> {
  const total = batch === 10 ? 5_000 : 20_000;
  const result = await duel({
    name: "claim",
    unit: "/s",
    raw: async () => {
      await who.raw.fillQueue(total);
      return await rate(() => who.raw.claimAll(batch));
    },
    ours: async () => {
      const claimKind = `work-${(serial += 1)}`;
      await makeDue(who.store, claimKind, total);
      return await rate(() => claimEverything(who.store, claimKind, batch, total));
    },
  });
  return ratioRow(`${who.title}: claims, batches of ${batch}`, result, "claims/s", { first: 0.5 });
}

async function makeDue(store: Store, claimKind: string, total: number): Promise<void> {
  await concurrently(256, total, async (index) => {
    const put = creation(`w-${index}`);
    await store.commit([
      {
        ...put,
        key: { kind: claimKind, namespace: `tenant-${index % 20}`, name: `w-${index}` },
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
