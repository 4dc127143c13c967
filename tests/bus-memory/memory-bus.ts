// A control plane in memory with the bus and its in-process broker, for tests that own the time.

import { MemoryBroker } from "../../src/adapters/amqp/memory/broker.ts";
import { connectMemory } from "../../src/adapters/amqp/memory/connection.ts";
import type { QueueDeclaration } from "../../src/adapters/amqp/port.ts";
import { builtInModules } from "../../src/app/modules.ts";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { openSurfaces } from "../../src/app/open-surfaces.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { defaultConfiguration } from "../../src/modules/bus/configuration.ts";
import { busSurface } from "../../src/surfaces/bus/surface.ts";
import { logger } from "../../src/telemetry/log.ts";
import { Arrivals, BusClient } from "../bus/client.ts";

export interface MemoryBus extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly broker: MemoryBroker;
  readonly client: BusClient;
  /** What a health check of the module reports. */
  readonly problem: (check: string) => Promise<string | undefined>;
  /** Lets time pass, a second by default, and the work that is due then complete. */
  readonly pass: (ms?: number) => Promise<void>;
  /** Stops the process, or the leader, and starts the next one. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** A queue of events; it consumes when `arrivals` is called. */
  readonly queue: (pattern: string, more?: Partial<QueueDeclaration>) => Promise<MemoryQueueOf>;
  /** Returns the revision. */
  readonly write: (name: string, value: string) => Promise<number>;
}

export interface MemoryQueueOf {
  readonly name: string;
  readonly arrivals: () => Promise<Arrivals>;
}

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

export async function openMemoryBus(section: JsonObject = {}): Promise<MemoryBus> {
  const broker = new MemoryBroker();
  const own = {
    ...defaultConfiguration,
    kinds: ["configmaps"],
    users: ["orders=jane"],
    ...section,
  };
  const memory = await openMemoryPlane({
    builtIn: builtInModules.filter(({ name }) => ["insight", "bus"].includes(name)),
    hasEngine: false,
    broker,
    configuration: { bus: own },
  });
  const { plane, surroundings } = memory;
  const log = logger(() => undefined, surroundings.clock, "warn");
  const start = async (): Promise<Reconciling> =>
    await startReconciling({ plane, modules: strictModules([]), config, surroundings, log });
  let running: Reconciling | undefined = await start();
  await openSurfaces({ plane, log, surfaces: [busSurface] });
  const pass = async (ms = 1_000): Promise<void> => await surroundings.timers.advance(ms);
  await pass();
  const client = await BusClient.open(connectMemory(broker, "orders"), "orders");
  const stop = async (): Promise<void> => {
    const stopping = running?.[Symbol.asyncDispose]();
    running = undefined;
    await stopping;
  };
  return {
    memory,
    broker,
    client,
    problem: async (name) =>
      await plane.modules.healthChecks.find((each) => each.name === name)?.check(),
    pass,
    stop,
    restart: async () => {
      await stop();
      running = await start();
      await pass();
    },
    queue: (pattern, more) => eventQueue(broker, pattern, more),
    write: (name, value) => writeMap(memory, name, value),
    async [Symbol.asyncDispose]() {
      await stop();
      await memory[Symbol.asyncDispose]();
    },
  };
}

async function eventQueue(
  broker: MemoryBroker,
  pattern: string,
  more: Partial<QueueDeclaration> = {},
): Promise<MemoryQueueOf> {
  const connection = await connectMemory(broker, "orders")();
  const name = `test.${pattern}`;
  await connection.declare({
    queues: [{ name, ...more }],
    bindings: [{ exchange: "setpoint.events", queue: name, pattern }],
  });
  return {
    name,
    arrivals: async () => {
      const arrivals = new Arrivals();
      const { onDelivery } = arrivals;
      await connection.consume({ queue: name, prefetch: 100, onDelivery });
      return arrivals;
    },
  };
}

async function writeMap(memory: MemoryPlane, name: string, value: string): Promise<number> {
  const type = { apiVersion: "v1", kind: "ConfigMap" };
  const at = { ...type, namespace: "default", name };
  const data = { value };
  const metadata = { name, namespace: "default" };
  const written =
    (await memory.read(at)) === undefined
      ? await memory.create({ ...type, metadata, data })
      : await memory.patch(at, { data });
  return Number(textAt(written, "metadata", "resourceVersion"));
}
