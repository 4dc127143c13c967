// Subjects and graphs for tests of the explanations.

import { setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { WorkState } from "../../store/port.ts";
import type { KindNames, Subject } from "./diagnosis.ts";
import type { Observer } from "./explain.ts";
import type { Seen } from "./suspicion.ts";

export const nowMs = Date.UTC(2026, 0, 1, 12);
export const databases = "databases.example.com";
export const networks = "networks.example.com";
export const regions = "regions.example.com";

const apiVersion = "example.com/v1";

export const names: KindNames = {
  named: (kind) => {
    const found = kindNames.get(kind);
    return found === undefined
      ? undefined
      : { apiVersion, kind: found, isNamespaced: kind !== regions && kind !== "namespaces" };
  },
};

const kindNames = new Map([
  [databases, "Database"],
  [networks, "Network"],
  [regions, "Region"],
  ["namespaces", "Namespace"],
  ["configmaps", "ConfigMap"],
]);

export function keyTo(kind: string, name: string, namespace = "team"): ResourceKey {
  return { kind, namespace: names.named(kind)?.isNamespaced === false ? "" : namespace, name };
}

export interface SubjectParts extends Partial<Omit<Subject, "key" | "resource">> {
  readonly conditions?: readonly Json[];
  readonly reconcile?: JsonObject;
  readonly metadata?: JsonObject;
  readonly spec?: Json;
  readonly observedGeneration?: number;
}

export function subjectOf(key: ResourceKey, parts: SubjectParts = {}): Subject {
  const { conditions, reconcile, metadata, spec, observedGeneration, ...facts } = parts;
  const status: MutableJsonObject = {};
  if (conditions !== undefined) setOwn(status, "conditions", conditions);
  if (reconcile !== undefined) setOwn(status, "reconcile", reconcile);
  if (observedGeneration !== undefined) setOwn(status, "observedGeneration", observedGeneration);
  const resource: Resource = {
    apiVersion,
    kind: names.named(key.kind)?.kind ?? "Unknown",
    metadata: {
      name: key.name,
      ...(key.namespace === "" ? {} : { namespace: key.namespace }),
      uid: `uid-${key.name}`,
      generation: 1,
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    ...(spec === undefined ? {} : { spec }),
    status,
  };
  const usual = {
    isReconciled: true,
    workers: "here" as const,
    isBuiltIn: false,
    dependents: [],
    content: [],
    endings: [],
  };
  return {
    key,
    resource,
    work: undefined,
    runningMs: undefined,
    silentMs: undefined,
    ...usual,
    ...facts,
  };
}

export function condition(type: string, status: string, reason = "", message = ""): JsonObject {
  return { type, status, reason, message, lastTransitionTime: "2026-01-01T00:00:00Z" };
}

export const ready = condition("Ready", "True", "Available");
export const waitingCondition = condition("Ready", "False", "Waiting");

export function work(parts: Partial<WorkState> = {}): WorkState {
  return { dueInMs: undefined, attempts: 0, claim: undefined, ...parts };
}

/** Sees what is given and nothing else; counts how often it was asked to look. */
export function observing(
  subjects: readonly Subject[],
  hidden: readonly ResourceKey[] = [],
): Observer & { readonly looks: () => number } {
  const found = new Map(subjects.map((subject) => [keyText(subject.key), subject]));
  const unseen = new Set(hidden.map(keyText));
  let looks = 0;
  return {
    ...names,
    looks: () => looks,
    look: async (keys) => {
      looks += 1;
      return keys.map((key): Seen => {
        if (unseen.has(keyText(key))) return { kind: "hidden" };
        const subject = found.get(keyText(key));
        return subject === undefined ? { kind: "missing" } : { kind: "found", subject };
      });
    },
  };
}

/** Waits for others to be Ready. */
export function waiter(
  key: ResourceKey,
  on: readonly ResourceKey[],
  parts: SubjectParts = {},
): Subject {
  const waitingFor = on.map((other) => ({ ...other, condition: "Ready" }));
  const conditions = [waitingCondition, condition("Synced", "True")];
  return subjectOf(key, { conditions, reconcile: { waitingFor }, ...parts });
}
