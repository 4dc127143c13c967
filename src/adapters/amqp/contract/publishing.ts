/** What a publisher can rely on. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { Inbox, boundQueue, fresh, message } from "./harness.ts";
import type { BrokerOf } from "./harness.ts";

export function publishingContract(broker: BrokerOf): void {
  it("a confirmed message is delivered with its bytes, properties and headers", async () => {
    await using connection = await broker().connect("orders");
    const { exchange, queue } = await boundQueue(connection);
    const publisher = await connection.publisher();
    const headers = {
      traceparent: "00-a-b-01",
      "cloudEvents:id": "1",
      n: 7,
      ok: true,
      list: ["a"],
    };
    const properties = {
      messageId: fresh("id"),
      correlationId: "order-7",
      type: "things.create",
      replyTo: "replies",
      contentType: "application/json",
      appId: "shop",
      userId: "orders",
      timestamp: 1_700_000_000,
    };
    const body = Buffer.from('{"a": 1,  "a": 1}\u0000é');
    const sent = message(exchange, "thing.created", { ...properties, headers, body });
    assert.deepEqual(await publisher.publish(sent), { kind: "confirmed" });
    const inbox = new Inbox();
    await connection.consume({ queue, prefetch: 1, onDelivery: inbox.onDelivery });
    const got = await inbox.nth(1);
    assert.deepEqual([...got.body], [...body]);
    assert.equal(got.deliveries, 0);
    assert.equal(got.exchange, exchange);
    assert.equal(got.routingKey, "thing.created");
    for (const [name, value] of Object.entries(properties)) {
      assert.equal(got[name as keyof typeof properties], value, name);
    }
    assert.deepEqual({ ...got.headers }, headers);
    got.ack();
  });

  it("messages of one publisher arrive in the order of the calls", async () => {
    await using connection = await broker().connect("setpoint");
    const { exchange, queue } = await boundQueue(connection);
    const publisher = await connection.publisher();
    const inbox = new Inbox();
    await connection.consume({ queue, prefetch: 100, onDelivery: inbox.onDelivery });
    const sent = Array.from({ length: 50 }, (_none, n) => {
      return message(exchange, "n", { body: Buffer.from(String(n)) });
    });
    const outcomes = await Promise.all(sent.map((each) => publisher.publish(each)));
    assert.ok(outcomes.every(({ kind }) => kind === "confirmed"));
    await inbox.nth(50);
    assert.deepEqual(
      inbox.bodies(),
      sent.map(({ body }) => body.toString()),
    );
  });

  it("a mandatory message that no queue receives is returned, among confirmed ones", async () => {
    await using connection = await broker().connect("setpoint");
    const exchange = fresh("exchange");
    const queue = fresh("queue");
    await connection.declare({
      exchanges: [{ name: exchange, type: "topic" }],
      queues: [{ name: queue }],
      bindings: [{ exchange, queue, pattern: "known.*" }],
    });
    const publisher = await connection.publisher();
    const outcomes = await Promise.all(
      ["known.a", "unknown.a", "known.b", "known.b.c"].map((key) =>
        publisher.publish(message(exchange, key)),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["confirmed", "returned", "confirmed", "returned"],
    );
    const optional = message(exchange, "unknown", { isMandatory: false });
    assert.equal((await publisher.publish(optional)).kind, "confirmed");
  });

  it("a topic pattern matches one word with * and any number of words with #", async () => {
    await using connection = await broker().connect("setpoint");
    const exchange = fresh("exchange");
    const patterns = ["a.*", "a.#", "#.z", "*.b.*", "#", "a.b"];
    const queues = patterns.map((pattern) => ({ pattern, name: fresh("queue") }));
    await connection.declare({
      exchanges: [{ name: exchange, type: "topic" }],
      queues: queues.map(({ name }) => ({ name })),
      bindings: queues.map(({ name, pattern }) => ({ exchange, queue: name, pattern })),
    });
    const publisher = await connection.publisher();
    const keys = ["a", "a.b", "a.b.z", "z", "b.b.b", "end"];
    for (const key of keys) {
      const sent = message(exchange, key, { body: Buffer.from(key) });
      assert.equal((await publisher.publish(sent)).kind, "confirmed");
    }
    const wanted: Readonly<Record<string, readonly string[]>> = {
      "a.*": ["a.b"],
      "a.#": ["a", "a.b", "a.b.z"],
      "#.z": ["a.b.z", "z"],
      "*.b.*": ["a.b.z", "b.b.b"],
      "#": keys,
      "a.b": ["a.b"],
    };
    for (const { name, pattern } of queues) {
      const inbox = new Inbox();
      await connection.consume({ queue: name, prefetch: 10, onDelivery: inbox.onDelivery });
      const expected = wanted[pattern] ?? [];
      await inbox.nth(expected.length);
      assert.deepEqual(inbox.bodies(), expected, pattern);
    }
  });

  it("an alternate exchange receives what no binding matches, so nothing is returned", async () => {
    await using connection = await broker().connect("setpoint");
    const alternate = fresh("alternate");
    const exchange = fresh("exchange");
    const queue = fresh("unrouted");
    await connection.declare({
      exchanges: [
        { name: alternate, type: "fanout" },
        { name: exchange, type: "topic", alternate },
      ],
      queues: [{ name: queue, maxLength: 2, whenFull: "drop-oldest" }],
      bindings: [{ exchange: alternate, queue, pattern: "" }],
    });
    const publisher = await connection.publisher();
    for (const body of ["1", "2", "3"]) {
      const sent = message(exchange, "any", { body: Buffer.from(body) });
      assert.equal((await publisher.publish(sent)).kind, "confirmed");
    }
    const inbox = new Inbox();
    await connection.consume({ queue, prefetch: 10, onDelivery: inbox.onDelivery });
    await inbox.nth(2);
    assert.deepEqual(inbox.bodies(), ["2", "3"]);
  });

  it("a full queue refuses the publisher", async () => {
    await using connection = await broker().connect("setpoint");
    const { exchange } = await boundQueue(connection, { queue: { maxLength: 2 } });
    const publisher = await connection.publisher();
    let refused = 0;
    // A replicated queue refuses a few messages late, because it decides about groups of them.
    for (let sent = 0; sent < 20 && refused === 0; sent++) {
      const { kind } = await publisher.publish(message(exchange, "n"));
      if (kind === "refused") refused += 1;
      else assert.equal(kind, "confirmed");
    }
    assert.equal(refused, 1);
  });

  it("a message that names another user, or an unknown exchange, ends the publisher", async () => {
    await using connection = await broker().connect("orders");
    const { exchange } = await boundQueue(connection);
    const foreign = await connection.publisher();
    const sent = message(exchange, "n", { userId: "setpoint" });
    assert.equal((await foreign.publish(sent)).kind, "lost");
    assert.equal((await foreign.publish(message(exchange, "n"))).kind, "lost");
    const lost = await connection.publisher();
    assert.equal((await lost.publish(message(fresh("missing"), "n"))).kind, "lost");
    const next = await connection.publisher();
    assert.equal((await next.publish(message(exchange, "n"))).kind, "confirmed");
  });

  it("a queue that exists with other arguments is a conflict that names it", async () => {
    await using connection = await broker().connect("setpoint");
    const { queue } = await boundQueue(connection, { queue: { deliveryLimit: 3 } });
    await connection.declare({ queues: [{ name: queue, deliveryLimit: 3 }] });
    await assert.rejects(
      connection.declare({ queues: [{ name: queue, deliveryLimit: 4 }] }),
      (error) => isSetpointError(error, "broker.conflict") && error.message.includes(queue),
    );
  });
}
