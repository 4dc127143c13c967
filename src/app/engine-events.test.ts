// Events of the engine as they stand in the store, written by the ordinary write path.
import assert from "node:assert/strict";
import { it } from "node:test";
import { engineMetrics } from "../engine/reporting/metric-names.ts";
import type { EngineEvent } from "../engine/ports.ts";
import { decodeDocument } from "../kernel/document.ts";
import { numberAt, textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";
import { createMeter } from "../telemetry/meter.ts";
import { EngineEvents } from "../bridge/engine-events.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";

interface Setting extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly events: EngineEvents;
  readonly warnings: readonly string[];
  readonly number: (name: string) => string | undefined;
  readonly stored: () => Promise<readonly Resource[]>;
}

async function setting(): Promise<Setting> {
  const memory = await openMemoryPlane({ hasEngine: false });
  const meter = createMeter(engineMetrics);
  const warnings: string[] = [];
  const log = { debug: () => {}, warn: (_: unknown, text: string) => void warnings.push(text) };
  const { intents } = memory.plane;
  const events = new EngineEvents({ intents, ...memory.surroundings, meter, log });
  return {
    memory,
    events,
    warnings,
    number: (name) => new RegExp(`^${name} (.*)$`, "m").exec(meter.text())?.[1],
    stored: async () => {
      const { records } = await memory.store.list({ kind: "events" });
      return records.map(({ body, revision }) => decodeDocument(body, revision));
    },
    [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
  };
}

function eventOf(given: Partial<EngineEvent> & { readonly name?: string } = {}): EngineEvent {
  const { name = "main", key = { kind: "databases.example.com", namespace: "default", name } } =
    given;
  const resource: Resource = {
    apiVersion: "example.com/v1",
    kind: "Database",
    metadata: {
      name: key.name,
      uid: `uid-${key.name}`,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      resourceVersion: "7",
    },
  };
  const said = { type: "Warning", reason: "Down", message: "no answer" } as const;
  return { key, resource, ...said, ...given };
}

it("an event names what it is about, and the same again counts it up", async () => {
  await using given = await setting();
  const { events, memory, stored } = given;
  events.record(eventOf());
  await memory.surroundings.timers.advance(60_000);
  events.record(eventOf());
  events.record(eventOf());
  await memory.surroundings.timers.advance(1_000);
  const [event, ...others] = await stored();
  assert.equal(others.length, 0);
  assert.ok(event !== undefined);
  const { involvedObject, type, reason, message, source, count } = event;
  assert.deepEqual(involvedObject, {
    apiVersion: "example.com/v1",
    kind: "Database",
    name: "main",
    namespace: "default",
    uid: "uid-main",
    resourceVersion: "7",
  });
  assert.deepEqual([type, reason, message], ["Warning", "Down", "no answer"]);
  assert.deepEqual([source, count], [{ component: "setpoint" }, 3]);
  assert.equal(textAt(event, "firstTimestamp"), "2026-01-01T00:00:00Z");
  assert.equal(textAt(event, "lastTimestamp"), "2026-01-01T00:01:00Z");
  assert.match(event.metadata.name, /^main\.[0-9a-f]{16}$/);
  assert.equal(given.number("setpoint_events_recorded_total"), "3");
});

it("two processes that tell the same count up one event", async () => {
  await using given = await setting();
  const { memory, stored } = given;
  const meter = createMeter(engineMetrics);
  const log = { debug: () => {}, warn: () => {} };
  const { intents } = memory.plane;
  const other = new EngineEvents({ intents, ...memory.surroundings, meter, log });
  given.events.record(eventOf());
  other.record(eventOf());
  await memory.surroundings.timers.advance(1_000);
  assert.deepEqual(
    (await stored()).map((event) => numberAt(event, "count")),
    [2],
  );
});

it("what is outside of namespaces has its events in default", async () => {
  await using given = await setting();
  given.events.record(
    eventOf({ key: { kind: "planets.example.com", namespace: "", name: "mars" } }),
  );
  await given.memory.surroundings.timers.advance(1_000);
  const [event] = await given.stored();
  assert.equal(event?.metadata.namespace, "default");
  assert.equal(textAt(event, "involvedObject", "name"), "mars");
});

it("one resource cannot fill the store", async () => {
  await using given = await setting();
  for (let at = 0; at < 100; at++) given.events.record(eventOf({ message: `no ${at}` }));
  await given.memory.surroundings.timers.advance(10_000);
  assert.equal((await given.stored()).length, 25);
  assert.equal(given.number('setpoint_events_dropped_total\\{why="rate"\\}'), "75");
});

it("a flood is written slowly, bad news before it is dropped, and nobody waits", async () => {
  await using given = await setting();
  for (let at = 0; at < 1_500; at++) {
    const type = at < 1_000 ? "Normal" : "Warning";
    given.events.record(eventOf({ name: `r${at}`, type }));
  }
  await given.memory.surroundings.timers.advance(1_000);
  const early = (await given.stored()).length;
  assert.ok(early > 50 && early <= 105, String(early));
  await given.memory.surroundings.timers.advance(30_000);
  const all = await given.stored();
  assert.ok(all.length <= 1_005);
  assert.ok(all.filter(({ type }) => type === "Warning").length >= 190);
});

it("errors are logged and do no harm; in a namespace that is gone they are expected", async () => {
  await using given = await setting();
  const nowhere = { kind: "databases.example.com", namespace: "nowhere", name: "a" };
  given.events.record(eventOf({ key: nowhere }));
  await given.memory.surroundings.timers.advance(1_000);
  assert.deepEqual(given.warnings, []);
  const get = given.memory.store.get.bind(given.memory.store);
  given.memory.store.get = () => Promise.reject(new Error("broken"));
  given.events.record(eventOf());
  await given.memory.surroundings.timers.advance(1_000);
  given.memory.store.get = get;
  assert.deepEqual(given.warnings, ["event not recorded"]);
  given.events.record(eventOf({ reason: "Later" }));
  await given.memory.surroundings.timers.advance(1_000);
  assert.equal((await given.stored()).length, 1);
  assert.equal(given.number('setpoint_events_dropped_total\\{why="error"\\}'), "2");
});

it("what waits is written before it ends, and no timer is left", async () => {
  await using given = await setting();
  const before = given.memory.surroundings.timers.pendingCount();
  for (let at = 0; at < 20; at++) given.events.record(eventOf({ name: `r${at}` }));
  await given.events[Symbol.asyncDispose]();
  assert.equal((await given.stored()).length, 20);
  assert.equal(given.memory.surroundings.timers.pendingCount(), before);
  given.events.record(eventOf({ name: "late" }));
  assert.equal((await given.stored()).length, 20);
});
