// Kills servers and lets calls fail while commits are pushed, then compares the targets with git.
// Two servers share a PostgreSQL whose answers are lost for some commits. The deployments write to
// these servers, or to a third one through an API that fails some calls.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, textAt } from "../../src/kernel/json-read.ts";
import { seededRandom } from "../../src/kernel/random.ts";
import type { Random } from "../../src/kernel/random.ts";
import { LossyProxy } from "../chaos/proxy.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { startFaultyApi } from "./faulty-api.ts";
import type { FaultyApi } from "./faulty-api.ts";
import { startGitRemote } from "./git-remote.ts";
import type { GitRemote } from "./git-remote.ts";
import { Tenant, allowLoopback, configMapFile, gitopsApi, isSyncedAt, itemsAt } from "./tenant.ts";
import { addEnvironment, put } from "./tenant.ts";

export interface CampaignOptions {
  readonly seed: number;
  readonly deployments: number;
  /** How long servers are killed and calls fail. */
  readonly troubleMs: number;
  /** Between two kills. */
  readonly killMs: readonly [number, number];
  /** The share of failed calls of the store and of the target. */
  readonly failures: number;
  readonly convergeMs: number;
}

export interface CampaignResult {
  /** What is wrong; empty when nothing is. */
  readonly findings: readonly string[];
  readonly summary: string;
}

const namespace = "jane";
const leaseSeconds = 3;
/** Of a branch. */
const mostObjects = 12;

export async function gitopsCampaign(given: CampaignOptions): Promise<CampaignResult> {
  await using opened = new AsyncDisposableStack();
  const scene = await openScene(opened, given);
  const kills = await trouble(scene, given);
  const startedAt = performance.now();
  const findings = await endingOf(scene, given.convergeMs);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const commits = scene.apps.reduce((sum, { commits: count }) => sum + count, 0);
  const summary =
    `${given.deployments} deployments, ${commits} commits, ${kills} kills, ` +
    `${scene.api.failed()} failed calls of the target, ${scene.store.lost} lost answers of the ` +
    `store; equal to git and removed after ${seconds} s`;
  return { findings, summary };
}

interface App {
  readonly name: string;
  readonly isRemote: boolean;
  /** Values by the name of the object. */
  readonly objects: Map<string, string>;
  head: string;
  commits: number;
}

interface Scene {
  readonly random: Random;
  readonly servers: readonly [Setpoint, Setpoint];
  readonly target: Setpoint;
  readonly api: FaultyApi;
  readonly store: LossyProxy;
  readonly remote: GitRemote;
  readonly tenant: Tenant;
  readonly apps: readonly App[];
}

async function openScene(
  opened: AsyncDisposableStack,
  { seed, deployments }: CampaignOptions,
): Promise<Scene> {
  const remote = opened.use(await startGitRemote());
  const postgres = opened.use(await startPostgres());
  const store = opened.use(new LossyProxy(postgres.port));
  await store.listen();
  const url = store.urlOf(postgres.url(await postgres.createDatabase()));
  const first = opened.use(await startSetpoint({ store: url }));
  const config = join(first.folder, "campaign.yaml");
  await writeFile(config, `engine: { lease: ${leaseSeconds}s }\ngitops: { pollSeconds: 10 }\n`);
  await first.stop();
  const args = ["--config", config];
  await first.start(args);
  const keys = join(first.folder, "keys.json");
  const second = opened.use(await startSetpoint({ store: url, keys, args }));
  const target = opened.use(await startSetpoint());
  const api = opened.use(await startFaultyApi(target));
  const tenant = new Tenant(first, remote, namespace);
  await allowLoopback(first);
  await tenant.setUp();
  const { url: apiURL, ca } = api;
  await addEnvironment(tenant, "target", { url: apiURL, ca, token: target.token });
  const random = seededRandom(seed);
  const apps: App[] = [];
  const scene = { random, servers: [first, second], target, api, store, remote, tenant } as const;
  for (let at = 0; at < deployments; at += 1) {
    const name = `app-${at}`;
    const app: App = { name, isRemote: at % 2 === 0, objects: new Map(), head: "", commits: 0 };
    apps.push(app);
    await remote.create(name);
    await tenant.addCredential(name);
    await addBystanders(app, scene);
    await commit({ ...scene, apps }, app);
    const destination = app.isRemote ? { environment: "target", namespace: name } : {};
    const syncPolicy = { syncOptions: ["CreateNamespace=true"], retry: { mostSeconds: 5 } };
    const source = { repoURL: remote.url(name), path: "deploy", intervalSeconds: 10 };
    await tenant.deploy(name, source, { destination, syncPolicy });
  }
  return { ...scene, apps };
}

/** Objects that no deployment applied: one of them is a copy, with the marks of another object. */
async function addBystanders(app: App, scene: Pick<Scene, "servers" | "target">): Promise<void> {
  const server = serverOf(app, scene);
  const home = namespaceOf(app);
  await put(server, `/api/v1/namespaces/${home}`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: home },
  });
  const annotations = {
    "gitops.setpoint.dev/tracking-id": `11111111-2222-3333-4444-555555555555:/ConfigMap:${home}/x`,
  };
  for (const name of [`${app.name}-by-hand`, `${app.name}-copy`]) {
    const metadata = { name, annotations: name.endsWith("copy") ? annotations : {} };
    await put(server, `/api/v1/namespaces/${home}/configmaps/${name}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { value: "kept" },
    });
  }
}

function serverOf({ isRemote }: App, { servers, target }: Pick<Scene, "servers" | "target">) {
  return isRemote ? target : servers[0];
}

function namespaceOf({ isRemote, name }: App): string {
  return isRemote ? name : namespace;
}

/** Adds, changes and removes objects. Each commit has a hook of its own. */
async function commit({ random, remote }: Scene, app: App): Promise<void> {
  const { objects, name } = app;
  const files: Record<string, string | null> = {};
  const changes = app.commits === 0 ? mostObjects : 1 + Math.floor(random.next() * 4);
  for (let change = 0; change < changes; change += 1) {
    const object = `${name}-${Math.floor(random.next() * mostObjects)}`;
    // One stays, because the deletion of all objects waits for a confirmation.
    const isRemoved = random.next() < 0.3 && objects.has(object) && objects.size > 6;
    const value = `${app.commits}-${change}`;
    if (isRemoved) objects.delete(object);
    else objects.set(object, value);
    files[`deploy/${object}.json`] = isRemoved ? null : manifest(object, value);
  }
  files["deploy/hook.json"] = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      generateName: `${name}-hook-`,
      annotations: { "gitops.setpoint.dev/hook": "PreSync" },
    },
    data: { commit: String(app.commits) },
  });
  app.commits += 1;
  app.head = await remote.commit(name, { files });
}

function manifest(name: string, value: string): string {
  const object = JSON.parse(configMapFile(name, { value })) as JsonObject;
  const wave = String(Number(name.at(-1)) % 2);
  const annotations = { "gitops.setpoint.dev/sync-wave": wave };
  const metadata = { ...objectAt(object, "metadata"), annotations };
  return JSON.stringify({ ...object, metadata });
}

/** Returns the number of kills. Afterwards both servers run, and no call fails. */
async function trouble(scene: Scene, given: CampaignOptions): Promise<number> {
  const { random, servers, api, store, apps } = scene;
  const { failures, killMs, troubleMs } = given;
  const endsAt = performance.now() + troubleMs;
  store.isUnlucky = () => random.next() < failures;
  api.fault = () => {
    const dice = random.next();
    if (dice >= failures) return "none";
    return dice < failures / 2 ? "refused" : "lost";
  };
  let kills = 0;
  const killing = async (): Promise<void> => {
    const [least, most] = killMs;
    while (performance.now() < endsAt) {
      await delay(least + random.next() * (most - least));
      const server = servers[Math.floor(random.next() * servers.length)];
      await server?.kill9();
      kills += 1;
      await server?.start();
    }
  };
  const pushing = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await delay(200 + random.next() * 2_000);
      const app = apps[Math.floor(random.next() * apps.length)];
      if (app !== undefined) await commit(scene, app);
    }
  };
  await Promise.all([killing(), pushing()]);
  store.isUnlucky = () => false;
  api.fault = () => "none";
  return kills;
}

async function endingOf(scene: Scene, limitMs: number): Promise<readonly string[]> {
  const { apps, tenant, servers } = scene;
  const findings: string[] = [];
  for (const app of apps) {
    await tenant.reached(app.name, isSyncedAt(app.head), limitMs);
    findings.push(...(await differencesOf(scene, app)));
  }
  findings.push(...(await operationFindings(scene)));
  for (const { name } of apps) await servers[0].ask(tenant.pathOf(name), { method: "DELETE" });
  const inventories = `${gitopsApi}/namespaces/${namespace}/inventories`;
  await waitUntil(
    "the inventories to be deleted",
    async () => (await itemsAt(servers[0], inventories)).length === 0,
    { limitMs },
  );
  for (const app of apps) {
    const left = [...(await valuesOf(scene, app)).keys()];
    if (left.length > 0) findings.push(`${app.name}: left after its deletion: ${left.join(", ")}`);
    const by = await configMapsOf(scene, app, /-by-hand$|-copy$/);
    if (by.length !== 2) findings.push(`${app.name}: an object of another owner was deleted`);
  }
  return findings;
}

async function differencesOf(scene: Scene, app: App): Promise<readonly string[]> {
  const live = await valuesOf(scene, app);
  const names = new Set([...live.keys(), ...app.objects.keys()]);
  const wrong = [...names].filter((name) => live.get(name) !== app.objects.get(name));
  const findings = wrong.map(
    (name) => `${app.name}: ${name} is ${live.get(name)} and should be ${app.objects.get(name)}`,
  );
  // A hook has a name of its own for each sync, and the id of the sync that created it.
  const hooks = await configMapsOf(scene, app, /-hook-/);
  const syncs = hooks.map((hook) =>
    textAt(hook, "metadata", "annotations", "gitops.setpoint.dev/operation-id"),
  );
  const twice = syncs.filter((sync, at) => syncs.indexOf(sync) !== at);
  if (twice.length > 0) findings.push(`${app.name}: a hook ran twice in ${twice.join(", ")}`);
  if (hooks.length === 0) findings.push(`${app.name}: no hook ran`);
  return findings;
}

async function valuesOf(scene: Scene, app: App): Promise<ReadonlyMap<string, string>> {
  const own = await configMapsOf(scene, app, /-\d+$/);
  return new Map(
    own
      .filter((each) => !textAt(each, "metadata", "name").includes("-hook-"))
      .map((each) => [textAt(each, "metadata", "name"), textAt(each, "data", "value")]),
  );
}

async function configMapsOf(
  scene: Scene,
  app: App,
  pattern: RegExp,
): Promise<readonly JsonObject[]> {
  const path = `/api/v1/namespaces/${namespaceOf(app)}/configmaps`;
  const items = await itemsAt(serverOf(app, scene), path);
  return items.filter((item) => {
    const name = textAt(item, "metadata", "name");
    return name.startsWith(`${app.name}-`) && pattern.test(name);
  });
}

/** Syncs of one deployment do not overlap, and all of them have ended. */
async function operationFindings({ servers, apps }: Scene): Promise<readonly string[]> {
  const findings: string[] = [];
  const all = await itemsAt(servers[0], `${gitopsApi}/namespaces/${namespace}/operations`);
  for (const { name } of apps) {
    const operations = all
      .filter((each) => textAt(each, "spec", "resourceName") === name)
      .map((each) => objectAt(each, "status"))
      .toSorted((a, b) => (textAt(a, "startedAt") < textAt(b, "startedAt") ? -1 : 1));
    for (const [at, operation] of operations.entries()) {
      const finishedAt = textAt(operation, "finishedAt");
      const next = operations[at + 1];
      if (finishedAt === "") findings.push(`${name}: an Operation did not end`);
      else if (next !== undefined && textAt(next, "startedAt") < finishedAt) {
        findings.push(`${name}: two syncs ran at a time`);
      }
    }
  }
  return findings;
}
