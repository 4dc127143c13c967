/** Benches that need more than one process on PostgreSQL: scaling of writers, and wake-up time. */
import { setTimeout } from "node:timers/promises";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { creation, keys } from "./documents.ts";
import { median, percentile } from "./measure.ts";
import { program } from "./program.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { boundRow, ratioRow } from "./store.ts";
import type { Row } from "./table.ts";

const seconds = "2";
const rounds = 7;

type How = "raw" | "port";

/** Beside the raw insert, whose gain by a second process is what the machine has to give. */
export async function twoWriters(newDatabase: () => Promise<string>): Promise<readonly Row[]> {
  const one: Record<How, number[]> = { raw: [], port: [] };
  const two: Record<How, number[]> = { raw: [], port: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const how of ["raw", "port"] as const) {
      one[how].push(await writersRate(await newDatabase(), ["a"], how));
      two[how].push(await writersRate(await newDatabase(), ["a", "b"], how));
    }
  }
  const row = (what: string, how: How): Row => {
    const ratio = median(two[how].map((both, round) => both / (one[how][round] ?? Number.NaN)));
    const result = { raw: median(one[how]), ours: median(two[how]), ratio };
    return ratioRow(what, result, "writes/s", { first: 1.3 });
  };
  return [
    row("PostgreSQL: two processes against one", "port"),
    {
      ...row("PostgreSQL: the same of the raw array insert", "raw"),
      asked: "(stated)",
      isMet: true,
    },
  ];
}

async function writersRate(url: string, prefixes: readonly string[], how: How): Promise<number> {
  // The tables are made by one, since two at once would be in each other's way.
  if (how === "raw") await (await RawPostgres.open(url))[Symbol.asyncDispose]();
  const writers = prefixes.map((prefix) =>
    program("second-writer.ts", [url, prefix, seconds, how]),
  );
  await Promise.all(writers.map((writer) => writer.line(/^ready/)));
  for (const writer of writers) writer.tell("go\n");
  const rates = await Promise.all(writers.map((writer) => writer.line(/^rate (.*)/)));
  return rates.reduce((sum, [, text]) => sum + Number(text), 0);
}

export async function wakeUp(url: string): Promise<readonly Row[]> {
  const count = 1_000;
  const store = await openPostgresStore({ url, keys });
  const follower = program("follower.ts", [url, String(count)]);
  await follower.line(/^following/);
  for (let index = 0; index < count; index += 1) {
    const put = creation(`f-${index}`);
    const body = Buffer.from(
      JSON.stringify({ sentNs: String(process.hrtime.bigint()), pad: "x".repeat(1_000) }),
    );
    await store.commit([{ ...put, draft: { ...put.draft, body } }]);
    await setTimeout(2);
  }
  const [, text = "[]"] = await follower.line(/^delays (.*)/);
  await store.close();
  const delays = JSON.parse(text) as readonly number[];
  const what = "PostgreSQL: commit here to its change in another process";
  return [
    boundRow(`${what}, p50`, percentile(delays, 50), "ms", 5),
    boundRow(`${what}, p99`, percentile(delays, 99), "ms", 20),
  ];
}
