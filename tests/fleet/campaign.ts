// Kills servers and agents while customers create and delete instances, then looks at what is left
// in the real neighbours. Two servers share a PostgreSQL, two clusters have an agent process each,
// and every instance has DNS records in PowerDNS and a client at an OpenID provider. DNS answers
// for the routes of ready instances. After all instances are deleted, no record, no client and no
// unit of a counter may remain.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";
import { startProgram } from "../peers/child.ts";
import type { Program } from "../peers/child.ts";
import { startOidcProvider } from "../peers/oidc-provider.ts";
import type { OidcPeer } from "../peers/oidc-provider.ts";
import { startPostgres } from "../peers/postgres.ts";
import { powerDnsKey, startPowerDns } from "../peers/powerdns.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { createZone, recordsLeft, unresolvedRoutes, zone } from "./campaign-dns.ts";

export interface FleetCampaignOptions {
  readonly seed: number;
  readonly instances: number;
  /** How long processes are killed. */
  readonly troubleMs: number;
  readonly convergeMs: number;
}

export interface FleetCampaignResult {
  /** What is wrong; empty when nothing is. */
  readonly findings: readonly string[];
  /** What existed in the neighbours before the last instances were deleted. */
  readonly seen: { readonly records: number; readonly clients: number };
  readonly summary: string;
}

const group = "fleet.setpoint.dev";
const clusters = ["east-1", "east-2"];
const namespace = "org-acme";
const dinosaurs = `/apis/dinosaurs.example.dev/v1/namespaces/${namespace}/dinosaurs`;
const leaseSeconds = 3;

export async function fleetCampaign(given: FleetCampaignOptions): Promise<FleetCampaignResult> {
  await using opened = new AsyncDisposableStack();
  const scene = await openScene(opened, given);
  const trouble = new Trouble(scene);
  const customers = new Customers(scene, given.instances);
  const troubled = trouble.during(given.troubleMs);
  await customers.work(given.troubleMs);
  await troubled;
  const seen = await seenIn(scene, given.convergeMs);
  const unresolved = await unresolvedRoutes(scene.dns, await routesIn(scene, given.convergeMs));
  const startedAt = performance.now();
  const left = await endingOf(scene, customers, given.convergeMs);
  const findings = [...unresolved, ...left];
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const summary =
    `${customers.created} created, ${customers.deleted} deleted under trouble, ` +
    `${trouble.serverKills} kills of servers, ${trouble.agentKills} of agents, ` +
    `${seen.records} records and ${seen.clients} clients seen, all removed in ${seconds} s`;
  return { findings, seen, summary };
}

/** Some instances are not deleted under trouble: they become ready, with all that they need. */
async function seenIn(scene: Scene, limitMs: number): Promise<FleetCampaignResult["seen"]> {
  return await waitUntil(
    "records and clients",
    async () => {
      const records = (await recordsLeft(scene.dns)).length;
      const clients = scene.provider.registeredClients().length;
      return records > 0 && clients > 0 ? { records, clients } : undefined;
    },
    { limitMs },
  );
}

/** The routes of some ready instances. */
async function routesIn(
  { servers: [server] }: Scene,
  limitMs: number,
): Promise<readonly JsonObject[]> {
  if (server === undefined) throw new Error("the campaign has servers");
  return await waitUntil(
    "a ready instance",
    async () => {
      const items = objectsAt(await read(server, dinosaurs), "items");
      const ready = items.filter((item) => textAt(item, "status", "phase") === "ready");
      const routes = ready.flatMap((item) => objectsAt(item, "status", "routes"));
      return routes.length > 0 ? routes.slice(0, 20) : undefined;
    },
    { limitMs },
  );
}

interface Scene {
  readonly random: Random;
  readonly servers: readonly Setpoint[];
  readonly agents: readonly Agent[];
  readonly dns: Service;
  readonly provider: OidcPeer;
}

async function openScene(
  opened: AsyncDisposableStack,
  { seed, instances }: FleetCampaignOptions,
): Promise<Scene> {
  const dns = opened.use(await startPowerDns());
  const provider = opened.use(await startOidcProvider({ hasIdsOfSoftware: true }));
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  const first = opened.use(await startSetpoint({ store }));
  const config = join(first.folder, "campaign.yaml");
  await writeFile(config, `engine: { lease: ${leaseSeconds}s }\n`);
  await first.stop();
  await first.start(["--config", config]);
  const keys = join(first.folder, "keys.json");
  const args = ["--config", config];
  const second = opened.use(await startSetpoint({ store, keys, args }));
  await createZone(dns);
  await declare(first, documents({ dns, provider, instances }));
  const agents: Agent[] = [];
  for (const cluster of clusters) {
    agents.push(opened.use(await Agent.start(first, cluster)));
  }
  await waitUntil("both clusters to be ready", async () => {
    const found = await Promise.all(clusters.map((id) => read(first, clusterPath(id))));
    return found.every((cluster) => textAt(cluster, "status", "phase") === "ready");
  });
  return { random: seededRandom(seed), servers: [first, second], agents, dns, provider };
}

interface Neighbours {
  readonly dns: Service;
  readonly provider: OidcPeer;
  readonly instances: number;
}

/** Everything that the campaign declares, by the path of its collection. */
function documents({ dns, provider, instances }: Neighbours): readonly [string, JsonObject][] {
  const secret = { namespace: "default", name: "neighbours" };
  return [
    [
      "/api/v1/namespaces/default/secrets",
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "neighbours" },
        stringData: { dns: powerDnsKey, oidc: provider.initialAccessToken },
      },
    ],
    [
      "/apis/dns.setpoint.dev/v1/dnszones",
      {
        apiVersion: "dns.setpoint.dev/v1",
        kind: "DnsZone",
        metadata: { name: "public" },
        spec: {
          zone,
          powerdns: { url: dns.url, apiKey: { secretRef: { ...secret, key: "dns" } } },
          allow: { namespaces: { names: [namespace] } },
        },
      },
    ],
    [
      "/apis/oidc.setpoint.dev/v1/oidcissuers",
      {
        apiVersion: "oidc.setpoint.dev/v1",
        kind: "OidcIssuer",
        metadata: { name: "company" },
        spec: {
          issuer: provider.issuer,
          registration: {
            initialAccessToken: { secretRef: { ...secret, key: "oidc" } },
            softwareId: "Identifies",
          },
          allow: { namespaces: { names: [namespace] } },
        },
      },
    ],
    [`/apis/${group}/v1/offerings`, offering()],
    ...customerDocuments(instances),
  ];
}

function customerDocuments(instances: number): readonly [string, JsonObject][] {
  return [
    [
      `/apis/${group}/v1/organisations`,
      {
        apiVersion: `${group}/v1`,
        kind: "Organisation",
        metadata: { name: "acme" },
        spec: {
          members: [{ user: "alice" }],
          quotas: [{ offering: "dinosaurs", type: "standard", max: instances }],
        },
      },
    ],
    ...clusters.map((name): [string, JsonObject] => [
      `/apis/${group}/v1/dataplaneclusters`,
      {
        apiVersion: `${group}/v1`,
        kind: "DataPlaneCluster",
        metadata: { name },
        spec: {
          provider: "aws",
          region: "us-east-1",
          isMultiAz: true,
          capacity: { instances },
          dns: `apps.${name}.example.com`,
          executor: { kind: "register" },
        },
      },
    ]),
  ];
}

function offering(): JsonObject {
  const types = [{ name: "standard" }];
  const regions = [{ id: "us-east-1", isDefault: true, types }];
  return {
    apiVersion: `${group}/v1`,
    kind: "Offering",
    metadata: { name: "dinosaurs" },
    spec: {
      instances: { group: "dinosaurs.example.dev", kind: "Dinosaur", plural: "dinosaurs" },
      types: [{ name: "standard", quota: "required" }],
      providers: [{ id: "aws", isDefault: true, regions }],
      domain: "dinosaurs.example",
      preparations: [
        {
          name: "client",
          template: {
            apiVersion: "oidc.setpoint.dev/v1",
            kind: "OidcClient",
            metadata: { name: "${instance.metadata.name}" },
            spec: {
              issuer: "company",
              clientName: "${instance.metadata.name}",
              redirectUris: ["https://${instance.metadata.name}.dinosaurs.example/callback"],
              secretName: "${instance.metadata.name}-client",
            },
          },
        },
        {
          name: "route",
          phase: "routes",
          forEach: "route",
          template: {
            apiVersion: "dns.setpoint.dev/v1",
            kind: "DnsRecord",
            metadata: { name: "${instance.metadata.name}-${route.name}" },
            spec: {
              zone: "public",
              name: "${route.domain + '.'}",
              type: "CNAME",
              values: ["${route.router + '.'}"],
            },
          },
        },
      ],
    },
  };
}

async function declare(
  server: Setpoint,
  all: readonly (readonly [string, JsonObject])[],
): Promise<void> {
  for (const [path, body] of all) {
    const { status, body: answer } = await server.ask(path, { method: "POST", body });
    if (status !== 201) throw new Error(`${path}: ${status} ${answer.toString()}`);
  }
}

function clusterPath(id: string): string {
  return `/apis/${group}/v1/dataplaneclusters/${id}`;
}

async function read(server: Setpoint, path: string): Promise<JsonObject> {
  const { status, body } = await server.ask(path, { limitMs: 30_000 });
  if (status !== 200) throw new Error(`${path}: ${status} ${body.toString()}`);
  return JSON.parse(body.toString()) as JsonObject;
}

/** An agent process that is started again after it was killed. */
class Agent implements AsyncDisposable {
  readonly #args: readonly string[];
  #program: Program;

  constructor(args: readonly string[], program: Program) {
    this.#args = args;
    this.#program = program;
  }

  static async start(server: Setpoint, cluster: string): Promise<Agent> {
    const tokenFile = join(server.folder, `${cluster}.token`);
    const path = `/api/v1/namespaces/cluster-${cluster}/serviceaccounts/agent/token`;
    const token = await waitUntil(`the account of ${cluster}`, async () => {
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const { status, body: answer } = await server.ask(path, { method: "POST", body });
      if (status !== 201) return undefined;
      return textAt(JSON.parse(answer.toString()) as JsonObject, "status", "token");
    });
    await writeFile(tokenFile, token, { mode: 0o600 });
    const args = ["agent", "--control-plane", server.url, "--cluster", cluster];
    args.push("--token-file", tokenFile, "--ca", join(server.folder, "ca.crt"), "--simulate");
    return new Agent(args, await startProgram("src/cli/main.ts", { args }));
  }

  async killAndStart(): Promise<void> {
    await this.#program.kill9();
    this.#program = await startProgram("src/cli/main.ts", { args: this.#args });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.kill9();
  }
}

class Trouble {
  readonly #scene: Scene;
  serverKills = 0;
  agentKills = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /** Afterwards all of them run. One server is killed at a time. */
  async during(ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    const { random, servers, agents } = this.#scene;
    const servers9 = async (): Promise<void> => {
      while (performance.now() < endsAt) {
        await delay(500 + random.next() * 2_000);
        const server = servers[Math.floor(random.next() * servers.length)];
        await server?.kill9();
        this.serverKills += 1;
        await delay(random.next() * 500);
        await server?.start();
      }
    };
    const agents9 = async (): Promise<void> => {
      while (performance.now() < endsAt) {
        await delay(500 + random.next() * 2_000);
        await agents[Math.floor(random.next() * agents.length)]?.killAndStart();
        this.agentKills += 1;
      }
    };
    await Promise.all([servers9(), agents9()]);
  }
}

/** Creates all instances and deletes each at some time, also while it is created. */
class Customers {
  readonly #scene: Scene;
  readonly #names: readonly string[];
  created = 0;
  deleted = 0;

  constructor(scene: Scene, instances: number) {
    this.#scene = scene;
    this.#names = Array.from({ length: instances }, (_, at) => `rex-${at}`);
  }

  get names(): readonly string[] {
    return this.#names;
  }

  async work(ms: number): Promise<void> {
    const pauseMs = ms / this.#names.length;
    const deleting: Promise<void>[] = [];
    for (const name of this.#names) {
      await this.#create(name);
      if (this.#scene.random.next() < 0.7) deleting.push(this.#deleteLater(name, ms / 3));
      await delay(pauseMs);
    }
    await Promise.all(deleting);
  }

  async #create(name: string): Promise<void> {
    const body = {
      apiVersion: "dinosaurs.example.dev/v1",
      kind: "Dinosaur",
      metadata: { name },
      spec: { owner: "alice", multiAz: true },
    };
    await this.#untilAnswered(async (server) => {
      const { status, body: answer } = await server.ask(dinosaurs, {
        method: "POST",
        body,
        limitMs: 10_000,
      });
      // A server that was killed may have stored it before.
      if (status !== 201 && status !== 409) throw new Error(answer.toString());
    });
    this.created += 1;
  }

  async #deleteLater(name: string, mostMs: number): Promise<void> {
    await delay(this.#scene.random.next() * mostMs);
    await this.delete(name);
    this.deleted += 1;
  }

  async delete(name: string): Promise<void> {
    await this.#untilAnswered(async (server) => {
      const path = `${dinosaurs}/${name}`;
      const { status } = await server.ask(path, { method: "DELETE", limitMs: 10_000 });
      if (![200, 202, 404].includes(status)) throw new Error(`${path}: ${status}`);
    });
  }

  /** Any server may be down, and the other one answers. */
  async #untilAnswered(ask: (server: Setpoint) => Promise<void>): Promise<void> {
    const { servers, random } = this.#scene;
    let last: unknown;
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const server = servers[Math.floor(random.next() * servers.length)];
      if (server === undefined) continue;
      try {
        await ask(server);
        return;
      } catch (error) {
        last = error;
        await delay(100);
      }
    }
    throw new Error("no server answered", { cause: last });
  }
}

/** Deletes what is left, waits until nothing exists, and compares all neighbours. */
async function endingOf(
  scene: Scene,
  customers: Customers,
  limitMs: number,
): Promise<readonly string[]> {
  for (const name of customers.names) await customers.delete(name);
  const [server] = scene.servers;
  if (server === undefined) throw new Error("the campaign has servers");
  const left = async (): Promise<readonly string[]> =>
    objectsAt(await read(server, dinosaurs), "items").map((item) => {
      const reason = objectsAt(item, "status", "conditions").map((each) => textAt(each, "message"));
      return `${textAt(item, "metadata", "name")} is not removed: ${reason.join("; ")}`;
    });
  const isEmpty = async (): Promise<boolean> => (await left()).length === 0;
  try {
    await waitUntil("all instances to be removed", isEmpty, { limitMs });
  } catch {
    return await left();
  }
  return [
    ...(await managedLeft(server)),
    ...(await recordsLeft(scene.dns)),
    ...scene.provider.registeredClients().map((client) => `the client ${client} is left`),
    ...(await unitsLeft(server, limitMs)),
  ];
}

async function managedLeft(server: Setpoint): Promise<readonly string[]> {
  const list = await read(server, `/apis/${group}/v1/managedinstances`);
  return objectsAt(list, "items").map((item) => {
    return `the ManagedInstance ${textAt(item, "metadata", "name")} is left`;
  });
}

/** Counters of the quota and of the region, as the status shows them a little later. */
async function unitsLeft(server: Setpoint, limitMs: number): Promise<readonly string[]> {
  const used = async (): Promise<number> => {
    const organisation = await read(server, `/apis/${group}/v1/organisations/acme`);
    const declared = await read(server, `/apis/${group}/v1/offerings/dinosaurs`);
    const all = [
      ...objectsAt(organisation, "status", "usage"),
      ...objectsAt(declared, "status", "regions"),
    ];
    return all.reduce((sum, each) => sum + (numberAt(each, "used") ?? 0), 0);
  };
  try {
    await waitUntil("counters of zero", async () => (await used()) === 0, { limitMs });
    return [];
  } catch {
    return [`${await used()} units are counted although nothing is left`];
  }
}
