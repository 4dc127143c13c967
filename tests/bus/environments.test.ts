// Commands and events of environments, and of the work that a command causes, over RabbitMQ.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import { root } from "../../tools/stages.ts";
import { pick, pickList } from "../kube/server.ts";
import { waitUntil } from "../peers/wait.ts";
import { created, openBusRig } from "./rig.ts";
import type { BusRig } from "./rig.ts";

const namespace = "default";
const greetings = "greetings.examples.setpoint.dev";

describe("environments over RabbitMQ", () => {
  let rig: BusRig;

  before(async () => {
    rig = await openBusRig({
      section: {
        kinds: ["*.environments.setpoint.dev", greetings],
        users: ["orders=admin-of-bus"],
      },
      server: { module: [join(root, "examples", "greeting", "greeting.ts")] },
    });
    const rbac = "rbac.authorization.k8s.io";
    await created(rig.server, `/apis/${rbac}/v1/clusterrolebindings`, {
      metadata: { name: "admin-of-bus" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ apiGroup: rbac, kind: "User", name: "admin-of-bus" }],
    });
    await created(rig.server, `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: "environment" },
    });
    await created(rig.server, `/apis/${rbac}/v1/namespaces/${namespace}/rolebindings`, {
      metadata: { name: "environment" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "edit" },
      subjects: [{ kind: "ServiceAccount", name: "environment", namespace }],
    });
    const content = {
      query: { namespace },
      data: {
        id: "shop.v1",
        spec: {
          id: "shop",
          version: 1,
          resources: [
            {
              key: "settings",
              template: { apiVersion: "v1", kind: "ConfigMap", data: { size: "1" } },
              readyWhen: "true",
            },
          ],
        },
      },
    };
    const reply = await rig.client.ask({ command: "templates.create", content });
    assert.equal(numberAt(reply.json, "data", "status"), 201, JSON.stringify(reply.json));
  });
  after(async () => {
    await rig[Symbol.asyncDispose]();
  });

  it("a command creates one environment with one id, however often it arrives", async () => {
    const events = await rig.client.bound("setpoint.events", "environment.#");
    const messageId = randomUUID();
    const correlationId = `order-${messageId}`;
    const content = { query: { namespace }, data: { spec: { templates: ["shop.v1"] } } };
    const sent = { command: "environments.create", content, messageId, correlationId };
    for (let n = 0; n < 3; n++) await rig.client.send(sent);
    const replies = await Promise.all([1, 2, 3].map((n) => rig.client.reply(messageId, n)));
    const results = replies.map(({ json }) => objectAt(json, "data", "result"));
    assert.deepEqual(results[1], results[0]);
    assert.deepEqual(results[2], results[0]);
    const id = textAt(results[0], "id");
    const list = await rig.server.request("GET", `/api/v1/environments?namespace=${namespace}`);
    const ids = pickList(list.json, "items").map((item) => pick(item, "id"));
    assert.deepEqual(ids, [id]);
    const made = await events.first("the event of the creation", ({ json }) => {
      return textAt(json, "type") === "dev.setpoint.environment.created";
    });
    assert.equal(textAt(made.json, "correlationid"), correlationId);
    assert.equal(textAt(made.json, "data", "environment"), id);
    assert.equal(made.delivery.routingKey, `environment.created.${namespace}.${id}`);
    for (const { delivery } of replies) assert.equal(delivery.correlationId, correlationId);
  });

  it("the life of an environment is published in order, with the ids of its command", async () => {
    const events = await rig.client.bound("setpoint.events", `#.${namespace}.life`);
    const correlationId = `order-${randomUUID()}`;
    const traceId = randomUUID().replaceAll("-", "");
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const content = {
      query: { namespace },
      data: { id: "life", spec: { templates: ["shop.v1"] } },
    };
    await rig.client.ask({ command: "environments.create", content, correlationId, headers });
    const ok = await events.first("the deployment", ({ json }) => {
      return /deployed-(?:ok|fail)$/.test(textAt(json, "type"));
    });
    assert.equal(textAt(ok.json, "type"), "dev.setpoint.environment.deployed-ok");
    assert.equal(textAt(ok.json, "correlationid"), correlationId);
    assert.match(textAt(ok.json, "traceparent"), new RegExp(`^00-${traceId}-`));
    const destroy = { path: { id: "life" }, query: { namespace } };
    await rig.client.ask({ command: "environments.destroy", content: destroy });
    await events.first("the destruction", ({ json }) => {
      return textAt(json, "type") === "dev.setpoint.environment.destroyed";
    });
    const phases = events
      .distinct()
      .filter((event) => textAt(event, "data", "kind").startsWith("environments."))
      .flatMap((event) => textAt(event, "data", "to") || []);
    const order = ["Deploying", "DeployedOk", "Destroying", "Destroyed"];
    assert.deepEqual(
      phases.filter((phase) => order.includes(phase)),
      order,
    );
    const revisions = events.distinct().map((event) => numberAt(event, "data", "revision") ?? 0);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
  });

  it("an invalid template is rejected with the field, and nothing is stored", async () => {
    const content = {
      query: { namespace },
      data: { id: "bad.v1", spec: { id: "bad", version: 1, resources: [{ key: 7 }] } },
    };
    const reply = await rig.client.ask({ command: "templates.create", content });
    assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.rejected");
    assert.match(JSON.stringify(reply.json), /spec\.resources\[0\]/);
    const read = await rig.server.request("GET", `/api/v1/templates/bad.v1?namespace=${namespace}`);
    assert.equal(read.status, 404);
  });

  it("every operation of the REST API for environments has a command", async () => {
    const { json } = await rig.server.request("GET", "/api/v1/openapi.json");
    const paths = objectAt(json as JsonObject, "paths");
    const missing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as JsonObject)
        .filter(([, operation]) => (pick(operation, "tags") as string[]).includes("Environments"))
        .filter(([, operation]) => !JSON.stringify(operation).includes("application/x-ndjson"))
        .filter(([, operation]) => pick(operation, "x-setpoint-command") === undefined)
        .map(([method]) => `${method} ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it("the events of the work carry correlation id and trace of the command", async () => {
    const events = await rig.client.bound("setpoint.events", "greeting.#");
    const path = `/apis/examples.setpoint.dev/v1/namespaces/${namespace}/greetings`;
    const greeting = {
      apiVersion: "examples.setpoint.dev/v1",
      kind: "Greeting",
      metadata: { name: "hello" },
    };
    const to = await created(rig.server, path, { ...greeting, spec: { whom: "one" } });
    await rig.server.request("PATCH", `${path}/hello`, { spec: { whom: "two" } });
    await waitUntil("the second greeting", async () => {
      const { text } = await rig.server.request("GET", `${path}/hello`);
      return text.includes("two") && /"observedGeneration":2/.test(text);
    });
    const correlationId = `order-${randomUUID()}`;
    const traceId = randomUUID().replaceAll("-", "");
    const content = {
      path: { kind: greetings, name: "hello" },
      query: { namespace },
      data: { to },
    };
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    await rig.client.ask({ command: "resources.rollback", content, correlationId, headers });
    const result = await events.first("an event of the run", ({ json }) => {
      return (
        textAt(json, "correlationid") === correlationId &&
        textAt(json, "data", "surface") === "engine"
      );
    });
    assert.equal(textAt(result.json, "data", "actor"), "system:setpoint:engine");
    assert.match(textAt(result.json, "traceparent"), new RegExp(`^00-${traceId}-`));
  });

  it("a command whose work does not end is acknowledged, and not delivered again", async () => {
    const path = `/apis/examples.setpoint.dev/v1/namespaces/${namespace}/greetings`;
    const type = { apiVersion: "examples.setpoint.dev/v1", kind: "Greeting" };
    const spec = { whom: "one", salutationFrom: "missing" };
    const to = await created(rig.server, path, { ...type, metadata: { name: "slow" }, spec });
    await rig.server.request("PATCH", `${path}/slow`, { spec: { salutationFrom: null } });
    // A run that writes its status meanwhile would make the rollback a conflict.
    await waitUntil("the end of the second run", async () => {
      const { text } = await rig.server.request("GET", `${path}/slow`);
      return /"reason":"ReconcileSuccess","message":"","observedGeneration":2/.test(text);
    });
    const content = { path: { kind: greetings, name: "slow" }, query: { namespace }, data: { to } };
    const reply = await rig.client.ask({ command: "resources.rollback", content });
    assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.accepted");
    await waitUntil("the work to wait", async () => {
      const { text } = await rig.server.request("GET", `${path}/slow`);
      return text.includes("the salutation is missing");
    });
    // Deliveries that are not acknowledged come back when the server leaves the queue.
    const queue = await rig.client.consume("setpoint.commands.v1");
    await rig.server.stop();
    const marker = await rig.client.send({ command: "resources.rollback" });
    await queue.first("the marker", ({ delivery }) => delivery.messageId === marker);
    assert.equal(queue.all.length, 1);
  });
});
