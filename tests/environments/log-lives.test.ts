// The output of the executors of an environment belongs to the life of its namespace: the next
// tenant of the name does not see it, and a stream of the previous tenant ends.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { it } from "node:test";
import { encodeDocument } from "../../src/kernel/document.ts";
import { termsOf } from "../../src/kernel/terms.ts";
import { bindAdmin, createNamespace, removed } from "../kube/tenants.ts";
import { created } from "../kube/samples.ts";
import type { KubeServer, Reply } from "../kube/server.ts";
import { onEachStore } from "../kube/stores.ts";
import { as } from "../rest/databases.ts";

const group = "executors.setpoint.dev";
const logs = "/api/v1/environments/shop/logs?namespace=tenant";

/** As the module that runs programs writes it. */
async function writeLog(server: KubeServer, name: string, text: string): Promise<number> {
  const key = { kind: `executorlogs.${group}`, namespace: "tenant", name };
  const uid = randomUUID();
  const labels = {
    "environments.setpoint.dev/environment": "shop",
    "environments.setpoint.dev/resource": "one",
  };
  const metadata = {
    name,
    namespace: "tenant",
    uid,
    labels,
    generation: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  const spec = { run: "run", chunk: 0, text };
  const body = encodeDocument({ apiVersion: `${group}/v1`, kind: "ExecutorLog", metadata, spec });
  const draft = { body, terms: termsOf({ labels }), secrets: [] };
  const cause = { actor: "system:engine", surface: "engine" };
  const [answer] = await server.store.commit([
    { kind: "put", key, uid, when: { kind: "absent" }, cause, draft },
  ]);
  assert.equal(answer?.kind, "committed");
  return answer.revision;
}

async function makeEnvironment(server: KubeServer): Promise<void> {
  const send = (path: string, body: object): Promise<Reply> =>
    server.request("POST", `/api/v1/${path}?namespace=tenant`, body);
  const resources = [
    { key: "one", template: { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } } },
  ];
  await created(send("templates", { id: "shop.v1", spec: { id: "shop", version: 1, resources } }));
  await created(send("environments", { id: "shop", spec: { templates: ["shop.v1"] } }));
}

onEachStore("the output of executors", (server) => {
  it("ends at the creation of the namespace", async () => {
    await createNamespace(server());
    await makeEnvironment(server());
    const before = (await writeLog(server(), "old", "of-the-first-tenant")) - 1;
    const path = `${logs}&after=${before}`;
    assert.match((await server().request("GET", path)).text, /of-the-first-tenant/);
    await removed(server(), "/api/v1/namespaces/tenant");
    await createNamespace(server());
    await bindAdmin(server(), "second");
    await makeEnvironment(server());
    await writeLog(server(), "new", "of-the-second-tenant");
    const shown = await server().request("GET", path, undefined, as("second"));
    assert.equal(shown.status, 200, shown.text);
    assert.match(shown.text, /of-the-second-tenant/);
    assert.doesNotMatch(shown.text, /of-the-first-tenant/);
  });
});
