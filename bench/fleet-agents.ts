/**
 * 1,000 clusters with 100 instances each, and their 1,000 agents in one other process: what the
 * server and the agents cost when nothing but a few changes happens, and how long a change of an
 * instance takes to reach its agent. The instances go through the whole life cycle first.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../src/kernel/json-read.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { concurrently, percentile, rate } from "./measure.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { program } from "./program.ts";
import type { BenchProgram } from "./program.ts";
import { boundRow } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const fleetPath = "/apis/fleet.setpoint.dev/v1";
const dinosaurs = "/apis/dinosaurs.example.dev/v1/namespaces/org-acme/dinosaurs";
/** Smaller for a trial of the bench itself. */
const clusters = Number(process.env["BENCH_FLEET_CLUSTERS"] ?? 1_000);
const perCluster = Number(process.env["BENCH_FLEET_INSTANCES"] ?? 100);
/** Two reports of each agent about its cluster, and one complete list of each. */
const measuredMs = 60_000;
const changesPerSecond = 10;
const limitMs = 3_600_000;

export async function fleetAgents(folder: string): Promise<readonly Row[]> {
  await using server = await startSetpoint({ data: join(folder, "fleet-agents") });
  await declare(server);
  const file = join(folder, "agents.json");
  await writeFile(file, JSON.stringify(await agentsOf(server)));
  using agents = program("../tools/fleet/many-agents.ts", [file]);
  await agents.line(/^started$/);
  note(`${clusters} agents have started`);
  const created = await rate(async () => await createAll(server));
  note(figure(created, "creations/s"));
  await waitUntil("all instances to be ready", async () => await isAllReady(server), {
    limitMs,
  });
  note("all instances are ready");
  note(`${changesPerSecond} changes/s follow for ${measuredMs / 1_000} s`);
  // What follows from the last changes, and one complete list of each agent.
  await setTimeout(measuredMs);
  return await measure(server, agents);
}

function note(text: string): void {
  console.error(`bench: fleet agents: ${text}`);
}

async function measure(server: Setpoint, agents: BenchProgram): Promise<readonly Row[]> {
  const pids = [server.pid, agents.pid];
  const before = pids.map(cpuMsOfTree);
  const startedAt = performance.now();
  const times: number[] = [];
  const all = clusters * perCluster;
  // An instance is changed once: two changes at a time may reach its agent as one.
  const changes = Math.min(all, Math.floor((measuredMs / 1_000) * changesPerSecond));
  const pending: Promise<void>[] = [];
  for (let at = 0; at < changes; at += 1) {
    pending.push(change(server, agents, Math.floor((at * all) / changes), times));
    const nextMs = ((at + 1) * 1_000) / changesPerSecond;
    await setTimeout(Math.max(0, startedAt + nextMs - performance.now()));
  }
  const tookMs = performance.now() - startedAt;
  const [own = 0, others = 0] = pids.map((pid, at) => cpuMsOfTree(pid) - (before[at] ?? 0));
  await Promise.all(pending);
  const shown = [50, 90, 99, 100].map((at) => `p${at} ${percentile(times, at)} ms`);
  note(`from a change to its agent: ${shown.join(", ")}`);
  const cores = (ms: number): number => ms / tookMs;
  const what = `fleet: ${clusters} agents, ${all} instances, ${changesPerSecond} changes/s`;
  return [
    boundRow(`${what}: processor of the server`, cores(own), "cores", 1),
    boundRow(`${what}: processor of the agents`, cores(others), "cores", 1),
    boundRow(`${what}: change to its agent, p99`, percentile(times, 99), "ms", 1_000),
  ];
}

/** From the request that changes the instance until its agent has the change. */
async function change(
  server: Setpoint,
  agents: BenchProgram,
  at: number,
  times: number[],
): Promise<void> {
  const mark = `mark-${at}`;
  const startedAt = Date.now();
  const { status, body } = await server.ask(`${dinosaurs}/rex-${at}`, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: { spec: { parameters: { mark } } },
  });
  if (status !== 200) throw new Error(body.toString());
  const [, seenAt = ""] = await agents.line(new RegExp(`^seen ${mark} (\\d+)$`));
  times.push(Number(seenAt) - startedAt);
}

async function createAll(server: Setpoint): Promise<number> {
  return await concurrently(32, clusters * perCluster, async (at) => {
    const spec = { owner: "alice", multiAz: true, parameters: {} };
    const metadata = { name: `rex-${at}` };
    const body = { apiVersion: "dinosaurs.example.dev/v1", kind: "Dinosaur", metadata, spec };
    await post(server, dinosaurs, body);
  });
}

async function isAllReady(server: Setpoint): Promise<boolean> {
  const search = encodeURIComponent("status = ready");
  const path = `/api/dinosaurs_mgmt/v1/admin/dinosaurs?size=1&search=${search}`;
  const { body } = await server.ask(path);
  const total = numberAt(JSON.parse(body.toString()) as JsonObject, "total") ?? 0;
  // A count costs a read of all rows that have changed.
  if (total < clusters * perCluster) await setTimeout(5_000);
  note(`${total} instances are ready`);
  return total === clusters * perCluster;
}

/** The URL, the authority, and a token for the account of each agent. */
async function agentsOf(server: Setpoint): Promise<JsonObject> {
  const tokens: JsonObject[] = [];
  await concurrently(16, clusters, async (at) => {
    const id = `c-${at}`;
    const path = `/api/v1/namespaces/cluster-${id}/serviceaccounts/agent/token`;
    const spec = { audiences: [], expirationSeconds: 86_400 };
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
    const answer = await post(server, path, request);
    tokens.push({ id, token: textAt(answer, "status", "token") });
  });
  return { url: server.url, ca: server.ca, clusters: tokens };
}

async function declare(server: Setpoint): Promise<void> {
  const types = [{ name: "standard" }];
  const regions = [{ id: "us-east-1", isDefault: true, types }];
  const mark = { type: "string" };
  const parameters = { type: "object", properties: { mark } };
  const instances = { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" };
  await create(server, "offerings", "Offering", "dinosaurs", {
    instances: { ...instances, parameters },
    types: [{ name: "standard", quota: "required" }],
    providers: [{ id: "aws", isDefault: true, regions }],
  });
  await create(server, "organisations", "Organisation", "acme", {
    members: [{ user: "alice" }],
    quotas: [{ offering: "dinosaurs", type: "standard", max: 1_000_000 }],
  });
  await concurrently(16, clusters, async (at) => {
    await create(server, "dataplaneclusters", "DataPlaneCluster", `c-${at}`, {
      provider: "aws",
      region: "us-east-1",
      isMultiAz: true,
      dns: `apps.c-${at}.example.com`,
    });
  });
  await waitUntil(
    "all clusters to wait for their agents",
    async () => {
      const { body } = await server.ask(`${fleetPath}/dataplaneclusters`);
      const items = objectsAt(JSON.parse(body.toString()) as JsonObject, "items");
      return items.every(({ status }) => textAt(status, "phase") === "waiting");
    },
    { limitMs },
  );
}

async function create(
  server: Setpoint,
  plural: string,
  kind: string,
  name: string,
  spec: JsonObject,
): Promise<void> {
  const body = { apiVersion: "fleet.setpoint.dev/v1", kind, metadata: { name }, spec };
  await post(server, `${fleetPath}/${plural}`, body);
}

async function post(server: Setpoint, path: string, body: JsonObject): Promise<JsonObject> {
  const { status, body: answer } = await server.ask(path, { method: "POST", body });
  if (status !== 201) throw new Error(`${path}: ${answer.toString()}`);
  return JSON.parse(answer.toString()) as JsonObject;
}
