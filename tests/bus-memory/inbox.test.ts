// The inbox with the in-process broker: faults of store, broker and process while commands arrive.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SetpointError } from "../../src/kernel/errors.ts";
import { textAt, valueAt } from "../../src/kernel/json-read.ts";
import { openMemoryBus } from "./memory-bus.ts";
import type { MemoryBus } from "./memory-bus.ts";

const command = "resources.rollback";

function rollback(name: string, to: number): object {
  return { path: { kind: "configmaps", name }, query: { namespace: "default" }, data: { to } };
}

/** Jane may change ConfigMaps. */
async function grant({ memory }: MemoryBus): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "update"] }];
  const rbac = { apiVersion: `${apiGroup}/v1`, metadata: { name: "jane" } };
  await memory.create({ ...rbac, kind: "ClusterRole", rules });
  const roleRef = { apiGroup, kind: "ClusterRole", name: "jane" };
  const subjects = [{ apiGroup, kind: "User", name: "jane" }];
  await memory.create({ ...rbac, kind: "ClusterRoleBinding", roleRef, subjects });
}

async function valuesOf({ memory }: MemoryBus, name: string): Promise<readonly string[]> {
  const key = { kind: "configmaps", namespace: "default", name };
  const changes = await memory.store.history(key);
  return changes.toReversed().map(({ body }) => {
    return textAt(JSON.parse(body.toString()) as never, "data", "value");
  });
}

describe("the inbox", () => {
  it("holds a command while the store is not available, and performs it once", async () => {
    await using bus = await openMemoryBus();
    await grant(bus);
    const to = await bus.write("a", "1");
    await bus.write("a", "2");
    const { store } = bus.memory;
    const commit = store.commit.bind(store);
    store.commit = async () => {
      throw new SetpointError("store.unavailable", "no store");
    };
    const messageId = await bus.client.send({ command, content: rollback("a", to) });
    await bus.pass(30_000);
    assert.equal(bus.client.replies.all.length, 0);
    store.commit = commit;
    await bus.pass(60_000);
    assert.equal(textAt(bus.client.replies.all[0]?.json, "data", "messageId"), messageId);
    assert.deepEqual(await valuesOf(bus, "a"), ["1", "2", "1"]);
    assert.equal(bus.broker.queue("setpoint.commands.v1")?.length, 0);
    assert.equal(bus.broker.queue("setpoint.dead")?.length, 0);
  });

  it("performs the commands of a namespace in the order of the queue", async () => {
    await using bus = await openMemoryBus();
    await grant(bus);
    const first = await bus.write("a", "1");
    const second = await bus.write("a", "2");
    for (let n = 0; n < 10; n++) {
      await bus.client.send({ command, content: rollback("a", n % 2 === 0 ? first : second) });
    }
    await bus.pass();
    const values = (await valuesOf(bus, "a")).slice(2);
    assert.deepEqual(
      values,
      Array.from({ length: 10 }, (_none, n) => String((n % 2) + 1)),
    );
  });

  it("performs commands that arrive while no process runs when the next one starts", async () => {
    await using bus = await openMemoryBus();
    await grant(bus);
    const to = await bus.write("a", "1");
    await bus.write("a", "2");
    await bus.stop();
    await bus.client.send({ command, content: rollback("a", to) });
    assert.equal(bus.broker.queue("setpoint.commands.v1")?.length, 1);
    await bus.restart();
    await bus.pass();
    assert.deepEqual(await valuesOf(bus, "a"), ["1", "2", "1"]);
  });

  it("answers a command that a lost connection delivers again with its outcome", async () => {
    await using bus = await openMemoryBus();
    await grant(bus);
    const to = await bus.write("a", "1");
    await bus.write("a", "2");
    const { store } = bus.memory;
    const commit = store.commit.bind(store);
    // The broker stops after the commit and before the acknowledgement.
    store.commit = async (...given) => {
      const answers = await commit(...given);
      bus.broker.stop();
      return answers;
    };
    await bus.client.send({ command, content: rollback("a", to) });
    await bus.pass();
    store.commit = commit;
    bus.broker.start();
    await bus.pass(60_000);
    assert.deepEqual(await valuesOf(bus, "a"), ["1", "2", "1"]);
    assert.equal(bus.broker.queue("setpoint.commands.v1")?.length, 0);
  });

  it("acknowledges a command before the work that it causes", async () => {
    await using bus = await openMemoryBus();
    await grant(bus);
    const to = await bus.write("a", "1");
    await bus.write("a", "2");
    const reply = bus.client.ask({ command, content: rollback("a", to) });
    await bus.pass();
    assert.equal(valueAt((await reply).json, "data", "isRepeated"), false);
    // A delivery that is not acknowledged would come back with the end of the connection.
    await bus.stop();
    assert.equal(bus.broker.queue("setpoint.commands.v1")?.length, 0);
  });
});
