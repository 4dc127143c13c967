// A control plane in memory with its own clock and random numbers, for tests: everything that a
// server does with intents, without a server or a disk. Its engine completes the work on the
// server's own kinds; what waits for a time continues when the test advances the timers.

import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import type { Target, WriteOptions, Written } from "../intents/request.ts";
import { createResource } from "../intents/write/create.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { patchResource } from "../intents/write/patch.ts";
import { manualClock } from "../kernel/clock.ts";
import type { ManualClock } from "../kernel/clock.ts";
import { decodeDocument } from "../kernel/document.ts";
import { seededIds } from "../kernel/ids.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import type { ManualTimers } from "../kernel/manual-timers.ts";
import { seededRandom } from "../kernel/random.ts";
import type { Resource } from "../kernel/resource.ts";
import { ModelStore } from "../store/contract/model.ts";
import { logger } from "../telemetry/log.ts";
import { openControlPlane } from "./control-plane.ts";
import type { ControlPlane, ControlPlaneOptions, Surroundings } from "./control-plane.ts";
import { startOwnEngine } from "./own-engine.ts";

export interface MemoryPlane extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly store: ModelStore;
  readonly surroundings: Surroundings & {
    readonly clock: ManualClock;
    readonly timers: ManualTimers;
  };
  create(object: JsonObject, options?: Partial<WriteOptions>): Promise<Resource>;
  /** A merge patch. */
  patch(at: Place, patch: Json, options?: Partial<WriteOptions>): Promise<Resource>;
  /** Whether it is gone with the answer. */
  remove(at: Place): Promise<boolean>;
  read(at: Place): Promise<Resource | undefined>;
}

/** Names an object as kubectl would. */
export interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
}

export interface MemoryPlaneOptions extends Pick<
  ControlPlaneOptions,
  "builtIn" | "extensions" | "metrics" | "configuration" | "broker"
> {
  readonly seed?: number;
  /** Kinds that have a reconciler. */
  readonly reconciled?: Pick<ReadonlySet<string>, "has">;
  /** False where the test starts the engine itself, with modules. */
  readonly hasEngine?: boolean;
}

export async function openMemoryPlane(given: MemoryPlaneOptions = {}): Promise<MemoryPlane> {
  const { seed = 1, reconciled = new Set(), hasEngine = true, ...others } = given;
  const clock = manualClock();
  const random = seededRandom(seed);
  const surroundings = { clock, timers: manualTimers(clock), random, ids: seededIds(random) };
  const store = new ModelStore(clock);
  const log = logger(() => undefined, clock, "error");
  const plane = await openControlPlane(store, log, { surroundings, reconciled, ...others });
  const engineOptions = { owner: "memory", graceMs: 0 };
  const engine = hasEngine
    ? startOwnEngine({ plane, surroundings, log, options: engineOptions })
    : undefined;
  const { intents } = plane;
  const caller = systemCaller;
  const targetOf = ({
    apiVersion,
    kind,
    namespace = "",
    name,
    subresource = "",
  }: Place): Target => {
    const { target } = targetFor(intents, { apiVersion, kind, metadata: { name, namespace } });
    return { ...target, name, subresource };
  };
  return {
    plane,
    store,
    surroundings,
    create: async (object, options = {}) => {
      const { target } = targetFor(intents, object);
      const whole = { ...systemOptions, ...options };
      const input = { caller, target, body: object, options: whole, decodeProblems: [] };
      return documentOf(await createResource(intents, input));
    },
    patch: async (at, value, options = {}) => {
      const whole = { ...systemOptions, ...options };
      const body = (): { value: Json; problems: [] } => ({ value, problems: [] });
      const input = { caller, target: targetOf(at), type: "merge" as const, body, options: whole };
      return documentOf(await patchResource(intents, input));
    },
    remove: async (at) => {
      const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw: {} };
      const input = { caller, target: targetOf(at), options };
      return (await deleteResource(intents, input)).outcome === "deleted";
    },
    read: async (at) => {
      const { served, namespace, name } = targetOf(at);
      const record = await store.get({ kind: served.id, namespace, name });
      return record === undefined ? undefined : decodeDocument(record.body, record.revision);
    },
    async [Symbol.asyncDispose]() {
      await engine?.[Symbol.asyncDispose]();
      await plane[Symbol.asyncDispose]();
      await store.close();
    },
  };
}

function documentOf({ body, revision }: Written): Resource {
  return decodeDocument(body, revision);
}
