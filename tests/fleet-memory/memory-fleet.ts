// A control plane in memory with the fleet module, for tests: the test owns the time and is the
// agent of the clusters.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane, Place } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import type { BuiltInModule } from "../../src/contract/module.ts";
import type { UserInfo } from "../../src/intents/auth/user.ts";
import { systemOptions, targetFor } from "../../src/intents/bootstrap.ts";
import type { Caller } from "../../src/intents/request.ts";
import { createResource } from "../../src/intents/write/create.ts";
import { deleteResource } from "../../src/intents/write/delete.ts";
import { patchResource } from "../../src/intents/write/patch.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { fleet } from "../../src/modules/fleet/module.ts";
import { sampleOffering } from "../../src/modules/fleet/sample-offering.ts";
import { logger } from "../../src/telemetry/log.ts";

export const fleetVersion = "fleet.setpoint.dev/v1";
export const dinosaurVersion = "dinosaurs.example.dev/v1";
export const dinosaursKind = "dinosaurs.dinosaurs.example.dev";

export interface MemoryFleet extends AsyncDisposable {
  readonly memory: MemoryPlane;
  /** All that was logged. */
  readonly lines: readonly string[];
  /** The sample, with parts of the first level of the spec replaced. */
  readonly offer: (spec?: JsonObject) => Promise<Resource>;
  /** With the members alice, who is an administrator of it, and bob. */
  readonly organise: (name?: string, spec?: JsonObject) => Promise<void>;
  readonly as: (user: string | UserInfo) => Writer;
  readonly list: (kind: string) => Promise<readonly Resource[]>;
  /** Lets time pass, a second by default, and the work that is due then complete. */
  readonly pass: (ms?: number) => Promise<void>;
  /** Another process in the place of this one; `between` runs while there is none. */
  readonly restart: (between?: () => Promise<unknown>) => Promise<void>;
}

/** Writes as a user, through the write path with admission. */
export interface Writer {
  readonly create: (object: JsonObject) => Promise<Resource>;
  readonly patch: (at: Place, patch: Json) => Promise<Resource>;
  /** `raw`: the options of the deletion as a client sends them. */
  readonly remove: (at: Place, raw?: JsonObject) => Promise<void>;
}

export interface MemoryFleetOptions {
  readonly seed?: number;
  /** The fleet module with other ports. */
  readonly module?: BuiltInModule;
}

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

export async function openMemoryFleet(options: MemoryFleetOptions = {}): Promise<MemoryFleet> {
  const { seed = 1, module = fleet } = options;
  const memory = await openMemoryPlane({ seed, builtIn: [module], hasEngine: false });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const start = async (): Promise<Reconciling> =>
    await startReconciling({
      plane,
      modules: strictModules([]),
      config,
      surroundings,
      log: logger((line) => lines.push(line), surroundings.clock, "warn"),
    });
  let running = await start();
  const pass = async (ms = 1_000): Promise<void> => await surroundings.timers.advance(ms);
  return {
    memory,
    lines,
    pass,
    offer: async (spec) => {
      const { apiVersion, kind, spec: whole } = sampleOffering(spec);
      const metadata = { name: "dinosaurs" };
      const created = await memory.create({ apiVersion, kind, metadata, spec: whole ?? {} });
      await pass();
      return created;
    },
    organise: async (name = "acme", spec = {}) => {
      const members = [{ user: "alice", isAdmin: true }, { user: "bob" }];
      await memory.create({
        apiVersion: fleetVersion,
        kind: "Organisation",
        metadata: { name },
        spec: { members, ...spec },
      });
      await pass();
    },
    as: (user) => writerOf(memory, typeof user === "string" ? plainUser(user) : user),
    list: async (kind) => {
      const { records } = await memory.store.list({ kind });
      return records.map(({ body, revision }) => decodeDocument(body, revision));
    },
    restart: async (between) => {
      await running[Symbol.asyncDispose]();
      await between?.();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
}

function plainUser(name: string): UserInfo {
  return { name, groups: ["system:authenticated"], extra: {} };
}

function writerOf({ plane: { intents } }: MemoryPlane, user: UserInfo): Writer {
  const caller: Caller = { user, surface: "test", warn: () => undefined };
  const targetAt = ({ apiVersion, kind, namespace = "", name, subresource = "" }: Place) => {
    const { target } = targetFor(intents, { apiVersion, kind, metadata: { name, namespace } });
    return { ...target, name, subresource };
  };
  return {
    create: async (object) => {
      const { target } = targetFor(intents, object);
      const { body, revision } = await createResource(intents, {
        caller,
        target,
        body: object,
        options: systemOptions,
        decodeProblems: [],
      });
      return decodeDocument(body, revision);
    },
    patch: async (at, value) => {
      const { body, revision } = await patchResource(intents, {
        caller,
        target: targetAt(at),
        type: "merge",
        body: () => ({ value, problems: [] }),
        options: systemOptions,
      });
      return decodeDocument(body, revision);
    },
    remove: async (at, raw = {}) => {
      const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw };
      await deleteResource(intents, { caller, target: targetAt(at), options });
    },
  };
}

export function instance(name: string, spec: JsonObject = {}, organisation = "acme"): JsonObject {
  const metadata = { name, namespace: `org-${organisation}` };
  return { apiVersion: dinosaurVersion, kind: "Dinosaur", metadata, spec };
}

export function organisationAt(name = "acme"): Place {
  return { apiVersion: fleetVersion, kind: "Organisation", name };
}

export function offeringAt(name = "dinosaurs"): Place {
  return { apiVersion: fleetVersion, kind: "Offering", name };
}

export function instanceAt(name: string, organisation = "acme"): Place {
  const namespace = `org-${organisation}`;
  return { apiVersion: dinosaurVersion, kind: "Dinosaur", namespace, name };
}

/** A condition as "True Reason". */
export function conditionOf(resource: Resource | undefined, type: string): string {
  const found = objectsAt(resource, "status", "conditions").find((each) => each["type"] === type);
  return `${textAt(found, "status")} ${textAt(found, "reason")}`;
}
