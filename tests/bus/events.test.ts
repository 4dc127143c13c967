// Events over a real RabbitMQ: CloudEvents in order, at least once, also when the broker stops.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { BusClient } from "./client.ts";
import { configMaps, created, openBusRig, writeMap } from "./rig.ts";
import type { BusRig } from "./rig.ts";

const kinds = ["configmaps", "secrets", "safes.test.dev", "*.environments.setpoint.dev"];

describe("an event over RabbitMQ", () => {
  let rig: BusRig;

  before(async () => {
    rig = await openBusRig({ section: { kinds } });
  });
  after(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it("is a CloudEvent 1.0 with a stable type, id and schema version", async () => {
    const events = await rig.client.bound("setpoint.events", "configmap.*.default.shape");
    const revision = await writeMap(rig.server, "shape", "one");
    const next = await writeMap(rig.server, "shape", "two");
    await rig.server.request("DELETE", `${configMaps}/shape`);
    await waitUntil("three events", () => events.distinct().length === 3);
    const [made, updated, deleted] = events.distinct();
    assert.equal(textAt(made, "id"), `${revision}-0`);
    assert.equal(textAt(updated, "id"), `${next}-0`);
    assert.deepEqual(
      [made, updated, deleted].map((event) => textAt(event, "type")),
      ["created", "updated", "deleted"].map((name) => `dev.setpoint.configmap.${name}`),
    );
    for (const { json, delivery } of events.all) {
      assertCloudEvent(json as JsonObject, delivery.type);
    }
    assert.equal(textAt(made, "subject"), "namespaces/default/configmaps/shape");
    assert.equal(textAt(made, "data", "resource", "data", "value"), "one");
    const { delivery } = events.all[0] ?? {};
    assert.equal(delivery?.contentType, "application/cloudevents+json");
    assert.equal(delivery?.messageId, textAt(made, "id"));
    assert.equal(delivery?.routingKey, "configmap.created.default.shape");
  });

  it("that no queue receives is kept in the queue of unrouted events", async () => {
    const name = `unrouted-${randomUUID()}`;
    await writeMap(rig.server, name, "one");
    const unrouted = await rig.client.consume("setpoint.events.unrouted");
    await unrouted.first("the unrouted event", ({ delivery }) => {
      return delivery.routingKey === `configmap.created.default.${name}`;
    });
  });

  it("never contains a hidden field or the content of a Secret, nor does the broker", async () => {
    const events = await rig.client.bound("setpoint.events", "#");
    const hidden = `sentinel-${randomUUID()}`;
    await defineSafes();
    const safe = {
      apiVersion: "test.dev/v1",
      kind: "Safe",
      metadata: { name: "one" },
      spec: { pin: hidden, note: hidden, open: "shown" },
    };
    await created(rig.server, "/apis/test.dev/v1/namespaces/default/safes", safe);
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        name: "one",
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": hidden },
      },
      stringData: { password: hidden },
    };
    await created(rig.server, "/api/v1/namespaces/default/secrets", secret);
    const seen = await events.first("the event of the Safe", ({ delivery }) => {
      return delivery.routingKey === "safe.created.default.one";
    });
    assert.deepEqual(objectAt(seen.json, "data", "resource", "spec"), { open: "shown" });
    await events.first("the event of the Secret", ({ delivery }) => {
      return delivery.routingKey === "secret.created.default.one";
    });
    const encoded = Buffer.from(hidden).toString("base64");
    for (const { delivery } of events.all) {
      assert.ok(!delivery.body.includes(hidden) && !delivery.body.includes(encoded));
    }
    for (const text of filesBelow(rig.broker.folder)) {
      assert.ok(!text.includes(hidden) && !text.includes(encoded), "the broker has a secret");
    }
    assert.ok(!rig.server.lines.some((line) => line.includes(hidden)));
  });

  async function defineSafes(): Promise<void> {
    const field = { type: "string" };
    const spec = {
      group: "test.dev",
      scope: "Namespaced",
      names: { plural: "safes", singular: "safe", kind: "Safe" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: {
                  type: "object",
                  properties: {
                    pin: { ...field, "x-setpoint-field-rule": "secret" },
                    note: { ...field, "x-setpoint-field-rule": "write-only" },
                    open: field,
                  },
                },
              },
            },
          },
        },
      ],
    };
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await created(rig.server, definitions, { metadata: { name: "safes.test.dev" }, spec });
  }
});

describe("a broker that stops under load", () => {
  for (const how of ["stop", "kill9"] as const) {
    it(`(${how}) blocks no write, and all events arrive later in order`, async () => {
      await using rig = await openBusRig();
      const { server, broker } = rig;
      const queue = `test.${randomUUID()}`;
      await declareQueue(rig, queue);
      if (how === "kill9") await restart(rig);
      const written = new Map<string, number[]>();
      const write = async (round: number): Promise<void> => {
        await Promise.all(
          ["a", "b", "c", "d"].map(async (name) => {
            const revision = await writeMap(server, `load-${name}`, `round ${round}`);
            written.set(name, [...(written.get(name) ?? []), revision]);
          }),
        );
      };
      for (let round = 0; round < 15; round++) await write(round);
      const stopping = broker[how]();
      for (let round = 15; round < 30; round++) await write(round);
      await stopping;
      for (let round = 30; round < 45; round++) await write(round);
      const { text } = await server.request("GET", "/readyz?verbose");
      assert.match(text, /\[-\]bus-outbox failed \(not required\): the broker is not connected/);
      assert.equal((await server.request("GET", "/readyz")).status, 200);
      await waitUntil("the lag to be measured", async () => {
        const metrics = (await server.request("GET", "/metrics")).text;
        return Number(/^setpoint_bus_outbox_lag_revisions (\d+)$/m.exec(metrics)?.[1]) > 0;
      });
      await broker.start();
      for (let round = 45; round < 60; round++) await write(round);
      await using reader = await BusClient.open(broker.connect("orders"), "orders");
      const events = await reader.consume(queue);
      await waitUntil("all events", () => events.distinct().length >= 240);
      for (const [name, revisions] of written) {
        const own = events
          .distinct()
          .filter((event) => textAt(event, "data", "name") === `load-${name}`);
        assert.deepEqual(
          own.map((event) => numberAt(event, "data", "revision")),
          revisions,
        );
        assert.deepEqual(
          own.map((event) => textAt(event, "id")),
          revisions.map((revision) => `${revision}-0`),
        );
      }
    });
  }
});

/** RabbitMQ writes what it knows of a new queue some seconds later, or when it stops. */
async function restart({ broker, server }: BusRig): Promise<void> {
  await broker.stop();
  await broker.start();
  await waitUntil("the outbox to connect again", async () => {
    const { text } = await server.request("GET", "/metrics");
    return /^setpoint_bus_connected\{use="outbox"\} 1$/m.test(text);
  });
}

async function declareQueue({ broker }: BusRig, name: string): Promise<void> {
  await using connection = await broker.connect("orders")();
  const bindings = [{ exchange: "setpoint.events", queue: name, pattern: "configmap.#" }];
  await connection.declare({ queues: [{ name }], bindings });
}

/** The attributes that CloudEvents 1.0 requires, and the rules for names and values. */
function assertCloudEvent(event: JsonObject, type: string | undefined): void {
  assert.equal(textAt(event, "specversion"), "1.0");
  for (const name of ["id", "source", "type"]) assert.notEqual(textAt(event, name), "", name);
  assert.equal(textAt(event, "type"), type);
  assert.match(textAt(event, "source"), /^urn:uuid:[0-9a-f-]{36}$/);
  assert.match(textAt(event, "time"), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(textAt(event, "datacontenttype"), "application/json");
  assert.equal(textAt(event, "schemaversion"), "1");
  for (const name of Object.keys(event)) assert.match(name, /^[a-z0-9]{1,20}$/);
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield readFileSync(join(entry.parentPath, entry.name), "latin1");
  }
}
