// The rounds of crash.test.ts and crash.ts. A round starts writers on a store that may hold the
// data of earlier rounds, chooses a moment and a way to crash by a seed, crashes, and lets
// check.ts judge what is left. The ledger of all rounds on the same data is one, so that nothing
// acknowledged in an earlier round may be missing in a later one.
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { checkStore } from "./check.ts";
import type { Disk } from "./disk.ts";
import { parseEvidence } from "./evidence.ts";
import { Ledger } from "./ledger.ts";
import { openTarget, sqliteTarget } from "./target.ts";

export interface RoundResult {
  readonly seed: number;
  readonly crash: string;
  /** In this round. */
  readonly acknowledged: number;
  readonly unknown: number;
  /** On this data so far. */
  readonly head: number;
  readonly compacted: number;
  readonly checkMs: number;
  readonly findings: readonly string[];
}

export interface Campaign {
  readonly target: string;
  readonly ledger: Ledger;
  /** When given, the server of the target. */
  readonly server?: Postgres;
  /** When given, the disk that holds the data: crashes may then be losses of power. */
  readonly disk?: Disk;
  readonly maxPauseMs: number;
}

export type SqliteCrash = "kill" | "early kill" | "kill while closing" | "power loss";
export type PostgresCrash =
  | "kill a writer"
  | "kill the server"
  | "kill all"
  | "stop the server"
  | "power loss";

export function sqliteCampaign(path: string, parts: Partial<Campaign> = {}): Campaign {
  return { target: sqliteTarget(path), ledger: new Ledger(), maxPauseMs: 1_500, ...parts };
}

export async function sqliteRound(
  campaign: Campaign,
  seed: number,
  crash: SqliteCrash,
): Promise<RoundResult> {
  const random = seededRandom(seed);
  const writer = await startWriter(campaign, "w", seed, random);
  try {
    if (crash === "early kill") {
      // In the middle of opening, which after a crash is the middle of recovery.
      await pause(random, 300);
    } else {
      await acknowledgedMore(writer, 0);
      await pause(random, campaign.maxPauseMs);
    }
    if (crash === "kill while closing") {
      writer.signal("SIGTERM");
      await pause(random, 30);
    }
    if (crash === "power loss") {
      writer.signal("SIGSTOP");
      await campaign.disk?.cut(async () => void (await writer.kill9()));
    }
  } finally {
    await writer.kill9();
  }
  return await judge(campaign, [writer], { seed, crash });
}

export async function postgresRound(
  campaign: Campaign,
  seed: number,
  crash: PostgresCrash,
): Promise<RoundResult> {
  const random = seededRandom(seed);
  const first = await startWriter(campaign, "a", seed * 2, random);
  const second = await startWriter(campaign, "b", seed * 2 + 1, random);
  try {
    await Promise.all([acknowledgedMore(first, 0), acknowledgedMore(second, 0)]);
    await pause(random, campaign.maxPauseMs);
    await crashPostgres(campaign, crash, [first, second], random);
  } finally {
    await first.kill9();
    await second.kill9();
  }
  return await judge(campaign, [first, second], { seed, crash });
}

async function crashPostgres(
  campaign: Campaign,
  crash: PostgresCrash,
  [first, second]: readonly [Program, Program],
  random: Random,
): Promise<void> {
  const { server, disk } = campaign;
  if (server === undefined) throw new Error("a round on PostgreSQL needs its server");
  switch (crash) {
    case "kill a writer":
      await first.kill9();
      // The other one goes on as if nothing had happened.
      return await acknowledgedMore(second, second.stdout().length);
    case "kill the server":
    case "stop the server":
      if (crash === "stop the server") await server.stop();
      else await server.kill9();
      await pause(random, 300);
      await server.start();
      // Both come back by themselves.
      await acknowledgedMore(first, first.stdout().length);
      return await acknowledgedMore(second, second.stdout().length);
    case "kill all":
      await Promise.all([first.kill9(), second.kill9(), server.kill9()]);
      return await server.start();
    case "power loss":
      server.pause();
      await disk?.cut(async () => {
        await Promise.all([first.kill9(), second.kill9()]);
        await server.kill9();
      });
      return await server.start();
    default:
      return crash satisfies never;
  }
}

async function startWriter(
  { target }: Campaign,
  name: string,
  seed: number,
  random: Random,
): Promise<Program> {
  const lanes = String(2 + Math.floor(random.next() * 10));
  const compact = random.next() < 0.3 ? ["compact"] : [];
  const args = [target, `${name}${seed}`, String(seed), lanes, ...compact];
  return await startProgram("tests/chaos/writer.ts", { args });
}

/** Waits until the writer was answered a few times after this place of its output. */
export async function acknowledgedMore(writer: Program, from: number): Promise<void> {
  let hasEnded = false;
  const ending = writer.waitForExit({ limitMs: 120_000 });
  void ending.then(
    () => (hasEnded = true),
    () => undefined,
  );
  const hasMore = (): boolean => {
    if (hasEnded) throw new Error("the writer ended");
    const fresh = writer.stdout().slice(from);
    return fresh.split('"kind":"committed"').length > 20;
  };
  await waitUntil("acknowledgements", hasMore, { limitMs: 120_000 }).catch((error: unknown) => {
    const tail = writer.stdout().slice(-2_000);
    throw new Error(`the writer stands still:\n${tail}\n${writer.stderr()}`, { cause: error });
  });
}

async function judge(
  campaign: Campaign,
  writers: readonly Program[],
  round: { readonly seed: number; readonly crash: string },
): Promise<RoundResult> {
  const { ledger, target } = campaign;
  const before = { acknowledged: ledger.acknowledged, unknown: ledger.unknown };
  for (const writer of writers) {
    ledger.add(parseEvidence(writer.stdout()));
    if (writer.stderr() !== "") ledger.problems.push(writer.stderr().slice(0, 2_000));
  }
  const startedAt = performance.now();
  await using store = await openTarget(target);
  const { revision: head, compacted } = await store.head();
  const findings = await checkStore(store, ledger, { seed: round.seed });
  return {
    ...round,
    acknowledged: ledger.acknowledged - before.acknowledged,
    unknown: ledger.unknown - before.unknown,
    head,
    compacted,
    checkMs: Math.round(performance.now() - startedAt),
    findings,
  };
}

export function roundLine(result: RoundResult): string {
  const { seed, crash, acknowledged, unknown, head, compacted, checkMs, findings } = result;
  const verdict = findings.length === 0 ? "sound" : `BROKEN\n  ${findings.join("\n  ")}`;
  return (
    `seed ${seed}: ${crash} after ${acknowledged} acknowledged and ${unknown} unanswered; ` +
    `head ${head}, mark ${compacted}, checked in ${checkMs} ms: ${verdict}`
  );
}

/** Bounded, and from the seed: it chooses the moment of the crash. */
async function pause(random: Random, maxMs: number): Promise<void> {
  await delay(random.next() * maxMs);
}
