// Commands over a real RabbitMQ: one effect for each message, as the mapped user, with a reply.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Delivery } from "../../src/adapters/amqp/port.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import { waitUntil } from "../peers/wait.ts";
import { BusClient } from "./client.ts";
import type { Arrivals } from "./client.ts";
import { openBusRig, readMap, rollback, writeMap } from "./rig.ts";
import type { BusRig } from "./rig.ts";

describe("a command over RabbitMQ", () => {
  let rig: BusRig;
  let dead: Arrivals;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "setpoint-bus-audit-"));
    const auditPolicy = join(folder, "policy.yaml");
    writeFileSync(
      auditPolicy,
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [level: Metadata]\n",
    );
    rig = await openBusRig({ server: { auditPolicy, auditLog: join(folder, "audit.log") } });
    dead = await rig.client.consume("setpoint.dead");
  });
  after(async () => {
    await rig[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function twice(name: string): Promise<number> {
    const first = await writeMap(rig.server, name, "one");
    await writeMap(rig.server, name, "two");
    return first;
  }

  async function deadLetter(messageId: string): Promise<Arrivals["all"][number]> {
    return await dead.first(
      `the dead letter of ${messageId}`,
      ({ delivery }) => delivery.messageId === messageId,
    );
  }

  it("performs its route as the mapped user, and reply and event carry its ids", async () => {
    const events = await rig.client.bound("setpoint.events", "configmap.#");
    const to = await twice("as-jane");
    const correlationId = `order-${randomUUID()}`;
    const traceId = randomUUID().replaceAll("-", "");
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const command = "resources.rollback";
    const content = rollback("as-jane", to);
    const reply = await rig.client.ask({ command, content, correlationId, headers });
    assert.equal(reply.delivery.correlationId, correlationId);
    assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.accepted");
    assert.equal(textAt(reply.json, "correlationid"), correlationId);
    assert.match(textAt(reply.json, "traceparent"), new RegExp(`^00-${traceId}-`));
    assert.equal(await readMap(rig.server, "as-jane"), "one");
    const revision = numberAt(reply.json, "data", "result", "revision");
    const event = await events.first("the event of the rollback", ({ json }) => {
      return numberAt(json, "data", "revision") === revision;
    });
    assert.equal(textAt(event.json, "correlationid"), correlationId);
    assert.equal(event.delivery.correlationId, correlationId);
    assert.match(textAt(event.json, "traceparent"), new RegExp(`^00-${traceId}-`));
    assert.equal(event.delivery.headers?.["traceparent"], textAt(event.json, "traceparent"));
    assert.equal(textAt(event.json, "data", "actor"), "jane");
    assert.equal(textAt(event.json, "data", "surface"), "bus");
    const audit = await rig.server.request("GET", "/api/v1/audit?namespace=default&name=as-jane");
    assert.match(audit.text, /"actor":"jane","surface":"bus"/);
  });

  it("that is delivered twice has one effect and the same result", async () => {
    const to = await twice("repeated");
    const messageId = randomUUID();
    const sent = { command: "resources.rollback", content: rollback("repeated", to), messageId };
    const first = await rig.client.ask(sent);
    await rig.client.send(sent);
    const second = await rig.client.reply(messageId, 2);
    assert.equal(valueAt(first.json, "data", "isRepeated"), false);
    assert.equal(valueAt(second.json, "data", "isRepeated"), true);
    assert.deepEqual(
      objectAt(second.json, "data", "result"),
      objectAt(first.json, "data", "result"),
    );
    const map = await rig.server.request(
      "GET",
      "/api/v1/history/configmaps/repeated?namespace=default",
    );
    const rollbacks = map.text.split('"surface":"bus"').length - 1;
    assert.equal(rollbacks, 1, map.text);
  });

  it("with the message id of another command is rejected and changes nothing", async () => {
    const to = await twice("reused");
    const messageId = randomUUID();
    const command = "resources.rollback";
    await rig.client.ask({ command, content: rollback("reused", to), messageId });
    await writeMap(rig.server, "reused", "three");
    await rig.client.send({ command, content: rollback("reused", to + 1), messageId });
    const reply = await rig.client.reply(messageId, 2);
    assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.rejected");
    assert.equal(textAt(reply.json, "data", "problem", "code"), "idempotency.mismatch");
    assert.equal(await readMap(rig.server, "reused"), "three");
    const letter = await deadLetter(messageId);
    assert.equal(letter.delivery.headers?.["x-setpoint-code"], "idempotency.mismatch");
  });

  it("beyond the rights of its user is rejected, recorded, and changes nothing", async () => {
    const content = {
      path: { kind: "secrets", name: "any" },
      query: { namespace: "default" },
      data: { to: 1 },
    };
    const reply = await rig.client.ask({ command: "resources.rollback", content });
    assert.equal(numberAt(reply.json, "data", "status"), 403);
    assert.match(textAt(reply.json, "data", "problem", "detail"), /User "jane" cannot get/);
    const id = textAt(reply.json, "data", "messageId");
    const { delivery } = await deadLetter(id);
    assert.equal(delivery.headers?.["x-setpoint-code"], "request.forbidden");
    assert.equal(delivery.headers?.["x-setpoint-user"], "orders");
    assert.ok(rig.server.lines.some((line) => line.includes('"command rejected"')));
    const record = await waitUntil("the audit record", () => {
      const text = readFileSync(join(folder, "audit.log"), "utf8");
      const lines = text.split("\n").filter((line) => line.includes(id));
      return lines.find((line) => line.includes('"ResponseComplete"'));
    });
    for (const part of ['"username":"jane"', '"code":403', '"resources.rollback"', "bus/orders"]) {
      assert.ok(record.includes(part), record);
    }
  });

  const malformed: readonly (readonly [string, JsonObject, RegExp, string])[] = [
    ["without a type", { command: "" }, /has no type/, "request.invalid"],
    ["of an unknown type", { command: "things.explode" }, /no command/, "route.not_found"],
    ["with an unknown field", { content: { paths: {} } }, /body\.paths/, "request.invalid"],
    ["with a body of another type", { content: [1] }, /must be a JSON object/, "request.invalid"],
    [
      "without a parameter of its path",
      { content: { data: { to: 1 } } },
      /2 parts/,
      "request.invalid",
    ],
    [
      "with an unknown query",
      {
        content: {
          path: { kind: "configmaps", name: "x" },
          query: { space: "a" },
          data: { to: 1 },
        },
      },
      /query\.space/,
      "request.invalid",
    ],
    [
      "with a wrong field",
      {
        content: {
          path: { kind: "configmaps", name: "x" },
          query: { namespace: "default" },
          data: { to: "one" },
        },
      },
      /body\.to/,
      "request.invalid",
    ],
    [
      "with another content type",
      { contentType: "text/plain" },
      /application\/json/,
      "request.unsupported_media_type",
    ],
  ];
  for (const [title, sent, reason, code] of malformed) {
    it(`${title} is a dead letter with the reason, and the next command is performed`, async () => {
      const reply = await rig.client.ask({ command: "resources.rollback", ...sent });
      assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.rejected");
      assert.match(textAt(reply.json, "data", "problem", "detail"), reason);
      assert.equal(textAt(reply.json, "data", "problem", "code"), code);
      const { delivery } = await deadLetter(textAt(reply.json, "data", "messageId"));
      assert.match(reasonIn(delivery), reason);
      assert.equal(delivery.headers?.["x-setpoint-queue"], "setpoint.commands.v1");
      const name = `after-${title.replaceAll(" ", "-")}`;
      const to = await twice(name);
      await rig.client.ask({ command: "resources.rollback", content: rollback(name, to) });
      assert.equal(await readMap(rig.server, name), "one");
    });
  }

  it("that is not JSON, or repeats a field, is a dead letter with its exact bytes", async () => {
    for (const text of ['{"path": ', '{"data": {"to": 1, "to": 2}}']) {
      const body = Buffer.from(text);
      const reply = await rig.client.ask({ command: "resources.rollback", body });
      assert.equal(textAt(reply.json, "data", "problem", "field"), "body");
      const { delivery } = await deadLetter(textAt(reply.json, "data", "messageId"));
      assert.equal(delivery.body.toString(), text);
    }
  });

  it("can be sent, and events followed, with the permissions of the how-to page", async () => {
    await using shop = await BusClient.open(rig.broker.connect("shop"), "shop");
    const events = await shop.bound("setpoint.events", "configmap.#", "shop.events");
    const to = await twice("least");
    const reply = await shop.ask({ command: "resources.rollback", content: rollback("least", to) });
    assert.equal(textAt(reply.json, "type"), "dev.setpoint.command.accepted");
    await events.first("the event of the rollback", ({ json }) => {
      return textAt(json, "data", "surface") === "bus" && textAt(json, "data", "name") === "least";
    });
    await assert.rejects(shop.consume("setpoint.commands.v1"), /ACCESS_REFUSED|refused/);
  });

  it("of a sender without a user id, or of an unknown sender, is rejected", async () => {
    const command = "resources.rollback";
    const anonymous = await rig.client.send({ command, userId: undefined as never });
    assert.match(reasonIn((await deadLetter(anonymous)).delivery), /no user id/);
    await using stranger = await BusClient.open(rig.broker.connect("stranger"), "stranger");
    const unknown = await stranger.send({ command });
    assert.match(reasonIn((await deadLetter(unknown)).delivery), /"stranger" is not mapped/);
  });

  it("with a reply-to of another queue is rejected without a reply", async () => {
    const messageId = await rig.client.send({
      command: "resources.rollback",
      replyTo: "setpoint.commands.v1",
    });
    const { delivery } = await deadLetter(messageId);
    assert.match(reasonIn(delivery), /reply-to/);
  });
});

function reasonIn({ headers = {} }: Delivery): string {
  const reason = headers["x-setpoint-reason"];
  return typeof reason === "string" ? reason : "";
}
