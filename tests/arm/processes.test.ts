// The Resource Manager surface of a real process: what was accepted survives that it is killed, and
// what is done can be found in its log by the ids of whoever asked.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { findPostgres } from "../../tools/peers.ts";
import { root } from "../../tools/stages.ts";
import { pick, pickList, pickText } from "../kube/server.ts";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Answer, Ask, Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { oven, ovens, subscription, version } from "./arm-server.ts";

const args = ["--module", join(root, "tests/arm/bakery-module.ts")];
const kubeOvens = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens`;
const body = { location: "westeurope", properties: {} };
const limit = { limitMs: 120_000 };

interface Told extends Answer {
  readonly json: unknown;
}

async function ask(server: Setpoint, path: string, given: Ask = {}): Promise<Told> {
  const answer = await server.ask(path, given);
  const text = answer.body.toString("utf8");
  return { ...answer, json: text === "" ? undefined : (JSON.parse(text) as unknown) };
}

async function register(server: Setpoint): Promise<void> {
  const path = `/subscriptions/${subscription}?api-version=2.0`;
  const told = await ask(server, path, { method: "PUT", body: { state: "Registered" } });
  assert.equal(told.status, 200);
}

async function made(server: Setpoint, name: string, headers = {}): Promise<void> {
  const created = await ask(server, oven(name), { method: "PUT", body, headers });
  assert.equal(created.status, 201, created.body.toString());
  const isThere = async (): Promise<boolean> => {
    const { json } = await ask(server, oven(name));
    return pick(json, "properties.provisioningState") === "Succeeded";
  };
  await waitUntil(`${name} to be made`, isThere, limit);
}

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  const skip = kind === "PostgreSQL" && findPostgres() === undefined;
  it(`an accepted action is finished after the server was killed (${kind})`, { skip }, async () => {
    await using ends = new AsyncDisposableStack();
    const postgres = kind === "SQLite" ? undefined : ends.use(await startPostgres());
    const store = postgres === undefined ? {} : { store: postgres.url() };
    const folder = await mkdtemp(join(tmpdir(), "setpoint-arm-"));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const config = join(folder, "setpoint.yaml");
    // Whoever starts after the crash waits until the lease of the killed worker is over.
    await writeFile(config, "engine: { lease: 3s }\n");
    const server = ends.use(await startSetpoint({ args: [...args, "--config", config], ...store }));
    await register(server);
    await made(server, "tough");
    const path = `${ovens}/tough/clean?${version}`;
    const input = { minutes: 3, how: "held", soap: "Lemon" };
    const begun = await ask(server, path, { method: "POST", body: input });
    assert.equal(begun.status, 202, begun.body.toString());
    const location = String(begun.headers["location"]).slice(server.url.length);
    await server.kill9();

    await server.start();
    assert.equal((await ask(server, location)).status, 202);
    const [item] = pickList((await ask(server, kubeOvens)).json, "items");
    const letGo = await ask(server, `${kubeOvens}/${pickText(item, "metadata.name")}`, {
      method: "PATCH",
      body: { metadata: { annotations: { "tests.dev/go": "true" } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    assert.equal(letGo.status, 200, letGo.body.toString());
    const isDone = async (): Promise<boolean> => (await ask(server, location)).status !== 202;
    await waitUntil("the action to end", isDone, limit);
    const result = await ask(server, location);
    assert.equal(result.status, 200, result.body.toString());
    const id = /operationResults\/([0-9a-f-]{36})/.exec(location)?.[1];
    assert.deepEqual(result.json, { cleaned: id, ...input });
  });
}

it("writes, and what is done about them, are logged under the ids of the request", async () => {
  await using server = await startSetpoint({ args });
  await register(server);
  const correlation = "0f8fad5b-d9cb-469f-a165-70867728950e";
  const headers = {
    "x-ms-client-request-id": "client-1",
    "x-ms-correlation-request-id": correlation,
  };
  await made(server, "logged", headers);
  const path = `${ovens}/logged/clean?${version}`;
  const soap = "Lemon-Secret-99";
  const given = { method: "POST", body: { minutes: 3, soap } };
  const begun = await ask(server, path, {
    ...given,
    headers: { ...headers, "x-ms-client-request-id": "client-2" },
  });
  assert.equal(begun.status, 202, begun.body.toString());
  const lines = (): readonly unknown[] =>
    server
      .log()
      .split("\n")
      // The last may not be whole yet.
      .slice(0, -1)
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as unknown);
  const trace = correlation.replaceAll("-", "");
  const cleaned = await waitUntil(
    "the run to be logged",
    () => lines().find((line) => pick(line, "message") === "oven cleaned"),
    limit,
  );
  assert.equal(pick(cleaned, "trace"), trace);
  assert.equal(pick(cleaned, "kind"), "ovens.bakery.tests.dev");
  for (const [client, method] of [
    ["client-1", "PUT"],
    ["client-2", "POST"],
  ]) {
    const written = await waitUntil(
      "the request to be logged",
      () => lines().find((line) => pick(line, "client") === client),
      limit,
    );
    assert.equal(pick(written, "message"), "request answered");
    assert.equal(pick(written, "method"), method);
    assert.equal(pick(written, "correlation"), correlation);
    assert.equal(pick(written, "trace"), trace);
    assert.match(String(pick(written, "request")), /^[0-9a-f-]{36}$/);
  }
  assert.ok(!server.log().includes(soap));
});
