/**
 * The engine against work queues on the same PostgreSQL: trivial jobs per second with ten at a
 * time, and how long a change waits for its start. Each contestant is a process of its own on a
 * database of its own; they take turns, first a turn to warm up, then the median of three.
 */
import { join } from "node:path";
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
const paced = { count: 600, perSecond: 100 };

const peers = ["graphile-default", "graphile-batched", "pg-boss"] as const;
const onPostgres = [...peers, "setpoint-first", "setpoint-again"] as const;
const onSqlite = ["setpoint-sqlite-first", "setpoint-sqlite-again"] as const;
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
    return [...throughputRows(entrants), ...delayRows(delays)];
  } finally {
    for (const entrant of entrants) entrant.worker[Symbol.dispose]();
  }
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

async function takeTurn({ name, worker }: Entrant, server: Postgres): Promise<Turn> {
  worker.tell(`fill ${jobs}\n`);
  await worker.line(/^filled/);
  const before = cpuMsOfTree(server.pid);
  worker.tell(`drain ${jobs}\n`);
  const [, text = "{}"] = await worker.line(/^drained (.*)/);
  const serverMs = cpuMsOfTree(server.pid) - before;
  const { ms, cpuMs } = JSON.parse(text) as { readonly ms: number; readonly cpuMs: number };
  const turn: Turn = {
    perSecond: (jobs * 1_000) / ms,
    workerUs: (cpuMs * 1_000) / jobs,
    serverUs: (serverMs * 1_000) / jobs,
  };
  console.error(`bench: engine: ${name}: ${turnText(turn)}`);
  return turn;
}

function throughputRows(entrants: readonly Entrant[]): readonly Row[] {
  const of = (name: Name): Turn => middle(entrants, name);
  const [plain, batched] = [of("graphile-default"), of("graphile-batched")];
  const first = of("setpoint-first");
  const again = of("setpoint-again");
  const firstLite = of("setpoint-sqlite-first");
  const againLite = of("setpoint-sqlite-again");
  const title = "trivial reconciles, 10 at a time";
  const wrote = `${title}, status written`;
  const settled = `${title}, nothing to write`;
  const [three, half, five] = [{ first: 3 }, { first: 0.5, goal: 1 }, { first: 5, goal: 10 }];
  return [
    contestRow(`PostgreSQL: ${wrote}: graphile-worker`, plain, first, three),
    contestRow(`PostgreSQL: ${settled}: graphile-worker`, plain, again, three),
    contestRow(`PostgreSQL: ${wrote}: graphile-worker batched`, batched, first, half),
    contestRow(`PostgreSQL: ${settled}: graphile-worker batched`, batched, again, half),
    contestRow(`PostgreSQL: ${wrote}: pg-boss tuned`, of("pg-boss"), first),
    contestRow(`PostgreSQL: ${settled}: pg-boss tuned`, of("pg-boss"), again),
    contestRow(`SQLite: ${wrote}: graphile-worker`, plain, firstLite, five),
    contestRow(`SQLite: ${settled}: graphile-worker`, plain, againLite, five),
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
