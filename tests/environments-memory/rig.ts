// A control plane in memory with the environments module, for tests. The test owns the time, and is
// the controller of the kind Machine: it decides when a machine is ready, fails or is removed.

import { openMemoryPlane } from "../../src/app/memory-plane.ts";
import type { MemoryPlane, Place } from "../../src/app/memory-plane.ts";
import { startReconciling } from "../../src/app/reconciling.ts";
import type { Reconciling } from "../../src/app/reconciling.ts";
import { strictModules } from "../../src/app/user-modules.ts";
import { namespaceTenant } from "../../src/intents/auth/tenant-name.ts";
import type { UserInfo } from "../../src/intents/auth/user.ts";
import { systemOptions, targetFor } from "../../src/intents/bootstrap.ts";
import type { Caller } from "../../src/intents/request.ts";
import { createResource } from "../../src/intents/write/create.ts";
import { deleteResource } from "../../src/intents/write/delete.ts";
import { patchResource } from "../../src/intents/write/patch.ts";
import { decodeDocument } from "../../src/kernel/document.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { numberAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { nextTurn } from "../../src/kernel/pauses.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { environments } from "../../src/modules/environments/module.ts";
import { logger } from "../../src/telemetry/log.ts";

export const apiVersion = "environments.setpoint.dev/v1";
export const machineVersion = "example.dev/v1";

export interface Rig extends AsyncDisposable {
  readonly memory: MemoryPlane;
  readonly lines: readonly string[];
  readonly create: (kind: string, name: string, spec: JsonObject) => Promise<Resource>;
  readonly template: (resources: readonly JsonObject[], more?: JsonObject) => Promise<Resource>;
  readonly environment: (spec?: JsonObject, name?: string) => Promise<Resource>;
  readonly read: (kind: string, name: string) => Promise<Resource | undefined>;
  readonly patch: (kind: string, name: string, patch: Json) => Promise<Resource>;
  readonly remove: (kind: string, name: string) => Promise<void>;
  /** Names of all resources of a kind, sorted. */
  readonly names: (kind: string) => Promise<readonly string[]>;
  readonly machines: () => Promise<readonly string[]>;
  /** Sets the conditions of a machine, as its controller does. */
  readonly ready: (name: string, outputs?: JsonObject) => Promise<void>;
  readonly fail: (name: string, message?: string) => Promise<void>;
  readonly machineStatus: (name: string, status: JsonObject) => Promise<void>;
  readonly phase: (name?: string) => Promise<string>;
  readonly as: (user: string, groups?: readonly string[]) => Writer;
  readonly pass: (ms?: number) => Promise<void>;
  readonly restart: () => Promise<void>;
}

export interface Writer {
  readonly create: (object: JsonObject) => Promise<Resource>;
  readonly patch: (at: Place, patch: Json) => Promise<Resource>;
  readonly remove: (at: Place) => Promise<void>;
}

const config = {
  isWorker: true,
  slots: undefined,
  perNamespace: undefined,
  leaseMs: undefined,
  graceMs: 0,
  startsFresh: false,
};

export async function openRig(configuration: JsonObject = {}): Promise<Rig> {
  const memory = await openMemoryPlane({
    builtIn: [environments],
    hasEngine: false,
    configuration: { environments: configuration },
  });
  const { plane, surroundings } = memory;
  const lines: string[] = [];
  const log = logger((line) => lines.push(line), surroundings.clock, "warn");
  const modules = strictModules([]);
  const start = async (): Promise<Reconciling> =>
    await startReconciling({ plane, modules, config, surroundings, log });
  let running = await start();
  const pass = async (ms = 1_500): Promise<void> => await advance(memory, ms);
  const admin = writerOf(memory, "admin", ["system:masters"]);
  await memory.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  await installMachine(memory);
  await grant(memory);
  await pass();
  const place = (kind: string, name: string): Place => placeOf(kind, name);
  const list = async (kind: string): Promise<readonly Resource[]> => {
    const { records } = await memory.store.list({ kind });
    return records.map(({ body, revision }) => decodeDocument(body, revision));
  };
  const rig: Rig = {
    memory,
    lines,
    pass,
    create: async (kind, name, spec) =>
      await admin.create({ ...headOf(kind), metadata: { name, namespace: "team" }, spec }),
    template: async (resources, more = {}) => {
      const spec = { id: "t", version: 1, resources, ...more };
      const name = `${textAt(spec, "id")}.v${numberAt(spec, "version")}`;
      return await rig.create("Template", name, spec);
    },
    environment: async (spec = {}, name = "e") =>
      await rig.create("Environment", name, { templates: ["t.v1"], ...spec }),
    read: async (kind, name) => await memory.read(place(kind, name)),
    patch: async (kind, name, patch) => await admin.patch(place(kind, name), patch),
    remove: async (kind, name) => await admin.remove(place(kind, name)),
    names: async (kind) => (await list(kind)).map(({ metadata }) => metadata.name).toSorted(),
    machines: async () => await rig.names("machines.example.dev"),
    machineStatus: async (name, status) => {
      const at = { ...place("Machine", name), subresource: "status" };
      await memory.patch(at, { status });
      await pass();
    },
    ready: async (name, outputs = {}) => {
      const found = await rig.read("Machine", name);
      await rig.machineStatus(name, conditions(found, { outputs }));
    },
    fail: async (name, message = "it broke") => {
      const found = await rig.read("Machine", name);
      await rig.machineStatus(name, conditions(found, { failure: message }));
    },
    phase: async (name = "e") => textAt((await rig.read("Environment", name))?.status, "phase"),
    as: (user, groups = []) => writerOf(memory, user, groups),
    restart: async () => {
      await running[Symbol.asyncDispose]();
      running = await start();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await memory[Symbol.asyncDispose]();
    },
  };
  return rig;
}

/** Work that takes long waits for a turn of the event loop, which is not a time of the test. */
async function advance({ surroundings }: MemoryPlane, ms: number): Promise<void> {
  const stepMs = Math.max(100, ms / 50);
  for (let left = ms; left > 0; left -= stepMs) {
    await surroundings.timers.advance(Math.min(left, stepMs));
    await nextTurn(namespaceTenant("team"));
  }
}

/** The kinds that the tests write. */
function headOf(kind: string): { readonly apiVersion: string; readonly kind: string } {
  if (kind === "Machine") return { apiVersion: machineVersion, kind };
  return ["ConfigMap", "Secret", "Namespace"].includes(kind)
    ? { apiVersion: "v1", kind }
    : { apiVersion, kind };
}

function placeOf(kind: string, name: string): Place {
  return { ...headOf(kind), ...(kind === "Namespace" ? {} : { namespace: "team" }), name };
}

function conditions(
  resource: Resource | undefined,
  given: { readonly outputs?: JsonObject; readonly failure?: string },
): JsonObject {
  const observedGeneration = resource?.metadata.generation ?? 0;
  const isReady = given.failure === undefined;
  const at = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration };
  const synced = isReady
    ? { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "", ...at }
    : { type: "Synced", status: "False", reason: "Broken", message: given.failure, ...at };
  const ready = {
    type: "Ready",
    status: isReady ? "True" : "False",
    reason: "R",
    message: "",
    ...at,
  };
  const outputs = given.outputs === undefined ? {} : { outputs: given.outputs };
  return {
    observedGeneration,
    conditions: [ready, synced],
    reconcile: { attempts: 0 },
    ...outputs,
  };
}

async function installMachine(memory: MemoryPlane): Promise<void> {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const secret = { type: "string", "x-setpoint-field-rule": "secret" };
  const spec = { ...free, properties: { password: secret } };
  const status = {
    ...free,
    properties: { drift: free },
  };
  const schema = { type: "object", properties: { spec, status } };
  await memory.create({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "machines.example.dev" },
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { plural: "machines", kind: "Machine" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  });
}

/** The ServiceAccount of the environments may write what the tests deploy. */
async function grant(memory: MemoryPlane): Promise<void> {
  const group = "rbac.authorization.k8s.io";
  await memory.create({
    apiVersion: `${group}/v1`,
    kind: "Role",
    metadata: { name: "deploy", namespace: "team" },
    rules: [
      {
        apiGroups: ["example.dev", ""],
        resources: ["machines", "stacks", "stackplans", "configmaps"],
        verbs: ["*"],
      },
    ],
  });
  await memory.create({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata: { name: "deploy", namespace: "team" },
    roleRef: { apiGroup: group, kind: "Role", name: "deploy" },
    subjects: [{ kind: "ServiceAccount", name: "environment", namespace: "team" }],
  });
}

function writerOf({ plane }: MemoryPlane, name: string, groups: readonly string[]): Writer {
  const user: UserInfo = { name, groups: ["system:authenticated", ...groups], extra: {} };
  const caller: Caller = { user, surface: "kube", warn: () => undefined };
  const { intents } = plane;
  const targetOf = ({ apiVersion: version, kind, namespace = "", name: at }: Place) => {
    const document = { apiVersion: version, kind, metadata: { name: at, namespace } };
    return { ...targetFor(intents, document).target, name: at };
  };
  return {
    create: async (object) => {
      const { target } = targetFor(intents, object);
      const input = { caller, target, body: object, options: systemOptions, decodeProblems: [] };
      const written = await createResource(intents, input);
      return decodeDocument(written.body, written.revision);
    },
    patch: async (at, value) => {
      const body = (): { value: Json; problems: [] } => ({ value, problems: [] });
      const input = { caller, target: targetOf(at), type: "merge" as const, body };
      const written = await patchResource(intents, { ...input, options: systemOptions });
      return decodeDocument(written.body, written.revision);
    },
    remove: async (at) => {
      const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw: {} };
      await deleteResource(intents, { caller, target: targetOf(at), options });
    },
  };
}

/** An entry of a template that creates a Machine. */
export function machine(key: string, more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return { key, template: { apiVersion: machineVersion, kind: "Machine", spec }, ...more };
}

export function transitionsOf(environment: Resource | undefined): readonly string[] {
  return objectsAt(environment?.status, "transitions").map((each) => textAt(each, "phase"));
}
