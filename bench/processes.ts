/** Benches that need more than one process on PostgreSQL: scaling of writers, and wake-up time. */
import { setTimeout } from "node:timers/promises";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { creation, keys } from "./documents.ts";
import { duel, percentile } from "./measure.ts";
import type { Contest, Duel } from "./measure.ts";
import { program } from "./program.ts";
import type { BenchProgram } from "./program.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { boundRow, ratioRow } from "./store.ts";
import type { Row } from "./table.ts";

const roundSeconds = 1;
const rounds = 15;

type How = "raw" | "port";

/**
 * Beside the raw insert, whose gain by a second process is what the machine has to give. Both
 * processes run all the time, as servers do, and one of them pauses in every other second.
 */
export async function twoWriters(newDatabase: () => Promise<string>): Promise<readonly Row[]> {
  const raw = await writersDuel(await newDatabase(), "raw");
  const port = await writersDuel(await newDatabase(), "port");
  const asked = { first: 1.3 };
  return [
    ratioRow("PostgreSQL: two processes against one", port, "writes/s", asked),
    {
      ...ratioRow("PostgreSQL: the same of the raw array insert", raw, "writes/s", asked),
      asked: "(stated)",
      isMet: true,
    },
  ];
}

async function writersDuel(url: string, how: How): Promise<Duel> {
  // The tables are made by one, since two at once would be in each other's way.
  if (how === "raw") await (await RawPostgres.open(url))[Symbol.asyncDispose]();
  using stack = new DisposableStack();
  const writers = ["a", "b"].map((prefix) =>
    stack.use(program("second-writer.ts", [url, prefix, how])),
  );
  await Promise.all(writers.map((writer) => writer.line(/^ready/)));
  let turn = 0;
  const alone = async (): Promise<number> => {
    turn += 1;
    return await rateOf(writers.slice(turn % 2, (turn % 2) + 1));
  };
  const contest: Contest = {
    name: "two processes against one",
    unit: "/s",
    raw: alone,
    ours: async () => await rateOf(writers),
  };
  return await duel(contest, rounds);
}

async function rateOf(writers: readonly BenchProgram[]): Promise<number> {
  for (const writer of writers) writer.tell(`${roundSeconds}\n`);
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
