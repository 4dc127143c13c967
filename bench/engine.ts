/**
 * The engine against work queues on the same PostgreSQL: trivial jobs per second with ten at a
 * time, and how long a change waits for its start. Each contestant is a process of its own on a
 * database of its own; they take turns, first a turn to warm up, then the median of three. Before
 * each turn the database is vacuumed and a checkpoint is made, so that nobody pays for what others
 * left behind.
 *
 * The quickest two, the batched mode of graphile-worker and ours, need seconds and turns of their
 * own to be told apart: what counts is the median of the ratios of turns that follow each other.
 */
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../tests/peers/postgres.ts";
import type { Postgres } from "../tests/peers/postgres.ts";
import { median, percentile } from "./measure.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { program } from "./program.ts";
import type { BenchProgram } from "./program.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const jobs = 20_000;
const rounds = 3;
/** A turn takes seconds, and a pair that was disturbed does not count. */
const duel = { jobs: 100_000, pairs: 5 };
const paced = { count: 600, perSecond: 100 };

const peers = ["graphile-default", "graphile-batched", "pg-boss"] as const;
const onPostgres = [...peers, "setpoint-first", "setpoint-again"] as const;
const onSqlite = ["setpoint-sqlite-first", "setpoint-sqlite-again"] as const;
const duellists = ["graphile-batched", "setpoint-again"] as const;
type Name = (typeof onPostgres)[number] | (typeof onSqlite)[number];

interface Turn {
  readonly perSecond: number;
  /** Processor time per job, of the worker and of the database server, in microseconds. */
  readonly workerUs: number;
  readonly serverUs: number;
}

interface Entrant {
  readonly name: Name;
  readonly target: string;
  readonly worker: BenchProgram;
  readonly turns: Turn[];
}

export async function engine(folder: string): Promise<readonly Row[]> {
  await using server = await startPostgres();
  const entrants: Entrant[] = [];
  try {
    for (const name of onPostgres) {
      entrants.push(await enter(name, server.url(await server.createDatabase())));
    }
    for (const name of onSqlite) entrants.push(await enter(name, join(folder, `${name}.db`)));
    for (let round = 0; round <= rounds; round += 1) {
      for (const entrant of entrants) {
        const turn = await takeTurn(entrant, server);
        // The first turn is for the compiler and the caches.
        if (round > 0) entrant.turns.push(turn);
      }
    }
    const delays = await pacedDelays(entrants);
    const [peer, ours] = await duelTurns(server);
    return [...throughputRows(entrants), duelRow(peer, ours), ...delayRows(delays)];
  } finally {
    for (const entrant of entrants) entrant.worker[Symbol.dispose]();
  }
}

type Turns = readonly Turn[];

/** Turns of the quickest two, one after the other, on fresh databases. */
async function duelTurns(server: Postgres): Promise<readonly [peer: Turns, ours: Turns]> {
  const [peer, ours] = [
    await enter(duellists[0], server.url(await server.createDatabase())),
    await enter(duellists[1], server.url(await server.createDatabase())),
  ];
  try {
    for (let pair = 0; pair <= duel.pairs; pair += 1) {
      for (const entrant of [peer, ours]) {
        // The first is short: graphile-worker fills a table that was never analyzed for minutes.
        const turn = await takeTurn(entrant, server, pair === 0 ? jobs : duel.jobs);
        if (pair > 0) entrant.turns.push(turn);
      }
    }
    return [peer.turns, ours.turns];
  } finally {
    for (const { worker } of [peer, ours]) worker[Symbol.dispose]();
  }
}

function duelRow(peer: Turns, ours: Turns): Row {
  const ratios = ours.map(({ perSecond }, at) => perSecond / (peer[at]?.perSecond ?? Number.NaN));
  const ratio = median(ratios);
  const range = [Math.min(...ratios), Math.max(...ratios)].map((each) => each.toFixed(2));
  return {
    what: `PostgreSQL: ${settled}: graphile-worker batched`,
    raw: figure(median(peer.map(({ perSecond }) => perSecond)), "/s"),
    ours: figure(median(ours.map(({ perSecond }) => perSecond)), "/s"),
    result: `${ratio.toFixed(2)}x (${range.join(" to ")})`,
    asked: "0.5x (1x)",
    isMet: ratio >= 0.5,
  };
}

async function enter(name: Name, target: string): Promise<Entrant> {
  const worker = await startWorker(name, target);
  return { name, target, worker, turns: [] };
}

async function startWorker(name: Name, target: string): Promise<BenchProgram> {
  const worker = program("queue-peers/contestant.ts", [name, target]);
  await worker.line(/^ready/);
  return worker;
}

async function takeTurn(
  { name, target, worker }: Entrant,
  server: Postgres,
  count = jobs,
): Promise<Turn> {
  worker.tell(`fill ${count}\n`);
  await worker.line(/^filled/);
  if (target.startsWith("postgres:")) await tidyUp(target);
  const before = cpuMsOfTree(server.pid);
  worker.tell(`drain ${count}\n`);
  const [, text = "{}"] = await worker.line(/^drained (.*)/);
  const serverMs = cpuMsOfTree(server.pid) - before;
  const { ms, cpuMs } = JSON.parse(text) as { readonly ms: number; readonly cpuMs: number };
  const turn: Turn = {
    perSecond: (count * 1_000) / ms,
    workerUs: (cpuMs * 1_000) / count,
    serverUs: (serverMs * 1_000) / count,
  };
  console.error(`bench: engine: ${name}: ${turnText(turn)}`);
  return turn;
}

async function tidyUp(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("VACUUM (ANALYZE)");
    await client.query("CHECKPOINT");
  } finally {
    await client.end();
  }
}

const title = "trivial reconciles, 10 at a time";
/** Beyond what was asked: the completion comes with a change that watchers see. */
const wrote = `${title}, status written`;
const settled = `${title}, nothing to write`;

function throughputRows(entrants: readonly Entrant[]): readonly Row[] {
  const of = (name: Name): Turn => middle(entrants, name);
  const [plain, batched] = [of("graphile-default"), of("graphile-batched")];
  const first = of("setpoint-first");
  const again = of("setpoint-again");
  const firstLite = of("setpoint-sqlite-first");
  const againLite = of("setpoint-sqlite-again");
  const five = { first: 5, goal: 10 };
  return [
    contestRow(`PostgreSQL: ${settled}: graphile-worker`, plain, again, { first: 3 }),
    contestRow(`PostgreSQL: ${settled}: pg-boss tuned`, of("pg-boss"), again),
    contestRow(`PostgreSQL: ${wrote}: graphile-worker`, plain, first),
    contestRow(`PostgreSQL: ${wrote}: graphile-worker batched`, batched, first),
    contestRow(`PostgreSQL: ${wrote}: pg-boss tuned`, of("pg-boss"), first),
    contestRow(`SQLite: ${settled}: graphile-worker`, plain, againLite, five),
    contestRow(`SQLite: ${wrote}: graphile-worker`, plain, firstLite),
    ...entrants.map(({ name }) => ({
      what: `processor time per job: ${name}`,
      raw: "",
      ours: costText(of(name)),
      result: "",
      asked: "(stated)",
      isMet: true,
    })),
  ];
}

function contestRow(
  what: string,
  peer: Turn,
  ours: Turn,
  asked?: { readonly first: number; readonly goal?: number },
): Row {
  const ratio = ours.perSecond / peer.perSecond;
  const goal = asked?.goal === undefined ? "" : ` (${asked.goal}x)`;
  return {
    what,
    raw: figure(peer.perSecond, "/s"),
    ours: figure(ours.perSecond, "/s"),
    result: `${ratio.toFixed(2)}x`,
    asked: asked === undefined ? "(stated)" : `${asked.first}x${goal}`,
    isMet: ratio >= (asked?.first ?? 0),
  };
}

function middle(entrants: readonly Entrant[], name: Name): Turn {
  const turns = entrants.find((entrant) => entrant.name === name)?.turns ?? [];
  return {
    perSecond: median(turns.map((turn) => turn.perSecond)),
    workerUs: median(turns.map((turn) => turn.workerUs)),
    serverUs: median(turns.map((turn) => turn.serverUs)),
  };
}

type Delays = ReadonlyMap<Name, readonly number[]>;

/** Changes come from a process that does not work, as from another server. */
async function pacedDelays(entrants: readonly Entrant[]): Promise<Delays> {
  const found = new Map<Name, number[]>();
  const paceable = new Set<Name>([...peers, "setpoint-first"]);
  const chosen = entrants.filter(({ name }) => paceable.has(name));
  const senders = new Map<Name, BenchProgram>();
  try {
    for (const { name, target } of chosen) senders.set(name, await startWorker(name, target));
    for (let round = 0; round <= 1; round += 1) {
      for (const { name, worker } of chosen) {
        worker.tell(`follow ${paced.count}\n`);
        await worker.line(/^following/);
        senders.get(name)?.tell(`send ${paced.count} ${paced.perSecond}\n`);
        const [, text = "[]"] = await worker.line(/^delays (.*)/);
        const delays = JSON.parse(text) as readonly number[];
        console.error(`bench: engine: ${name}: ${delayText(delays)}`);
        if (round > 0) found.set(name, [...delays]);
      }
    }
  } finally {
    for (const sender of senders.values()) sender[Symbol.dispose]();
  }
  return found;
}

function delayRows(delays: Delays): readonly Row[] {
  const of = (name: Name): readonly number[] => delays.get(name) ?? [];
  const ours = of("setpoint-first");
  const what = `PostgreSQL: change in another process to its start, ${paced.perSecond}/s`;
  const p99 = percentile(ours, 99);
  const row = (peer: Name, isAsked: boolean): Row => ({
    what: `${what}, p50 / p99: ${peer}`,
    raw: delayText(of(peer)),
    ours: delayText(ours),
    result: `${(percentile(of(peer), 99) / p99).toFixed(2)}x`,
    asked: isAsked ? "p99 no worse" : "(stated)",
    isMet: !isAsked || p99 <= percentile(of(peer), 99),
  });
  return [row("graphile-default", true), row("graphile-batched", false), row("pg-boss", false)];
}

function delayText(delays: readonly number[]): string {
  return `${percentile(delays, 50).toFixed(1)} / ${percentile(delays, 99).toFixed(1)} ms`;
}

function turnText(turn: Turn): string {
  return `${figure(turn.perSecond, "/s")}, ${costText(turn)}`;
}

function costText({ workerUs, serverUs }: Turn): string {
  return `${workerUs.toFixed(0)} + ${serverUs.toFixed(0)} µs`;
}
