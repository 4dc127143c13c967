/**
 * What a server costs that has nothing to do: a real one with 100,000 settled resources, each of
 * which will be looked at again some hours later. With it goes the plan of the statement that looks
 * for work: it must not touch what is settled.
 */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { claimQueries } from "../src/store/sqlite/claims.ts";
import { startPostgres } from "../tests/peers/postgres.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { httpLoad, requestBytes } from "./http-load.ts";
import { json } from "./kube-objects.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { boundRow } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const count = 100_000;
/** A kind that is new has all of its resources woken once more after half a minute. */
const adoptedMs = 40_000;
const quietMs = 3_000;
/** After the last run the log is still followed, and files are brought in order. */
const restMs = 20_000;
const measuredMs = 20_000;
const kind = "stones.bench.setpoint.dev";
const collection = "/apis/bench.setpoint.dev/v1/namespaces/default/stones";
const args = ["--module", join(import.meta.dirname, "idle-module.ts")];

export async function idle(folder: string, note: (text: string) => void): Promise<readonly Row[]> {
  const data = join(folder, "idle");
  const embedded = await startSetpoint({ data, args });
  const rows = [await idleRow("SQLite", embedded)];
  await embedded.stop();
  note(`the search for work on SQLite\n${sqlitePlans(join(data, "setpoint.db"))}`);
  await using postgres = await startPostgres();
  const store = postgres.url(await postgres.createDatabase());
  await using server = await startSetpoint({ store, args });
  rows.push(await idleRow("PostgreSQL", server, postgres.pid));
  note(`the search for work on PostgreSQL\n${await postgresPlans(store)}`);
  return rows;
}

async function idleRow(title: string, server: Setpoint, databasePid?: number): Promise<Row> {
  console.error(`bench: idle: ${title}`);
  const adopted = setTimeout(adoptedMs);
  const { hostname: host, port } = new URL(server.url);
  const { ca, token } = server;
  await httpLoad({
    target: { host, port: Number(port), ca },
    connections: 32,
    requests: count,
    request: (i) => requestBytes("POST", collection, token, json(stone(`stone-${i}`, i))),
  });
  await adopted;
  await waitUntil("all to be settled", async () => await isQuiet(server), { limitMs: 600_000 });
  await setTimeout(restMs);
  const pids = [server.pid, databasePid];
  const before = [await runsOf(server), ...pids.map(cpuMsOfTree)] as const;
  await setTimeout(measuredMs);
  const [runs, own, database] = [await runsOf(server), ...pids.map(cpuMsOfTree)] as const;
  const percent = (now = 0, then = 0): number => ((now - then) / measuredMs) * 100;
  const share = percent(own, before[1]);
  const beside = `database ${figure(percent(database, before[2]), "%")}`;
  const row = boundRow(`${title}: idle with 100,000 settled resources`, share, "% of a core", 2);
  const again = runs === before[0] ? "" : `, ${runs - before[0]} runs`;
  return { ...row, raw: databasePid === undefined ? "" : beside, ours: `${row.ours}${again}` };
}

/** Whether everything was reconciled, and nothing is any more. */
async function isQuiet(server: Setpoint): Promise<boolean> {
  const before = await runsOf(server);
  await setTimeout(quietMs);
  return before >= count && (await runsOf(server)) === before;
}

function stone(name: string, size: number): string {
  const head = { apiVersion: "bench.setpoint.dev/v1", kind: "Stone", metadata: { name } };
  return JSON.stringify({ ...head, spec: { size } });
}

async function runsOf(server: Setpoint): Promise<number> {
  const { body } = await server.ask("/metrics");
  const [, text = "0"] =
    /^setpoint_reconciles_total\{.*"done"\} (\d+)$/m.exec(body.toString()) ?? [];
  return Number(text);
}

function sqlitePlans(path: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  const [due] = db.prepare("SELECT count(*) AS rows FROM due WHERE kind = ?").all(kind);
  const plans = Object.entries(claimQueries).map(([name, sql]) => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return [`  ${name}:`, ...steps.map((step) => `    ${String(step["detail"])}`)].join("\n");
  });
  db.close();
  return [`  rows of work that are due later: ${String(due?.["rows"])}`, ...plans].join("\n");
}

/** The server explains what it runs inside of its function, and tells it to this session. */
async function postgresPlans(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  const plans: string[] = [];
  client.on("notice", ({ message = "" }) => plans.push(message));
  await client.connect();
  await client.query(`LOAD 'auto_explain';
    SET search_path = setpoint; SET client_min_messages = log;
    SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
    SET auto_explain.log_analyze = on; SET auto_explain.log_timing = off;
    SET auto_explain.log_buffers = on`);
  const { rows } = await client.query("SELECT count(*) AS rows FROM due WHERE kind = $1", [kind]);
  plans.length = 0;
  await client.query(
    "SELECT * FROM claim_v4('bench', $1, 100, 1000, NULL, '{}', NULL, 1024, 0, 0, false, 0)",
    [[kind]],
  );
  await client.end();
  const shown = plans.filter((plan) => plan.includes("due"));
  return [
    `  rows of work that are due later: ${String((rows as { rows: string }[])[0]?.rows)}`,
    ...shown.map((plan) => plan.replace(/^.*?Query Text:/s, "").replaceAll(/^/gm, "    ")),
  ].join("\n");
}
