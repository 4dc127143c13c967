// The outbox with the in-process broker: order, refusals, restarts and lost history.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { numberAt, objectAt, textAt } from "../../src/kernel/json-read.ts";
import type { MemoryBroker } from "../../src/adapters/amqp/memory/broker.ts";
import { connectMemory } from "../../src/adapters/amqp/memory/connection.ts";
import { BusClient } from "../bus/client.ts";
import type { Arrivals } from "../bus/client.ts";
import { openMemoryBus } from "./memory-bus.ts";

function valuesIn(arrivals: Arrivals): readonly string[] {
  return arrivals.distinct().map((event) => textAt(event, "data", "resource", "data", "value"));
}

describe("the outbox", () => {
  it("publishes each change once while nothing fails, and stores its place", async () => {
    await using bus = await openMemoryBus();
    const arrivals = await (await bus.queue("#")).arrivals();
    for (const value of ["1", "2", "3"]) await bus.write("a", value);
    await bus.pass();
    assert.deepEqual(valuesIn(arrivals), ["1", "2", "3"]);
    assert.equal(arrivals.all.length, 3);
    await bus.restart();
    await bus.write("a", "4");
    await bus.pass();
    assert.equal(arrivals.all.length, 4, "the next leader repeats nothing that was confirmed");
  });

  it("keeps the order of a resource whose event is refused, and others continue", async () => {
    await using bus = await openMemoryBus();
    const full = await bus.queue("configmap.*.default.a", { maxLength: 1 });
    const others = await (await bus.queue("configmap.*.default.b")).arrivals();
    for (const value of ["1", "2", "3"]) {
      await bus.write("a", value);
      await bus.write("b", value);
    }
    await bus.pass();
    assert.deepEqual(valuesIn(others), ["1", "2", "3"]);
    assert.match((await bus.problem("bus-outbox")) ?? "", /does not take events of 1 lanes/);
    const arrivals = await full.arrivals();
    await bus.pass(60_000);
    assert.deepEqual(valuesIn(arrivals), ["1", "2", "3"]);
    assert.equal(arrivals.all.length, 3);
  });

  it("continues from the oldest event without a confirm after the broker was away", async () => {
    await using bus = await openMemoryBus();
    const { arrivals, name } = await bus.queue("#");
    await bus.write("a", "1");
    await bus.pass();
    bus.broker.stop();
    const revisions = [await bus.write("a", "2"), await bus.write("b", "1")];
    await bus.pass(120_000);
    assert.equal(bus.broker.queue(name)?.length, 1, "no event while the broker is away");
    bus.broker.start();
    await bus.pass(60_000);
    assert.equal(bus.broker.queue(name)?.length, 3);
    assert.ok(revisions.every((revision) => revision > 0));
    await assert.rejects(arrivals(), /ended/, "the connection of the test ended as well");
  });

  it("publishes what the next leader finds unpublished", async () => {
    await using bus = await openMemoryBus();
    const { name } = await bus.queue("#");
    bus.broker.stop();
    await bus.write("a", "1");
    await bus.stop();
    bus.broker.start();
    await bus.write("a", "2");
    await bus.restart();
    await bus.pass(60_000);
    assert.equal(bus.broker.queue(name)?.length, 2);
  });

  it("publishes events.lost with the range when history was compacted before", async () => {
    await using bus = await openMemoryBus();
    const { name } = await bus.queue("#");
    await bus.write("a", "1");
    await bus.pass();
    bus.broker.stop();
    await bus.pass();
    const from = await bus.write("a", "2");
    await bus.write("a", "3");
    const { revision } = await bus.memory.store.head();
    await bus.memory.store.compact(revision);
    await bus.write("a", "4");
    bus.broker.start();
    await bus.pass(60_000);
    const arrivals = await bus.client.consume(name).catch(() => undefined);
    assert.equal(arrivals, undefined, "the connection of the client ended");
    await using again = await openReader(bus.broker);
    const seen = await again.consume(name);
    await bus.pass();
    const types = seen.distinct().map((event) => textAt(event, "type"));
    assert.deepEqual(types, [
      "dev.setpoint.configmap.created",
      "dev.setpoint.events.lost",
      "dev.setpoint.configmap.updated",
    ]);
    const lost = objectAt(seen.distinct()[1], "data");
    assert.equal(numberAt(lost, "to"), revision);
    assert.ok((numberAt(lost, "from") ?? revision) <= from);
    assert.deepEqual(valuesIn(seen).slice(2), ["4"]);
  });

  it("publishes nothing of kinds that are not configured", async () => {
    await using bus = await openMemoryBus({ kinds: ["*.environments.setpoint.dev"] });
    const arrivals = await (await bus.queue("#")).arrivals();
    await bus.write("a", "1");
    await bus.pass();
    assert.equal(arrivals.all.length, 0);
  });
});

async function openReader(broker: MemoryBroker): Promise<BusClient> {
  return await BusClient.open(connectMemory(broker, "orders"), "orders");
}
