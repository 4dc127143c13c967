// Two servers without workers on one PostgreSQL: a deletion that one of them began is completed by
// the other after a crash, and so is the collection of garbage. The server that is killed started
// first, so it is the leader.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { configMap, post } from "./contract/scene.ts";

const opened = new AsyncDisposableStack();
let first: Setpoint;
let second: Setpoint;

before(async () => {
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  const folder = await mkdtemp(join(tmpdir(), "setpoint-deletions-"));
  opened.defer(async () => await rm(folder, { recursive: true, force: true }));
  const config = join(folder, "config.yaml");
  await writeFile(config, "engine: { lease: 3s }\n");
  const args = ["--roles", "api", "--config", config];
  first = opened.use(await startSetpoint({ store, args }));
  second = opened.use(await startSetpoint({ store, args, keys: join(first.folder, "keys.json") }));
});

after(async () => await opened.disposeAsync());

const maps = "/api/v1/namespaces/default/configmaps";

function mapWith(name: string, metadata: object): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata } };
}

async function isAbsent(server: Setpoint, path: string): Promise<boolean> {
  return (await server.ask(path)).status === 404;
}

it("the deletions of a server that was killed are completed by the other one", async () => {
  const team = "/api/v1/namespaces/team";
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
  await post(first, "/api/v1/namespaces", namespace);
  for (let n = 0; n < 20; n++) await post(first, `${team}/configmaps`, configMap(`m${n}`));
  await post(
    first,
    `${team}/configmaps`,
    mapWith("held", { finalizers: ["e2e.example.dev/hold"] }),
  );
  const made = await first.ask(maps, { method: "POST", body: configMap("owner") });
  const { metadata } = JSON.parse(made.body.toString()) as { metadata: { uid: string } };
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: metadata.uid };
  for (let n = 0; n < 20; n++) {
    await post(first, maps, mapWith(`child-${n}`, { ownerReferences: [reference] }));
  }
  await first.ask(team, { method: "DELETE" });
  await first.ask(`${maps}/owner`, { method: "DELETE" });
  await first.kill9();
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { metadata: { finalizers: null } };
  await second.ask(`${team}/configmaps/held`, { method: "PATCH", headers, body });
  await waitUntil("the namespace to be deleted", async () => await isAbsent(second, team));
  await waitUntil("the children to be deleted", async () => {
    const { body: listed } = await second.ask(maps);
    return !listed.toString().includes("child-");
  });
  await first.start();
  assert.ok(await isAbsent(first, team));
});
