/**
 * GitOps: 2,000 objects of a repository against kubectl and the same server, the same objects again
 * after a commit that does not change them, one object from the hint to its change, and the cost of
 * 500 deployments when nothing changes.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { numberAt, textAt } from "../src/kernel/json-read.ts";
import { startGitRemote } from "../tests/gitops/git-remote.ts";
import type { GitRemote, RemoteRequest } from "../tests/gitops/git-remote.ts";
import { Tenant, allowLoopback, configMapFile, gitopsApi } from "../tests/gitops/tenant.ts";
import { isSyncedAt, itemsAt, read } from "../tests/gitops/tenant.ts";
import { kubectlPaths, openKubectl } from "../tests/peers/kubectl.ts";
import { startSetpoint } from "../tests/peers/setpoint.ts";
import type { Setpoint } from "../tests/peers/setpoint.ts";
import { waitUntil } from "../tests/peers/wait.ts";
import { median } from "./measure.ts";
import { cpuMsOfTree } from "./processor-time.ts";
import { boundRow } from "./store.ts";
import { figure } from "./table.ts";
import type { Row } from "./table.ts";

const objects = Number(process.env["BENCH_GITOPS_OBJECTS"] ?? 2_000);
const deployments = Number(process.env["BENCH_GITOPS_DEPLOYMENTS"] ?? 500);
const repositories = 10;
/** Longer than one interval of polling. */
const measuredMs = Number(process.env["BENCH_GITOPS_IDLE_MS"] ?? 200_000);
const limitMs = 1_800_000;

export async function gitops(folder: string): Promise<readonly Row[]> {
  await using remote = await startGitRemote();
  await using server = await startSetpoint({ data: join(folder, "gitops") });
  await allowLoopback(server);
  return [
    ...(await syncs(server, remote)),
    await hintToApplied(server, remote),
    ...(await idleDeployments(server, remote)),
  ];
}

function manifest(at: number): string {
  return configMapFile(`object-${at}`, { value: String(at), text: "x".repeat(200) });
}

function files(): Record<string, string> {
  const all = Array.from({ length: objects }, (_, at) => at);
  return Object.fromEntries(all.map((at) => [`deploy/${at}.json`, manifest(at)]));
}

async function syncs(server: Setpoint, remote: GitRemote): Promise<readonly Row[]> {
  const byKubectl = await kubectlMs(server);
  const tenant = await tenantOf(server, remote, "many");
  const first = await remote.commit("many", { files: files() });
  await tenant.deploy("many", { repoURL: remote.url("many"), path: "deploy" });
  // The time begins when the commit is known.
  await sourceAt(server, tenant, first);
  const startedAt = performance.now();
  await tenant.reached("many", isSyncedAt(first), limitMs);
  const firstMs = performance.now() - startedAt;
  note(`first sync ${figure(firstMs, "ms")}, kubectl ${figure(byKubectl, "ms")}`);
  const times: number[] = [];
  const before = await newestVersion(server);
  for (let round = 0; round < 5; round += 1) {
    const commit = await remote.commit("many", {
      files: { "README.md": String(round), "deploy/note.txt": String(round) },
    });
    await tenant.refresh("many");
    await sourceAt(server, tenant, commit);
    const since = performance.now();
    await tenant.reached("many", isSyncedAt(commit), limitMs);
    times.push(performance.now() - since);
  }
  const written = (await newestVersion(server)) === before ? 0 : 1;
  const ratio = byKubectl / firstMs;
  return [
    {
      what: `gitops: first sync of ${objects} objects; kubectl apply --server-side`,
      raw: figure(byKubectl, "ms"),
      ours: figure(firstMs, "ms"),
      result: `${ratio.toFixed(2)}x`,
      asked: "1x",
      isMet: ratio >= 1,
    },
    boundRow(`gitops: sync again of ${objects} objects, median`, median(times), "ms", 1_000),
    boundRow("gitops: writes to the target by syncs that change nothing", written, "", 1),
  ];
}

async function kubectlMs(server: Setpoint): Promise<number> {
  const [path = ""] = kubectlPaths();
  const folder = await mkdtemp(join(tmpdir(), "setpoint-manifests-"));
  try {
    await mkdir(join(folder, "deploy"));
    for (const [name, text] of Object.entries(files())) await writeFile(join(folder, name), text);
    await using kubectl = await openKubectl(path, server.kubeconfig);
    await kubectl.ok(["create", "namespace", "by-kubectl"]);
    const args = ["apply", "--server-side", "-n", "by-kubectl", "-f", join(folder, "deploy")];
    const startedAt = performance.now();
    await kubectl.ok(args);
    return performance.now() - startedAt;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Of all objects of the tenant: another one means that one was written. */
async function newestVersion(server: Setpoint): Promise<number> {
  const items = await itemsAt(server, "/api/v1/namespaces/many/configmaps");
  return Math.max(...items.map((item) => Number(textAt(item, "metadata", "resourceVersion"))));
}

async function tenantOf(server: Setpoint, remote: GitRemote, name: string): Promise<Tenant> {
  const tenant = new Tenant(server, remote, name);
  await tenant.setUp();
  await remote.create(name);
  await tenant.addCredential(name);
  return tenant;
}

async function sourceAt(server: Setpoint, tenant: Tenant, commit: string): Promise<void> {
  const path = `${gitopsApi}/namespaces/${tenant.namespace}/gitsources`;
  await waitUntil("the commit to be known", async () => {
    const [source] = await itemsAt(server, path);
    return textAt(source, "status", "revision") === commit;
  });
}

/** A git host calls the webhook after a push; the refresh annotation is the same hint. */
async function hintToApplied(server: Setpoint, remote: GitRemote): Promise<Row> {
  const tenant = await tenantOf(server, remote, "one");
  const first = await remote.commit("one", {
    files: { "deploy/one.json": configMapFile("one", { value: "0" }) },
  });
  await tenant.deploy("one", { repoURL: remote.url("one"), path: "deploy" });
  await tenant.reached("one", isSyncedAt(first), limitMs);
  const times: number[] = [];
  for (let round = 1; round <= 9; round += 1) {
    const value = String(round);
    await remote.commit("one", { files: { "deploy/one.json": configMapFile("one", { value }) } });
    const since = performance.now();
    await tenant.refresh("one");
    await waitUntil("the change", async () => {
      const found = await read(server, "/api/v1/namespaces/one/configmaps/one");
      return textAt(found, "data", "value") === value;
    });
    times.push(performance.now() - since);
  }
  return boundRow("gitops: from a hint to the applied object, median", median(times), "ms", 1_000);
}

async function idleDeployments(server: Setpoint, remote: GitRemote): Promise<readonly Row[]> {
  const tenants: Tenant[] = [];
  const commits: string[] = [];
  const each = deployments / repositories;
  for (let at = 0; at < repositories; at += 1) {
    const name = `team-${at}`;
    const tenant = await tenantOf(server, remote, name);
    const apps = Array.from(
      { length: each },
      (_, app) => [`app-${app}/map.json`, configMapFile(`app-${app}`, { value: "1" })] as const,
    );
    commits.push(await remote.commit(name, { files: Object.fromEntries<string>(apps) }));
    tenants.push(tenant);
    for (let app = 0; app < each; app += 1) {
      await tenant.deploy(`app-${app}`, { repoURL: remote.url(name), path: `app-${app}` });
    }
  }
  for (const [at, tenant] of tenants.entries()) {
    for (let app = 0; app < each; app += 1) {
      await tenant.reached(`app-${app}`, isSyncedAt(commits[at] ?? ""), limitMs);
    }
  }
  await setTimeout(10_000);
  const revision = await logRevision(server);
  const asked = remote.requests.length;
  const cpuMs = cpuMsOfTree(server.pid);
  const startedAt = performance.now();
  await setTimeout(measuredMs);
  const ms = performance.now() - startedAt;
  const used = ((cpuMsOfTree(server.pid) - cpuMs) / ms) * 100;
  // A comparison asks for the refs without the login, then with it, and then lists them by POST.
  const isPoll = ({ method, path, isAllowed }: RemoteRequest): boolean =>
    isAllowed && method === "GET" && path.includes("/team-");
  const polls = remote.requests.slice(asked).filter(isPoll).length;
  const perInterval = (polls / repositories) * (180_000 / ms);
  note(`${deployments} deployments: ${(await logRevision(server)) - revision} writes while idle`);
  return [
    boundRow(`gitops: ${deployments} idle deployments`, used, "% of a core", 10),
    boundRow("gitops: comparisons of a repository in 3 minutes", perInterval, "calls", 1.5),
  ];
}

async function logRevision(server: Setpoint): Promise<number> {
  const list = await read(server, "/api/v1/namespaces?limit=1");
  return (
    numberAt(list, "metadata", "resourceVersion") ??
    Number(textAt(list, "metadata", "resourceVersion"))
  );
}

function note(text: string): void {
  console.error(`bench: gitops: ${text}`);
}
