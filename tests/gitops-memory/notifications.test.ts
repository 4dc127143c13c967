// What subscribers of the message bus receive about syncs and health.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryBroker } from "../../src/adapters/amqp/memory/broker.ts";
import { connectMemory } from "../../src/adapters/amqp/memory/connection.ts";
import { builtInModules } from "../../src/app/modules.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { openPlatform } from "./platform.ts";

interface Subscriber {
  /** Oldest first. */
  readonly events: readonly JsonObject[];
}

async function subscribe(broker: MemoryBroker, pattern: string): Promise<Subscriber> {
  const connection = await connectMemory(broker, "team")();
  const events: JsonObject[] = [];
  await connection.declare({
    queues: [{ name: pattern }],
    bindings: [{ exchange: "setpoint.events", queue: pattern, pattern }],
  });
  await connection.consume({
    queue: pattern,
    prefetch: 100,
    onDelivery: (delivery) => {
      events.push(JSON.parse(Buffer.from(delivery.body).toString()) as JsonObject);
      delivery.ack();
    },
  });
  return { events };
}

function namesOf({ events }: Subscriber): readonly string[] {
  return events.map((event) => textAt(event, "type").replace(/^dev\.setpoint\./, ""));
}

const spec: JsonObject = {
  source: { repoURL: "https://git.example/jane/shop.git", path: "deploy" },
  type: "automated",
  syncPolicy: { retry: { firstSeconds: 600, mostSeconds: 600 } },
};

test("the end of syncs and promotions and a degraded health are CloudEvents", async () => {
  const broker = new MemoryBroker();
  const beside = builtInModules.filter(({ name }) => name === "bus" || name === "insight");
  // As a configuration file with an empty section gives it.
  const fields = beside.find(({ name }) => name === "bus")?.configuration?.fields ?? {};
  const bus = Object.fromEntries(
    Object.entries(fields).flatMap(([key, { default: value }]) =>
      value === undefined ? [] : [[key, value as Json]],
    ),
  );
  await using platform = await openPlatform({ beside, broker, configuration: { bus } });
  await platform.grant();
  await platform.pass(2_000);
  const syncs = await subscribe(broker, "*.sync-succeeded.#");
  const failures = await subscribe(broker, "*.sync-failed.#");
  const health = await subscribe(broker, "*.health-degraded.#");
  const records = await subscribe(broker, "inventory.#");
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shop" }, data: { a: "1" } };
  platform.commit("deploy", [map]);
  await platform.create("GitOpsDeployment", "shop", spec);
  await platform.pass(10_000);
  assert.deepEqual(namesOf(syncs), ["gitopsdeployment.sync-succeeded"]);
  const [event] = syncs.events;
  assert.equal(
    textAt(event, "subject"),
    "namespaces/jane/gitopsdeployments.gitops.setpoint.dev/shop",
  );
  assert.equal(textAt(event, "data", "trigger"), "Automated");
  assert.match(textAt(event, "data", "revision"), /^[0-9a-f]{40}$/);
  assert.deepEqual(namesOf(failures), []);

  platform.commit("deploy", [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "no" } }]);
  await platform.patch("GitOpsDeployment", "shop", { metadata: { labels: { wake: "1" } } });
  await platform.pass(60_000);
  const status = (await platform.read("GitOpsDeployment", "shop"))?.status;
  assert.deepEqual(namesOf(failures), ["gitopsdeployment.sync-failed"], JSON.stringify(status));

  const child = { apiVersion: "gitops.setpoint.dev/v1", kind: "GitOpsDeployment" };
  platform.commit("root", [{ ...child, metadata: { name: "shop" }, spec }]);
  const root = { ...spec, source: { ...(spec["source"] as JsonObject), path: "root" } };
  await platform.create("GitOpsDeployment", "root", root);
  await platform.pass(10_000);
  assert.deepEqual(namesOf(health), ["gitopsdeployment.health-degraded"]);
  assert.equal(
    textAt(health.events[0], "subject"),
    "namespaces/jane/gitopsdeployments.gitops.setpoint.dev/root",
  );

  const promotions = await subscribe(broker, "promotionrun.failed.#");
  const manualPromotion = { targetEnvironment: "dev" };
  const run = { application: "shop", snapshot: "absent", manualPromotion };
  await platform.create("PromotionRun", "first", run);
  await platform.pass(5_000);
  assert.deepEqual(namesOf(promotions), ["promotionrun.failed"]);
  assert.deepEqual(namesOf(records), [], "records of the server are not published");
});
