/** What a consumer can rely on. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { HeaderTable } from "../port.ts";
import { Inbox, boundQueue, fresh, message } from "./harness.ts";
import type { BrokerOf } from "./harness.ts";

export function consumingContract(broker: BrokerOf): void {
  it("a consumer holds at most its prefetch, and an ack makes room", async () => {
    await using connection = await broker().connect("setpoint");
    const { exchange, queue } = await boundQueue(connection);
    const publisher = await connection.publisher();
    for (let n = 0; n < 5; n++) await publisher.publish(message(exchange, "n"));
    const inbox = new Inbox();
    await connection.consume({ queue, prefetch: 2, onDelivery: inbox.onDelivery });
    const first = await inbox.nth(2);
    // A third delivery would arrive before the answer to a later request.
    await connection.declare({ queues: [{ name: queue }] });
    assert.equal(inbox.all.length, 2);
    first.ack();
    await inbox.nth(3);
  });

  it("a delivery limit of 2 gives 3 deliveries, then a dead letter with the reason", async () => {
    await using connection = await broker().connect("setpoint");
    const dead = fresh("dead");
    const exchange = fresh("dlx");
    const own = await boundQueue(connection, {
      exchanges: [{ name: exchange, type: "topic" }],
      queues: [{ name: dead }],
      queue: { deadLetterExchange: exchange, deliveryLimit: 2 },
    });
    await connection.declare({ bindings: [{ exchange, queue: dead, pattern: "#" }] });
    const publisher = await connection.publisher();
    await publisher.publish(message(own.exchange, "key", { headers: { own: "kept" } }));
    const inbox = new Inbox();
    await connection.consume({ queue: own.queue, prefetch: 1, onDelivery: inbox.onDelivery });
    for (const count of [0, 1, 2]) {
      const delivery = await inbox.nth(count + 1);
      assert.equal(delivery.deliveries, count);
      delivery.requeue();
    }
    const deadInbox = new Inbox();
    await connection.consume({ queue: dead, prefetch: 1, onDelivery: deadInbox.onDelivery });
    const letter = await deadInbox.nth(1);
    assert.equal(inbox.all.length, 3);
    assert.equal(letter.headers?.["own"], "kept");
    assert.deepEqual(deathOf(letter.headers), { reason: "delivery_limit", queue: own.queue });
    assert.equal(letter.routingKey, "key");
  });

  it("a rejected message becomes a dead letter at once", async () => {
    await using connection = await broker().connect("setpoint");
    const dead = fresh("dead");
    const exchange = fresh("dlx");
    const own = await boundQueue(connection, {
      exchanges: [{ name: exchange, type: "topic" }],
      queues: [{ name: dead }],
      queue: { deadLetterExchange: exchange },
    });
    await connection.declare({ bindings: [{ exchange, queue: dead, pattern: "#" }] });
    const publisher = await connection.publisher();
    await publisher.publish(message(own.exchange, "key"));
    const inbox = new Inbox();
    await connection.consume({ queue: own.queue, prefetch: 1, onDelivery: inbox.onDelivery });
    (await inbox.nth(1)).reject();
    const deadInbox = new Inbox();
    await connection.consume({ queue: dead, prefetch: 1, onDelivery: deadInbox.onDelivery });
    const letter = await deadInbox.nth(1);
    assert.deepEqual(deathOf(letter.headers), { reason: "rejected", queue: own.queue });
  });

  it("deliveries that were not settled when a connection ended are delivered again", async () => {
    const first = await broker().connect("setpoint");
    const { exchange, queue } = await boundQueue(first);
    const publisher = await first.publisher();
    const sent = [message(exchange, "a"), message(exchange, "b"), message(exchange, "c")];
    for (const each of sent) await publisher.publish(each);
    const inbox = new Inbox();
    await first.consume({ queue, prefetch: 10, onDelivery: inbox.onDelivery });
    await inbox.nth(3);
    (await inbox.nth(1)).ack();
    await first[Symbol.asyncDispose]();
    assert.equal(await first.ended, undefined);
    await using second = await broker().connect("setpoint");
    const again = new Inbox();
    await second.consume({ queue, prefetch: 10, onDelivery: again.onDelivery });
    const last = await again.nth(2);
    assert.deepEqual(
      again.bodies(),
      sent.slice(1).map(({ body }) => body.toString()),
    );
    assert.equal(last.deliveries, 1);
  });

  it("one consumer at a time receives from a queue with a single consumer", async () => {
    await using connection = await broker().connect("setpoint");
    const { exchange, queue } = await boundQueue(connection, {
      queue: { hasSingleConsumer: true },
    });
    const publisher = await connection.publisher();
    const first = new Inbox();
    const second = new Inbox();
    const request = { queue, prefetch: 1 };
    const leaving = await connection.consume({ ...request, onDelivery: first.onDelivery });
    await connection.consume({ ...request, onDelivery: second.onDelivery });
    for (let n = 1; n <= 4; n++) {
      await publisher.publish(message(exchange, "n"));
      (await first.nth(n)).ack();
    }
    assert.equal(second.all.length, 0);
    await leaving[Symbol.asyncDispose]();
    assert.equal(await leaving.ended, undefined);
    await publisher.publish(message(exchange, "n"));
    (await second.nth(1)).ack();
    assert.equal(first.all.length, 4);
  });

  it("a temporary queue is deleted with its connection", async () => {
    const name = fresh("replies");
    await using sender = await broker().connect("setpoint");
    const publisher = await sender.publisher();
    const owner = await broker().connect("orders");
    await owner.declare({ queues: [{ name, isTemporary: true }] });
    const inbox = new Inbox();
    await owner.consume({ queue: name, prefetch: 1, onDelivery: inbox.onDelivery });
    assert.equal((await publisher.publish(message("", name))).kind, "confirmed");
    (await inbox.nth(1)).ack();
    await owner[Symbol.asyncDispose]();
    let outcome = await publisher.publish(message("", name));
    // The broker deletes the queue after it has answered the end of the connection.
    for (let more = 0; more < 200 && outcome.kind === "confirmed"; more++) {
      outcome = await publisher.publish(message("", name));
    }
    assert.equal(outcome.kind, "returned");
  });
}

function deathOf(headers: HeaderTable = {}): object {
  const deaths = headers["x-death"] as readonly HeaderTable[];
  const [death = {}] = deaths;
  return { reason: death["reason"], queue: death["queue"] };
}
