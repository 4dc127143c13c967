/**
 * `npm run bench`: every speed that is promised, side by side with the raw limit of the machine
 * in the same run, as one table. `-- --only PART` runs a part, `-- --help` names them. Ends with
 * exit code 1 when a row is missed.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { startPostgres } from "../tests/peers/postgres.ts";
import { numbersIn, parsedOrExit } from "../tools/usage.ts";
import { arm } from "./arm.ts";
import { bus } from "./bus.ts";
import { consoleTable } from "./console.ts";
import { keys } from "./documents.ts";
import { engine } from "./engine.ts";
import { environments } from "./environments.ts";
import { fleetAgents } from "./fleet-agents.ts";
import { fleet } from "./fleet.ts";
import { idle } from "./idle.ts";
import { isolation } from "./isolation.ts";
import { kube } from "./kube.ts";
import { million } from "./million.ts";
import { twoWriters, wakeUp } from "./processes.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { RawSqlite } from "./raw-sqlite.ts";
import { servedSearch } from "./search-served.ts";
import { search } from "./search.ts";
import { claims, fairClaims, groupWrites, loopDelay, reads, singleWrites } from "./store.ts";
import { stretches } from "./stretches.ts";
import { tableText } from "./table.ts";
import type { Row } from "./table.ts";
import { tenants } from "./tenants.ts";

const parts = [
  "sqlite",
  "postgres",
  "kube",
  "arm",
  "bus",
  "engine",
  "console",
  "environments",
  "fleet",
  "fleet-agents",
  "gitops",
  "search",
  "idle",
  "isolation",
  "tenants",
  "requests",
  "million",
];
const usage = `usage: npm run bench -- [options]

  --only PART     one of ${parts.join(", ")}
  --attack NAME   one attack of the part tenants
  --request TEXT  those of the part requests whose names contain the text
  --profile       prints the functions of long stretches in the part requests
  --million N     a smaller number of resources in the last part (1000000)`;

const { only, count, attack, request, isProfiled } = parsedOrExit("bench", usage, () => {
  const options = {
    only: { type: "string" },
    attack: { type: "string" },
    request: { type: "string" },
    profile: { type: "boolean", default: false },
    million: { type: "string", default: "1000000" },
  } as const;
  const { values } = parseArgs({ options });
  const { only: part, million: size } = values;
  if (part !== undefined && !parts.includes(part)) throw new Error(`there is no part ${part}`);
  const { million: wanted } = numbersIn({ million: size });
  const named = { attack: values.attack, request: values.request, isProfiled: values.profile };
  return { only: part, count: wanted, ...named };
});
const folder = await mkdtemp(join(tmpdir(), "setpoint-bench-"));
const rows: Row[] = [];
/** What no row of a table can show. */
const notes: string[] = [];
try {
  if (isWanted("sqlite")) rows.push(...(await sqlite()));
  if (isWanted("postgres")) rows.push(...(await postgres()));
  if (isWanted("kube")) rows.push(...(await kubeRows()));
  if (isWanted("arm")) rows.push(...(await arm(folder)));
  if (isWanted("bus")) rows.push(...(await bus(folder)));
  if (isWanted("engine")) rows.push(...(await engine(folder)));
  if (isWanted("console")) rows.push(...(await consoleTable(folder)));
  if (isWanted("environments")) rows.push(...(await environments(folder)));
  if (isWanted("fleet")) rows.push(...(await fleet(folder)));
  if (isWanted("fleet-agents")) rows.push(...(await fleetAgents(folder)));
  if (isWanted("gitops")) rows.push(...(await gitops()));
  if (isWanted("search")) rows.push(...(await search()), ...(await servedSearch(folder)));
  if (isWanted("idle")) rows.push(...(await idle(folder, (note) => notes.push(note))));
  if (isWanted("isolation")) rows.push(...(await isolation(folder)));
  if (isWanted("tenants")) rows.push(...(await tenants({ folder, attack })));
  if (isWanted("requests")) rows.push(...(await stretches({ folder, request, isProfiled })));
  if (isWanted("million")) rows.push(...(await million(folder, count)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(tableText(rows));
console.log("\nA result is the median of the rounds' own; the figures beside it are medians, too.");
for (const note of notes) console.log(`\n${note}`);
process.exit(rows.every((row) => row.isMet) ? 0 : 1);

function isWanted(part: string): boolean {
  if (only !== undefined && only !== part) return false;
  console.error(`bench: ${part}`);
  return true;
}

async function sqlite(): Promise<readonly Row[]> {
  using raw = new RawSqlite(folder);
  await using store = await openSqliteStore({ path: join(folder, "store.db"), keys });
  const who = { title: "SQLite", raw, store };
  const found: Row[] = [await groupWrites(who, { first: 0.5, goal: 0.8 })];
  found.push(await singleWrites(who, { first: 0.5 }), await loopDelay(store));
  found.push(...(await reads(who)), await claims(who, 10), await claims(who, 100));
  found.push(await fairClaims(who, 100));
  return found;
}

/** The file is deleted with its module, so no import names it. */
async function gitops(): Promise<readonly Row[]> {
  const { href } = new URL("gitops.ts", import.meta.url);
  const part = (await import(href)) as { gitops(folder: string): Promise<readonly Row[]> };
  return await part.gitops(folder);
}

async function kubeRows(): Promise<readonly Row[]> {
  const embedded = await kube({ title: "kube on SQLite", folder });
  await using server = await startPostgres();
  const store = server.url(await server.createDatabase());
  return [
    ...embedded,
    ...(await kube({ title: "kube on PostgreSQL", folder, store, isShort: true })),
  ];
}

async function postgres(): Promise<readonly Row[]> {
  await using server = await startPostgres();
  await using raw = await RawPostgres.open(server.url(await server.createDatabase()));
  const newDatabase = async (): Promise<string> => server.url(await server.createDatabase());
  await using store = await openPostgresStore({ url: await newDatabase(), keys });
  const who = { title: "PostgreSQL", raw, store };
  return [
    await groupWrites(who, { first: 0.4, goal: 0.7 }),
    await singleWrites(who, { first: 0.5 }),
    ...(await reads(who)),
    await claims(who, 10),
    await claims(who, 100),
    await fairClaims(who, 100),
    ...(await twoWriters(newDatabase)),
    ...(await wakeUp(await newDatabase())),
  ];
}
