// A quota holds across servers: the last place is taken by one of them, never by both.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { startPostgres } from "../peers/postgres.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";
import { configMap, post } from "./contract/scene.ts";

const opened = new AsyncDisposableStack();
let a: Setpoint;
let b: Setpoint;

before(async () => {
  const postgres = opened.use(await startPostgres());
  const store = postgres.url(await postgres.createDatabase());
  a = opened.use(await startSetpoint({ store }));
  b = opened.use(await startSetpoint({ store, keys: join(a.folder, "keys.json") }));
});

after(async () => await opened.disposeAsync());

const maps = "/api/v1/namespaces/default/configmaps";
const quota = "/api/v1/namespaces/default/resourcequotas";

it("two servers let exactly as many objects in as a quota allows", async () => {
  await post(a, maps, configMap("older"));
  await post(a, quota, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q" },
    spec: { hard: { "count/configmaps": "6" } },
  });
  // Whoever has written something that the server lives by knows of all that came before it.
  await post(b, "/api/v1/namespaces/default/serviceaccounts", {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "late" },
  });
  const codes = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const server = i % 2 === 0 ? a : b;
      const body = configMap(`race-${i}`);
      return (await server.ask(maps, { method: "POST", body })).status;
    }),
  );
  assert.equal(codes.filter((code) => code === 201).length, 5);
  assert.equal(codes.filter((code) => code === 403).length, 35);
  const isCounted = async (): Promise<boolean> =>
    (await b.ask(`${quota}/q`)).body.toString().includes('"used":{"count/configmaps":"6"}');
  await waitUntil("the status", isCounted);
});
