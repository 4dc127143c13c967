// A control plane in memory with a kind that is kept in a service in memory, for tests.

import { systemCaller, targetFor } from "../../src/intents/bootstrap.ts";
import type { Reconciler } from "../../src/engine/reconciler.ts";
import type { SpanPort } from "../../src/engine/reporting/tracer.ts";
import type { ConnectHooks } from "../../src/modules/connect/connect-hooks.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import {
  connectSchema,
  managedStatusSchema,
} from "../../src/modules/connect/kinds/managed-schema.ts";
import type { FollowStream } from "../../src/modules/connect/http/event-stream.ts";
import { openClients } from "../../src/modules/connect/http/clients.ts";
import type { OpenWire } from "../../src/modules/connect/http/exchange.ts";
import { connectModule } from "../../src/modules/connect/module.ts";
import { planner } from "../../src/modules/connect/subresources/planner.ts";
import type { Planner } from "../../src/modules/connect/subresources/planner.ts";
import { logger } from "../../src/telemetry/log.ts";
import { extensionsOf, kindsOf } from "../../src/app/load-modules.ts";
import type { LoadedModule } from "../../src/app/load-modules.ts";
import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import type { Preview } from "../../src/modules/connect/loop/preview-result.ts";
import { plannedResource } from "../../src/modules/connect/subresources/planned-resource.ts";
import { memoryService } from "./memory-service.ts";
import type { MemoryService } from "./memory-service.ts";

export interface MemoryConnect extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly service: MemoryService;
  /** All that was logged. */
  readonly lines: readonly string[];
  readonly make: (name: string, spec: JsonObject, connect?: JsonObject) => Promise<Resource>;
  readonly change: (name: string, patch: Json) => Promise<Resource>;
  /** What somebody writes into the status. */
  readonly changeStatus: (name: string, patch: Json) => Promise<Resource>;
  readonly remove: (name: string) => Promise<boolean>;
  readonly read: (name: string) => Promise<Resource | undefined>;
  /** What the next run would do; about what is stored, or what is given. */
  readonly plan: (name: string, given?: JsonObject) => Promise<Preview>;
  /** Lets time pass; a second if unsaid. */
  readonly pass: (ms?: number) => Promise<void>;
  /** Another process in the place of this one. */
  readonly restart: () => Promise<void>;
}

export interface MemoryConnectOptions {
  readonly binding?: Partial<Binding>;
  /** Of the spec; anything if unsaid. */
  readonly schema?: JsonObject;
  readonly connection?: JsonObject;
  readonly hooks?: readonly ConnectHooks[];
  /** Of a module that has the kind itself. */
  readonly reconciler?: Reconciler;
  readonly seed?: number;
  readonly streams?: { readonly followStream?: FollowStream };
  readonly spans?: SpanPort;
}

export const group = "things.example.dev";
export const thingsKind = `things.${group}`;
const apiVersion = `${group}/v1`;
export const connectVersion = "connect.setpoint.dev/v1";

/** Objects with a name of ours, changed by PUT. */
export const plainBinding: Binding = {
  connection: "service",
  item: "/things/{id}",
  collection: "/things",
  identity: { kind: "client", parameter: "id" },
  operations: {
    read: { method: "GET" },
    list: { method: "GET" },
    create: { method: "POST" },
    replace: { method: "PUT" },
    delete: { method: "DELETE" },
  },
  fields: [{ path: "/id", class: "read-only", from: "override" }],
  resyncSeconds: 60,
};

const workerConfig = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export async function openMemoryConnect(
  options: MemoryConnectOptions = {},
): Promise<MemoryConnect> {
  const { binding = {}, schema = anything, connection = {}, seed = 1 } = options;
  const modules = modulesWith(options);
  const service = memoryService();
  const { openWire } = service;
  const memory = await openMemoryPlane({
    seed,
    builtIn: [connectModule({ openWire, ...options.streams })],
    reconciled: kindsOf(modules),
    extensions: extensionsOf(modules),
    hasEngine: false,
  });
  const lookingAhead = plannerIn(memory, openWire, options.hooks ?? []);
  const lines: string[] = [];
  const start = async (): Promise<Reconciling> =>
    await startReconciling({
      plane: memory.plane,
      modules: strictModules(modules),
      config: workerConfig,
      surroundings: memory.surroundings,
      log: logger((line) => lines.push(line), memory.surroundings.clock, "info"),
      spans: options.spans,
    });
  let running = await start();
  await memory.create(definitionWith(schema));
  await memory.create(connectionWith(connection));
  await memory.create({
    apiVersion: connectVersion,
    kind: "RestKind",
    metadata: { name: thingsKind },
    spec: { ...plainBinding, ...binding } as unknown as Json,
  });
  // Everybody knows of the kind then.
  await memory.surroundings.timers.advance(120_000);
  const at = (name: string) => ({ apiVersion, kind: "Thing", namespace: "default", name });
  return {
    memory,
    service,
    lines,
    make: async (name, spec, connect) =>
      await memory.create({
        apiVersion,
        kind: "Thing",
        metadata: { name, namespace: "default" },
        spec,
        ...(connect === undefined ? {} : { connect }),
      }),
    change: async (name, patch) => await memory.patch(at(name), patch),
    changeStatus: async (name, patch) =>
      await memory.patch({ ...at(name), subresource: "status" }, patch),
    remove: async (name) => await memory.remove(at(name)),
    read: async (name) => await memory.read(at(name)),
    plan: async (name, given) => {
      const resource = await wanted(memory, name, given);
      return await lookingAhead.look(thingsKind, resource, AbortSignal.timeout(60_000));
    },
    pass: async (ms = 1_000) => await memory.surroundings.timers.advance(ms),
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

function modulesWith({ hooks = [], reconciler }: MemoryConnectOptions): readonly LoadedModule[] {
  if (hooks.length === 0 && reconciler === undefined) return [];
  const kinds = reconciler === undefined ? [] : [{ id: thingsKind, reconciler }];
  const loaded = { file: "hooks.ts", name: "hooks", version: 1, systems: {} };
  const { name: module, file } = loaded;
  return [{ ...loaded, kinds, extensions: [{ point: "connect", module, file, value: hooks }] }];
}

/** As the subresource has it. */
function plannerIn(
  { plane, surroundings }: MemoryPlane,
  openWire: OpenWire,
  hooks: readonly ConnectHooks[],
): Planner {
  return planner({
    ports: { ...plane.intents, ...surroundings },
    clients: openClients({ ...surroundings, openWire }),
    hooks: hooks.map((each) => ({ module: "hooks", hooks: each })),
  });
}

/** What is stored, or what would be. */
async function wanted(
  memory: MemoryPlane,
  name: string,
  given: JsonObject | undefined,
): Promise<Resource> {
  const metadata = { name, namespace: "default" };
  const stored = await memory.read({ apiVersion, kind: "Thing", ...metadata });
  if (given === undefined && stored !== undefined) return stored;
  const own = { metadata: { ...objectAt(given, "metadata"), ...metadata } };
  const whole = { apiVersion, kind: "Thing", ...given, ...own };
  const { intents } = memory.plane;
  const { target } = targetFor(intents, whole);
  return await plannedResource(intents, {
    caller: systemCaller,
    target: { ...target, name },
    stored,
    given: whole,
    strictness: { mode: "Strict", decodeProblems: [] },
  });
}

/** The condition of a resource, as "True Reason". */
export function conditionOf(resource: Resource | undefined, type: string): string {
  const found = objectsAt(resource, "status", "conditions").find((each) => each["type"] === type);
  return `${textAt(found, "status")} ${textAt(found, "reason")}`;
}

export function messageOf(resource: Resource | undefined, type: string): string {
  const found = objectsAt(resource, "status", "conditions").find((each) => each["type"] === type);
  return textAt(found, "message");
}

export function bookOf(resource: Resource | undefined): JsonObject {
  return objectAt(resource, "status", "connect");
}

function definitionWith(spec: JsonObject): JsonObject {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: thingsKind },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec, connect: connectSchema, status: managedStatusSchema },
            },
          },
          subresources: { status: {} },
        },
      ],
    },
  };
}

function connectionWith(spec: JsonObject): JsonObject {
  return {
    apiVersion: connectVersion,
    kind: "Connection",
    metadata: { name: "service" },
    spec: { baseUrl: "http://service", ...spec },
  };
}
