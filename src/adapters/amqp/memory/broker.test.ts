// The in-process broker: the contract, and the stop that tests of its users need.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { Inbox, boundQueue, message } from "../contract/harness.ts";
import { brokerContract } from "../contract/suite.ts";
import { MemoryBroker } from "./broker.ts";
import { connectMemory } from "./connection.ts";

const shared = new MemoryBroker();

brokerContract("in process", () => ({ connect: (user) => connectMemory(shared, user)() }));

test("a stopped in-process broker ends connections and keeps messages", async () => {
  const broker = new MemoryBroker();
  const connect = connectMemory(broker, "setpoint");
  const connection = await connect();
  const { exchange, queue } = await boundQueue(connection);
  const publisher = await connection.publisher();
  const inbox = new Inbox();
  await connection.consume({ queue, prefetch: 1, onDelivery: inbox.onDelivery });
  await publisher.publish(message(exchange, "n"));
  await inbox.nth(1);
  broker.stop();
  assert.equal(await connection.ended, "the broker stopped");
  assert.equal((await publisher.publish(message(exchange, "n"))).kind, "lost");
  await assert.rejects(connect(), (error) => isSetpointError(error, "broker.unavailable"));
  broker.start();
  const again = new Inbox();
  await using next = await connect();
  await next.consume({ queue, prefetch: 1, onDelivery: again.onDelivery });
  assert.equal((await again.nth(1)).deliveries, 1);
});
