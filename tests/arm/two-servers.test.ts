// Two servers on one PostgreSQL. The one that accepted a request, and works on it, is killed: the
// other takes over, the operation is the same one, goes on from where it was and ends once, and the
// request gets its answer there when it comes again.
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
import type { Ask, Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { oven, ovens, subscription, version } from "./arm-server.ts";

const limit = { limitMs: 120_000 };
const kubeOvens = `/apis/bakery.tests.dev/v1/namespaces/sub-${subscription}/ovens`;

async function json(server: Setpoint, path: string, given: Ask = {}): Promise<unknown> {
  const { status, body } = await server.ask(path, given);
  const text = body.toString("utf8");
  assert.ok(status < 300, `${path}: ${status} ${text}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}

it(
  "the other takes over, and the operation ends once",
  { skip: findPostgres() === undefined },
  async () => {
    await using ends = new AsyncDisposableStack();
    const postgres = ends.use(await startPostgres());
    const folder = await mkdtemp(join(tmpdir(), "setpoint-arm-"));
    ends.defer(() => rm(folder, { recursive: true, force: true }));
    const config = join(folder, "setpoint.yaml");
    // Whoever takes over waits until the lease of the killed worker is over.
    await writeFile(config, "engine: { lease: 3s }\n");
    const module = join(root, "tests/arm/bakery-module.ts");
    const common = { store: postgres.url(), args: ["--module", module, "--config", config] };
    const one = ends.use(await startSetpoint(common));
    await json(one, `/subscriptions/${subscription}?api-version=2.0`, {
      method: "PUT",
      body: { state: "Registered" },
    });
    const request: Ask = {
      method: "PUT",
      body: { location: "westeurope", properties: { mode: "slow" } },
      headers: { "x-ms-client-request-id": "slow-one", "if-none-match": "*" },
    };
    const made = await one.ask(oven("slow"), request);
    assert.equal(made.status, 201, made.body.toString());
    const path = String(made.headers["azure-asyncoperation"]).slice(one.url.length);
    const percent = async (server: Setpoint): Promise<unknown> =>
      pick(await json(server, path), "percentComplete");
    await waitUntil("progress", async () => (await percent(one)) === 25, limit);
    const two = ends.use(await startSetpoint({ ...common, keys: join(one.folder, "keys.json") }));
    const body = { location: "westeurope", properties: {} };
    await json(one, oven("waiting-behind"), { method: "PUT", body });
    const page = await json(one, `${ovens}?${version}&$top=1`);
    const next = pickText(page, "nextLink").slice(one.url.length);
    assert.equal(pickList(await json(two, next), "value").length, 1, "its pages go on there");
    await one.kill9();

    assert.equal(await percent(two), 25);
    const again = await two.ask(oven("slow"), request);
    assert.equal(again.status, 201, again.body.toString());
    const other = String(again.headers["azure-asyncoperation"]).slice(two.url.length);
    assert.equal(other, path);
    const [item] = pickList(await json(two, kubeOvens), "items");
    await json(two, `${kubeOvens}/${pickText(item, "metadata.name")}`, {
      method: "PATCH",
      body: { metadata: { annotations: { "tests.dev/go": "true" } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    const seen: number[] = [];
    const end = await waitUntil(
      "the operation to end",
      async () => {
        const polled = await json(two, path);
        const done = pick(polled, "percentComplete");
        if (typeof done === "number") seen.push(done);
        return pick(polled, "status") !== "InProgress" && polled;
      },
      limit,
    );
    assert.equal(pick(end, "status"), "Succeeded");
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    );
    const shown = await json(two, oven("slow"));
    assert.equal(pick(shown, "properties.provisioningState"), "Succeeded");
    await one.start();
    assert.deepEqual(await json(one, path), end);
    const last = await one.ask(oven("slow"), request);
    assert.equal(last.status, 201, last.body.toString());
  },
);
