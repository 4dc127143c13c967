// Commands on a control plane in memory: what a crash at any point leaves behind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { ownIntentsOf } from "../../src/app/own-intents.ts";
import { routePortsOf } from "../../src/app/route-ports.ts";
import type { Route } from "../../src/contract/route.ts";
import { commandKind } from "../../src/intents/idempotency/command-records.ts";
import { targetFor } from "../../src/intents/bootstrap.ts";
import { createResource } from "../../src/intents/write/create.ts";
import { SetpointError } from "../../src/kernel/errors.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import type { Command, PerformCommand } from "../../src/modules/bus/command.ts";
import type { Store } from "../../src/store/port.ts";
import { performCommands } from "../../src/surfaces/bus/perform-command.ts";

const signal = new AbortController().signal;

function command(more: Partial<Command> = {}): Command {
  return {
    name: "maps.create",
    user: { name: "jane", groups: ["system:masters"], extra: {} },
    producer: "orders",
    messageId: "1",
    digest: "a",
    path: {},
    query: {},
    data: { name: "one" },
    ifMatch: undefined,
    traceId: "a".repeat(32),
    correlationId: "order-7",
    ...more,
  };
}

interface Fault {
  /** Called before each commit; throws to refuse it. */
  before?: () => void;
  /** Called after each commit; throws as if the answer was lost. */
  after?: () => void;
}

/** A route that creates a ConfigMap, whose commits can fail. */
function rig(memory: MemoryPlane, fault: Fault = {}, after: () => void = () => undefined) {
  const { plane } = memory;
  const store = new Proxy(memory.store, {
    get: (target, name) => {
      if (name === "commit") {
        return async (...given: Parameters<Store["commit"]>) => {
          fault.before?.();
          const answers = await target.commit(...given);
          fault.after?.();
          return answers;
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const intents = { ...plane.intents, store };
  const route: Route = {
    method: "POST",
    path: "/api/v1/maps",
    summary: "Create a map.",
    tag: "Test",
    command: "maps.create",
    access: { kind: "resource", verb: "create", group: "", resource: "configmaps" },
    body: { properties: { name: { type: "string" } }, required: ["name"] },
    answers: { 201: { description: "Created." } },
    handle: async ({ body, caller }) => {
      const object = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: textAt(body, "name"), namespace: "default" },
      };
      const { target } = targetFor(intents, object);
      const options = {
        isDryRun: false,
        fieldManager: "test",
        fieldValidation: "Strict",
      } as const;
      const input = { caller, target, body: object, options, decodeProblems: [] };
      const { revision } = await createResource(intents, input);
      after();
      return { kind: "document", status: 201, document: { revision } };
    },
  };
  const ports = { ...routePortsOf(plane), ownIntents: ownIntentsOf(intents), routes: [route] };
  const log = { debug: none, info: none, warn: none, error: none };
  return performCommands({ ...ports, stopping: signal, log });
}

const none = (): void => undefined;

async function changesOf({ store }: MemoryPlane, name: string): Promise<number> {
  return (await store.history({ kind: "configmaps", namespace: "default", name })).length;
}

async function twice(perform: PerformCommand, given = command()): Promise<readonly string[]> {
  const first = await perform(given, signal);
  const second = await perform(given, signal);
  return [first, second].map((each) => `${each.kind} ${each.status} ${each.isRepeated}`);
}

describe("a command of the bus", () => {
  it("has one effect and one outcome for two deliveries", async () => {
    await using memory = await openMemoryPlane();
    assert.deepEqual(await twice(rig(memory)), ["accepted 201 false", "accepted 201 true"]);
    assert.equal(await changesOf(memory, "one"), 1);
  });

  it("is recorded in the commit of its write, so a crash after it runs nothing twice", async () => {
    await using memory = await openMemoryPlane();
    const fault: Fault = {};
    // The process ends after the commit: neither the outcome nor the answer is stored.
    const perform = rig(memory, fault, () => {
      fault.before = () => {
        throw new SetpointError("store.closed", "the process ended");
      };
      throw new SetpointError("store.unavailable", "the process ended");
    });
    await assert.rejects(perform(command(), signal), /the process ended/);
    const { kind, isRepeated } = await rig(memory)(command(), signal);
    assert.deepEqual([kind, isRepeated], ["accepted", true]);
    assert.equal(await changesOf(memory, "one"), 1);
  });

  it("whose commit failed is performed by the next delivery", async () => {
    await using memory = await openMemoryPlane();
    const fault: Fault = {
      before: () => {
        throw new SetpointError("store.unavailable", "no store");
      },
    };
    await assert.rejects(rig(memory, fault)(command(), signal), /no store/);
    assert.deepEqual(await twice(rig(memory)), ["accepted 201 false", "accepted 201 true"]);
    assert.equal(await changesOf(memory, "one"), 1);
  });

  it("whose commit has an unknown outcome is found by its record", async () => {
    await using memory = await openMemoryPlane();
    const fault: Fault = {
      after: () => {
        throw new SetpointError("store.outcome_unknown", "no answer");
      },
    };
    const { kind, isRepeated } = await rig(memory, fault)(command(), signal);
    assert.deepEqual([kind, isRepeated], ["accepted", true]);
    assert.equal(await changesOf(memory, "one"), 1);
  });

  it("that runs in two processes at once has one effect and one outcome", async () => {
    await using memory = await openMemoryPlane();
    const outcomes = await Promise.all([1, 2, 3].map(() => rig(memory)(command(), signal)));
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["accepted", "accepted", "accepted"],
    );
    assert.equal(await changesOf(memory, "one"), 1);
  });

  it("that is rejected is rejected again, also when it would succeed later", async () => {
    await using memory = await openMemoryPlane();
    const object = { apiVersion: "v1", kind: "ConfigMap" };
    await memory.create({ ...object, metadata: { name: "one", namespace: "default" } });
    const perform = rig(memory);
    const first = await perform(command(), signal);
    assert.equal(textAt(first.document, "code"), "resource.already_exists");
    await memory.remove({ ...object, namespace: "default", name: "one" });
    const second = await perform(command(), signal);
    assert.deepEqual(second, { ...first, isRepeated: true });
  });

  it("is refused when its user may not use the route", async () => {
    await using memory = await openMemoryPlane();
    const user = { name: "joe", groups: [], extra: {} };
    const outcome = await rig(memory)(command({ user }), signal);
    assert.equal(outcome.status, 403);
    assert.equal(await changesOf(memory, "one"), 0);
  });

  it("with the id of another command is refused, and ids of other senders are not", async () => {
    await using memory = await openMemoryPlane();
    const perform = rig(memory);
    await perform(command(), signal);
    const other = { digest: "b", data: { name: "two" } };
    const refused = await perform(command(other), signal);
    assert.equal(textAt(refused.document, "code"), "idempotency.mismatch");
    const { kind } = await perform(command({ ...other, producer: "shop" }), signal);
    assert.equal(kind, "accepted");
    const { records } = await memory.store.list({ kind: commandKind });
    assert.equal(records.length, 2);
  });
});
