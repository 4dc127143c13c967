/**
 * One million resources on SQLite: whether inserts slow down, how long a restart takes, how much
 * memory it needs, and how long a writer ever waits while half of the log is compacted away.
 */
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import type { Store } from "../src/store/port.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { creation, draftFor, keys, kind, uidOf } from "./documents.ts";
import { concurrently, percentile, rate } from "./measure.ts";
import { boundRow, createAll } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";
import { systemCause } from "../src/kernel/cause.ts";

const slice = 100_000;

export async function million(folder: string, total = 1_000_000): Promise<readonly Row[]> {
  const path = join(folder, "million.db");
  const rates: number[] = [];
  let store = await openSqliteStore({ path, keys });
  for (let start = 0; start < total; start += slice) {
    // Names in no order: the worst case for the index, and what generated names look like.
    const names = Array.from({ length: slice }, (_, index) => scattered(start + index));
    rates.push(await rate(() => createAll(store, names, 256)));
  }
  const slowdown = (rates[0] ?? 0) / (rates.at(-1) ?? 1);
  await store.close();

  const start = performance.now();
  store = await openSqliteStore({ path, keys });
  await store.commit([creation("ready")]);
  const readyMs = performance.now() - start;
  const gets = await rate(async () => {
    for (let index = 0; index < 20_000; index += 1) {
      const name = scattered((index * 7_919) % total);
      const found = await store.get({ kind, namespace: "bench", name });
      if (found === undefined) throw new Error(`${name} is missing`);
    }
    return 20_000;
  });
  const rss = process.memoryUsage().rss / 1024 ** 2;

  const waits = await compactHalf(store, total);
  await store.close();
  return [
    {
      ...boundRow("1,000,000: first / last 100,000 inserts", slowdown, "x", 1.5),
      raw: spread(rates),
    },
    boundRow("1,000,000: ready after a restart", readyMs / 1_000, "s", 3),
    boundRow("1,000,000: memory after 20,000 gets", rss, "MiB", 1_024),
    { ...infoRow("1,000,000: get by key, no order", figure(gets, "gets/s")) },
    boundRow("1,000,000: longest wait for the writer in compaction", waits.added, "ms", 20),
    infoRow(
      "1,000,000: a paced writer meanwhile, p50 / p99 / max",
      `${waits.p50.toFixed(1)} / ${waits.p99.toFixed(1)} / ${waits.max.toFixed(1)} ms`,
    ),
    infoRow("1,000,000: changes removed", `${waits.removed} in ${waits.seconds.toFixed(1)} s`),
  ];
}

interface Waits {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly added: number;
  readonly removed: number;
  readonly seconds: number;
}

/** Rewrites half of the resources, so that half of the log is superseded, and compacts it. */
async function compactHalf(store: Store, total: number): Promise<Waits> {
  await concurrently(256, total / 2, async (index) => {
    const name = scattered(index);
    const draft = draftFor(`${name}-again`);
    const key = { kind, namespace: "bench", name };
    const put = {
      kind: "put",
      cause: systemCause,
      key,
      uid: uidOf(name),
      draft,
      when: { kind: "exists" },
    } as const;
    const [answer] = await store.commit([put]);
    if (answer?.kind !== "committed") throw new Error(`not committed: ${JSON.stringify(answer)}`);
  });
  const quiet = await pacedWrites(store, "quiet", setTimeout(2_000));
  const { revision } = await store.head();
  const start = performance.now();
  const compaction = store.compact(revision);
  const waits = await pacedWrites(store, "busy", compaction);
  const { removed } = await compaction;
  const seconds = (performance.now() - start) / 1_000;
  const max = Math.max(...waits);
  // What compaction added: the longest wait now, less the ordinary commit of the same minute.
  return {
    p50: percentile(waits, 50),
    p99: percentile(waits, 99),
    max,
    added: max - percentile(quiet, 50),
    removed,
    seconds,
  };
}

/** One write after the other until `until` settles; how long each took, in ms. */
async function pacedWrites(
  store: Store,
  prefix: string,
  until: Promise<unknown>,
): Promise<readonly number[]> {
  const over = new AbortController();
  const ended = until.finally(() => over.abort());
  const waits: number[] = [];
  while (!over.signal.aborted) {
    const start = performance.now();
    await store.commit([creation(`${prefix}-${waits.length}`)]);
    waits.push(performance.now() - start);
    await setTimeout(1);
  }
  await ended;
  return waits;
}

function scattered(index: number): string {
  // A multiplication by an odd number is a permutation of the 32-bit numbers.
  return `m-${(Math.imul(index, 2_654_435_761) >>> 0).toString(16).padStart(8, "0")}`;
}

function spread(rates: readonly number[]): string {
  return `${figure(rates[0] ?? 0, "/s")} -> ${figure(rates.at(-1) ?? 0, "/s")}`;
}

function infoRow(what: string, ours: string): Row {
  return { what, raw: "", ours, result: "", asked: "(stated)", isMet: true };
}
