// Crashes for as long as one likes: `npm run crash -- --minutes 10 --seed 1`. Rounds on SQLite and
// on PostgreSQL take turns; each store is replaced by an empty one after some rounds, so that the
// checks stay short and first rounds are tried often. One line per round, a summary at the end,
// exit code 1 when a promise was broken. The order of crashes is repeated by the same seed; their
// moment only nearly, since the machine has a say in it.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../src/kernel/random.ts";
import { numbersIn, parsedOrExit } from "../../tools/usage.ts";
import { startPostgres } from "../peers/postgres.ts";
import { openDisk, startPostgresOn } from "./disk.ts";
import { Ledger } from "./ledger.ts";
import { postgresRound, roundLine, sqliteCampaign, sqliteRound } from "./rounds.ts";
import type { PostgresCrash, RoundResult, SqliteCrash } from "./rounds.ts";

const usage = `usage: npm run crash -- [options]

  --minutes N                      for how long (10)
  --seed N                         repeats the order of crashes
  --engine sqlite|postgres|both    which store (both)
  --rounds N                       before a store is replaced by an empty one (6)`;

const {
  seed,
  minutes,
  rounds: roundsPerStore,
  engine,
} = parsedOrExit("crash", usage, () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String((Date.now() % 1_000_000) + 1) },
      engine: { type: "string", default: "both" },
      rounds: { type: "string", default: "6" },
    },
  });
  const { engine: chosenEngine, ...numbers } = values;
  if (!["sqlite", "postgres", "both"].includes(chosenEngine)) {
    throw new Error(`--engine takes sqlite, postgres or both, not ${chosenEngine}`);
  }
  return { engine: chosenEngine, ...numbersIn(numbers) };
});
const endsAt = performance.now() + minutes * 60_000;
const results: RoundResult[] = [];
let next = seed;

console.log(`seed ${seed}; for ${minutes} minutes`);
const canLosePower = await canMount();
for (let campaigns = 0; performance.now() < endsAt; campaigns += 1) {
  const hasDisk = canLosePower && campaigns % 4 >= 2;
  const isPostgres = engine === "both" ? campaigns % 2 === 1 : engine === "postgres";
  if (isPostgres) await postgresCampaign(hasDisk);
  else await sqliteRounds(hasDisk);
}
process.exitCode = summary();

async function canMount(): Promise<boolean> {
  await using disk = await openDisk(16, (why) => console.log(`no losses of power: ${why}`));
  return disk !== undefined;
}

async function sqliteRounds(hasDisk: boolean): Promise<void> {
  const disk = hasDisk ? await openDisk(1_024, console.log) : undefined;
  const folder = disk?.path ?? (await mkdtemp(join(tmpdir(), "setpoint-crash-")));
  const path = join(folder, "store.db");
  try {
    const campaign = sqliteCampaign(path, disk === undefined ? {} : { disk });
    const crashes: readonly SqliteCrash[] =
      disk !== undefined ? ["power loss"] : ["kill", "kill", "early kill", "kill while closing"];
    await rounds((number) => sqliteRound(campaign, number, chosen(crashes, number)));
  } finally {
    if (disk === undefined) await rm(folder, { recursive: true, force: true });
    else await disk[Symbol.asyncDispose]();
  }
}

async function postgresCampaign(hasDisk: boolean): Promise<void> {
  const disk = hasDisk ? await openDisk(2_048, console.log) : undefined;
  try {
    await using server = await (disk === undefined ? startPostgres() : startPostgresOn(disk));
    const target = server.url(await server.createDatabase());
    const parts = { target, server, ledger: new Ledger(), maxPauseMs: 1_500 };
    const campaign = disk === undefined ? parts : { ...parts, disk };
    const crashes: readonly PostgresCrash[] =
      disk !== undefined
        ? ["power loss"]
        : ["kill a writer", "kill the server", "kill all", "stop the server"];
    await rounds((number) => postgresRound(campaign, number, chosen(crashes, number)));
  } finally {
    await disk?.[Symbol.asyncDispose]();
  }
}

/** A broken store is left at once: what it says afterwards is the same finding again. */
async function rounds(run: (seed: number) => Promise<RoundResult>): Promise<void> {
  for (let round = 0; round < roundsPerStore && performance.now() < endsAt; round += 1) {
    const result = await run(next++);
    console.log(roundLine(result));
    results.push(result);
    if (result.findings.length > 0) return;
  }
}

function chosen<T>(list: readonly T[], number: number): T {
  const index = Math.floor(seededRandom(number).next() * list.length);
  const item = list[index];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
}

function summary(): number {
  const broken = results.filter((result) => result.findings.length > 0);
  const sum = (of: (result: RoundResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const crashes = Map.groupBy(results, (result) => result.crash);
  console.log(
    `\n${results.length} rounds, ${sum((r) => r.acknowledged)} acknowledged writes, ` +
      `${sum((r) => r.unknown)} unanswered: ${broken.length} broken (seed ${seed})`,
  );
  for (const [crash, list] of crashes) console.log(`  ${crash}: ${list.length}`);
  return broken.length > 0 ? 1 : 0;
}
