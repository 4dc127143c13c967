// What the store answers to reads against the state replayed from its log: lists, single reads,
// selectors, old snapshots, histories, holders of names and counters.
import { requirement } from "../../src/kernel/selector.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { ListQuery, Store, StoredRecord } from "../../src/store/port.ts";
import { keyText } from "../../src/kernel/resource.ts";
import { termsOfDocument } from "./actions.ts";
import type { Report } from "./check.ts";
import { hostScope, kinds, quota } from "./documents.ts";
import { digestText } from "./evidence.ts";
import { stateAt } from "./replay.ts";
import type { Entry, ReplayedLog } from "./replay.ts";

const snapshots = 6;
const histories = 12;

export async function checkReads(
  store: Store,
  log: ReplayedLog,
  seed: number,
  report: Report,
): Promise<void> {
  const random = seededRandom(seed);
  for (const kind of Object.values(kinds)) {
    await compare(store, { kind, limit: 7 }, log.state, () => true, report);
  }
  await checkGets(store, log, report);
  await checkSelectors(store, log, report);
  for (let i = 0; i < snapshots; i += 1) {
    const at = log.compacted + Math.floor(random.next() * (log.head - log.compacted + 1));
    const state = stateAt(log, at);
    for (const kind of Object.values(kinds)) {
      await compare(store, { kind, at, limit: 5 }, state, () => true, report);
    }
    const labels = [requirement("colour", "in", ["c1", "c2"])];
    const isColoured = (entry: Entry): boolean =>
      ["c1", "c2"].includes(entry.document.metadata.labels["colour"] ?? "");
    await compare(store, { kind: kinds.things, at, labels }, state, isColoured, report);
  }
  await checkHistories(store, log, random.next(), report);
  await checkHeld(store, log, report);
}

async function compare(
  store: Store,
  query: ListQuery,
  state: ReadonlyMap<string, Entry>,
  matches: (entry: Entry) => boolean,
  report: Report,
): Promise<void> {
  const listed = (await listAll(store, query)).map(textOfRecord);
  const wanted = [...state.values()]
    .filter(({ change }) => change.key.kind === query.kind)
    .filter(({ change }) => [undefined, change.key.namespace].includes(query.namespace))
    .filter(matches)
    .sort((a, b) => compareText(orderOf(a), orderOf(b)))
    .map(({ key, change, digest }) => `${key} ${change.uid} ${change.revision} ${digest}`);
  if (listed.join("\n") === wanted.join("\n")) return;
  const missing = wanted.find((line) => !listed.includes(line));
  const surplus = listed.find((line) => !wanted.includes(line));
  report(`P6: list ${JSON.stringify(query)} misses ${missing} and has ${surplus} (or the order)`);
}

async function listAll(store: Store, query: ListQuery): Promise<readonly StoredRecord[]> {
  const records: StoredRecord[] = [];
  for (
    let page = await store.list(query);
    ;
    page = await store.list({ ...query, from: page.next })
  ) {
    records.push(...page.records);
    if (page.next === undefined) return records;
  }
}

async function checkGets(store: Store, log: ReplayedLog, report: Report): Promise<void> {
  const everKnown = new Map(
    [...log.byRevision.values()].map((entry) => [entry.key, entry.change.key]),
  );
  const keys = [...everKnown.values()];
  const records = await store.getMany(keys);
  for (const [index, key] of keys.entries()) {
    const wanted = log.state.get(keyText(key));
    const got = records[index];
    const isSame =
      wanted === undefined
        ? got === undefined
        : got?.revision === wanted.change.revision && digestText(got.body) === wanted.digest;
    if (isSame) continue;
    report(`P1: ${keyText(key)} reads ${got?.revision}, the log says ${wanted?.change.revision}`);
  }
}

async function checkSelectors(store: Store, log: ReplayedLog, report: Report): Promise<void> {
  for (const { key, change, document } of log.byRevision.values()) {
    if (change.type === "deleted") continue;
    const isSame = [...change.terms].sort().join() === termsOfDocument(document).join();
    if (!isSame) report(`P9: ${key} at ${change.revision} has terms that are not its document's`);
  }
  const kind = kinds.things;
  const label = (entry: Entry, name: string): string | undefined =>
    entry.document.metadata.labels[name];
  for (const value of ["c0", "c1", "c2", "c3"]) {
    const isIn = (entry: Entry): boolean => label(entry, "colour") === value;
    const labels = [requirement("colour", "in", [value])];
    await compare(store, { kind, labels, limit: 4 }, log.state, isIn, report);
    const other = [requirement("colour", "notin", [value]), requirement("size", "in", ["s1"])];
    const isOther = (entry: Entry): boolean => !isIn(entry) && label(entry, "size") === "s1";
    await compare(store, { kind, labels: other }, log.state, isOther, report);
  }
  for (const owner of ["owner-0", "owner-1", "owner-2"]) {
    const isOwned = (entry: Entry): boolean => entry.document.metadata.owner === owner;
    await compare(store, { kind, owner, namespace: "ns-1" }, log.state, isOwned, report);
  }
  for (const number of [0, 1, 2, 3, 4]) {
    const fields = [{ path: "spec.number", operator: "in", values: [String(number)] } as const];
    const isNumber = (entry: Entry): boolean => entry.document.spec.number === number;
    await compare(store, { kind, fields }, log.state, isNumber, report);
  }
}

async function checkHistories(
  store: Store,
  log: ReplayedLog,
  start: number,
  report: Report,
): Promise<void> {
  const keys = [...new Map(log.entries.map((entry) => [entry.key, entry.change.key])).values()];
  const first = Math.floor(start * keys.length);
  for (const key of keys.slice(first, first + histories)) {
    const got = (await store.history(key, { limit: 1_000 }))
      .map((change) => change.revision)
      .filter((revision) => revision > log.compacted);
    const wanted = log.entries
      .filter((entry) => entry.key === keyText(key))
      .map((entry) => entry.change.revision)
      .toReversed()
      .slice(0, 1_000);
    if (got.join() !== wanted.join()) report(`P6: the history of ${keyText(key)} is not the log's`);
  }
}

async function checkHeld(store: Store, log: ReplayedLog, report: Report): Promise<void> {
  const current = [...log.state.values()];
  for (let i = 0; i < 6; i += 1) {
    const name = `host-${i}`;
    const holder = await store.nameHolder({ scope: hostScope, name });
    const wanted = current.find((entry) => entry.document.spec.host === name);
    const got = holder === undefined ? undefined : keyText(holder);
    if (got !== wanted?.key) report(`P4: ${name} is held by ${got}, and not by ${wanted?.key}`);
  }
  const sum = current.reduce((total, entry) => total + (entry.document.spec.amount ?? 0), 0);
  const { value, max } = await store.counter(quota.counter);
  if (value !== sum) report(`P4: ${quota.counter} is ${value}, its users hold ${sum}`);
  const hasBound = current.some((entry) => entry.change.key.kind === kinds.bounds);
  const wantedMax = hasBound ? quota.max : undefined;
  if (max !== wantedMax) report(`P4: the bound of ${quota.counter} is ${max}, not ${wantedMax}`);
}

function textOfRecord({ key, uid, revision, body }: StoredRecord): string {
  return `${keyText(key)} ${uid} ${revision} ${digestText(body)}`;
}

function orderOf({ change }: Entry): string {
  return `${change.key.namespace}\u0000${change.key.name}`;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
