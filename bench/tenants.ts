/**
 * Isolation of tenants: while one tenant runs an attack (attacks/), another tenant sends ordinary
 * requests. Each attack gets a new server with two processors, and one row of the table: the time
 * of the other tenant's gets, the time of /livez, the time until the other tenant's events arrive,
 * refusals of its requests, and the memory of the server.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { allAttacks } from "./all-attacks.ts";
import { askOnce } from "./attack.ts";
import type { Account, AttackTarget } from "./attack.ts";
import { percentile } from "./measure.ts";
import { peakMemoryMiB } from "./peak-memory.ts";
import { program } from "./program.ts";
import { probe } from "./tenant-probe.ts";
import type { Probed } from "./tenant-probe.ts";
import type { Row } from "./table.ts";
import { probeWatch } from "./watch-probe.ts";
import type { WatchProbed } from "./watch-probe.ts";

const attackMs = 10_000;
/** The first seconds of an attack count as well, so the probe begins before it. */
const calmMs = 1_000;
const asked = { getP99Ms: 100, livezMs: 250, watchP99Ms: 250, memoryMiB: 1_024 };

const attacker = "mallory";
const tenant = "alice";
const users = [attacker, "mallory-2", "stranger", "stranger-2", tenant];

export interface TenantsInput {
  readonly folder: string;
  /** One attack; all of them when left out. */
  readonly attack?: string | undefined;
}

export async function tenants({ folder, attack }: TenantsInput): Promise<readonly Row[]> {
  const names = (await allAttacks()).map(({ name }) => name);
  const wanted = names.filter((name) => attack === undefined || attack === name);
  if (wanted.length === 0) throw new Error(`there is no attack ${attack}: ${names.join(", ")}`);
  const config = join(folder, "tenants.yaml");
  await writeFile(
    join(folder, "tokens.csv"),
    users.map((user) => `${tokenOf(user)},${user},uid-${user}`).join("\n"),
  );
  await writeFile(config, "tokenFile: tokens.csv\n");
  const rows: Row[] = [];
  for (const name of wanted) {
    console.error(`bench: tenants: ${name}`);
    rows.push(await underAttack(name, config));
  }
  return rows;
}

async function underAttack(name: string, config: string): Promise<Row> {
  await using server = await startSetpoint({ args: ["--config", config] });
  const target = targetOf(server);
  await makeTenants(target);
  using attack = program("attack-program.ts", [name]);
  attack.tell(`${JSON.stringify(target)}\n`);
  await attack.line(/^prepared/);
  const memory = peakMemoryMiB(server.pid);
  const ended = new AbortController();
  const probed = probe(target, accountOf(tenant), tenant, ended.signal);
  const watched = probeWatch(
    target,
    accountOf(tenant),
    { namespace: tenant, name: "two" },
    ended.signal,
  );
  await sleep(calmMs);
  attack.tell("begin\n");
  await sleep(attackMs);
  attack.tell("end\n");
  ended.abort();
  return rowOf(name, { ...(await probed), watched: await watched }, memory.stop());
}

function rowOf(
  name: string,
  found: Probed & { readonly watched: WatchProbed },
  memoryMiB: number,
): Row {
  const { getP99Ms, livezMs, watched } = found;
  const refused = found.refused + watched.missed;
  const watchP99Ms = percentile(watched.timesMs, 99);
  const requests = `get p99 ${getP99Ms.toFixed(0)} ms, livez max ${livezMs.toFixed(0)} ms`;
  const times = `${requests}, event p99 ${watchP99Ms.toFixed(0)} ms`;
  return {
    what: `tenants: ${name}`,
    raw: `${found.requests} requests`,
    ours: `${times}, ${memoryMiB.toFixed(0)} MiB`,
    result: refused === 0 ? "none refused" : `${refused} refused`,
    asked:
      `< ${asked.getP99Ms} ms, < ${asked.livezMs} ms, < ${asked.watchP99Ms} ms, ` +
      `< ${asked.memoryMiB} MiB, none refused`,
    isMet:
      getP99Ms < asked.getP99Ms &&
      livezMs < asked.livezMs &&
      watchP99Ms < asked.watchP99Ms &&
      memoryMiB < asked.memoryMiB &&
      refused === 0,
  };
}

function targetOf(server: Setpoint): AttackTarget {
  const { hostname: host, port } = new URL(server.url);
  return {
    host,
    port: Number(port),
    ca: server.ca,
    namespace: attacker,
    accounts: [accountOf(attacker), accountOf("mallory-2")],
    strangers: [accountOf("stranger"), accountOf("stranger-2")],
    admin: { user: "admin", token: server.token },
  };
}

function tokenOf(user: string): string {
  return `bench-token-of-${user}`;
}

function accountOf(user: string): Account {
  return { user, token: tokenOf(user) };
}

/** A namespace and the role `edit` in it for each tenant, and the objects of the probes. */
async function makeTenants(target: AttackTarget): Promise<void> {
  const members = { [attacker]: [attacker, "mallory-2"], [tenant]: [tenant] };
  for (const [namespace, names] of Object.entries(members)) {
    const path = `/api/v1/namespaces/${namespace}`;
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
    await make(target, "/api/v1/namespaces", { metadata: { name: namespace } });
    await make(target, rbac, {
      metadata: { name: "members" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
      subjects: names.map((name) => ({
        apiGroup: "rbac.authorization.k8s.io",
        kind: "User",
        name,
      })),
    });
    const data = { text: "x".repeat(600) };
    await make(target, `${path}/configmaps`, { metadata: { name: "one" }, data });
    await make(target, `${path}/configmaps`, { metadata: { name: "two" }, data });
  }
}

async function make(target: AttackTarget, path: string, document: unknown): Promise<void> {
  const body = { type: "application/json", text: JSON.stringify(document) };
  const { status, body: answer } = await askOnce(target, target.admin, ["POST", path], body);
  if (status !== 201) throw new Error(`${path}: ${status} ${answer.toString()}`);
}
