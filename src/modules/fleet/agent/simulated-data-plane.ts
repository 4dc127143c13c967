// A data plane in memory, for demonstrations and tests of agents. It behaves as simulated clusters
// do (clusters/simulate.ts), and is empty again after a restart.

import type { Clock } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { untilAborted } from "../../../kernel/until-aborted.ts";
import { simulate } from "../clusters/simulate.ts";
import type { ObservedObject } from "./applied-object.ts";
import type { DataPlane } from "./data-plane.ts";
import type { DesiredInstance } from "./desired-instance.ts";

export interface SimulatedPlaneInput {
  readonly clock: Clock;
  readonly timers: Timers;
  /** As `spec.executor.simulator` of a cluster. */
  readonly settings: JsonObject;
  /** Domain of the ingress of the cluster. */
  readonly domain: string;
}

interface SimulatedObject {
  readonly instance: DesiredInstance;
  readonly generation: number;
  report: JsonObject | undefined;
  deletedAtMs: number | undefined;
}

export function simulatedDataPlane(input: SimulatedPlaneInput): DataPlane {
  const { clock, timers } = input;
  const objects = new Map<string, SimulatedObject>();
  const cancels = new Map<string, () => void>();
  let changed: (id: string) => void = () => undefined;

  const step = (id: string): void => {
    cancels.get(id)?.();
    cancels.delete(id);
    const object = objects.get(id);
    if (object === undefined) return;
    const { report, againMs } = simulateObject(input, object);
    if (report !== undefined) {
      if (object.deletedAtMs !== undefined) objects.delete(id);
      object.report = report;
      changed(id);
    }
    if (againMs === undefined) return;
    const cancel = timers.after(againMs, () => step(id));
    cancels.set(id, cancel);
  };

  return {
    apply: async (instance) => {
      const { id } = instance;
      const before = objects.get(id);
      const generation = (before?.generation ?? 0) + 1;
      objects.set(id, { instance, generation, report: before?.report, deletedAtMs: undefined });
      step(id);
    },
    remove: async (id) => {
      const object = objects.get(id);
      if (object === undefined) return true;
      object.deletedAtMs ??= clock.nowMs();
      step(id);
      return !objects.has(id);
    },
    observed: (id) => {
      const object = objects.get(id);
      return object === undefined ? undefined : observedOf(object);
    },
    ids: async () => [...objects.keys()],
    follow: async (listener, signal) => {
      ({ changed } = listener);
      listener.read();
      try {
        await untilAborted(signal);
      } finally {
        changed = () => undefined;
        for (const cancel of cancels.values()) cancel();
        cancels.clear();
      }
    },
  };
}

function simulateObject(
  { settings, domain, clock }: SimulatedPlaneInput,
  { instance, report, deletedAtMs }: SimulatedObject,
): ReturnType<typeof simulate> {
  const { id, name, placementId, spec } = instance;
  return simulate({
    instance: {
      id,
      cluster: "",
      offering: "",
      name,
      placementId,
      type: textAt(spec, "type"),
      host: textAt(spec, "endpoint", "host"),
      owners: [],
      organisation: "",
      versions: objectAt(spec, "versions"),
      traits: [],
      parameters: {},
      isSuspended: spec["suspended"] === true,
      deletedAtMs,
      report,
    },
    settings,
    domain,
    nowMs: clock.nowMs(),
  });
}

function observedOf(object: SimulatedObject): ObservedObject {
  const { instance, generation, report, deletedAtMs } = object;
  return {
    id: instance.id,
    uid: instance.id,
    namespace: instance.namespace,
    placementId: instance.placementId,
    generation,
    isPaused: false,
    isDeleting: deletedAtMs !== undefined,
    isStale: false,
    conditions: objectsAt(report, "conditions"),
    versions: objectAt(report, "versions"),
    routes: objectsAt(report, "routes"),
  };
}
