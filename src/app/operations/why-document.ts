// An explanation as the API answers it. What has nothing to say is left out, as in other documents
// of Kubernetes; times are relative, so that they mean the same on every clock.

import type { Cause, Explained, Explanation } from "../../engine/why/explain.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { WorkState } from "../../store/port.ts";

export const operationsVersion = "setpoint.dev/v1";

export function whyDocument({ isReady, summary, resource, causes }: Explanation): JsonObject {
  const { namespace, name } = resource.key;
  return {
    kind: "Explanation",
    apiVersion: operationsVersion,
    metadata: { name, ...(namespace === "" ? {} : { namespace }) },
    ready: isReady,
    summary,
    causes: causes.map(causeJson),
    resource: explainedJson(resource),
  };
}

function causeJson({ key, kind, message, details }: Cause): JsonObject {
  return { kind, ...placeJson(key), message, ...listJson("details", details) };
}

function explainedJson(explained: Explained): JsonObject {
  const { key, apiVersion, kind, relation, state, ready, message, work, workers, more } = explained;
  const json: MutableJsonObject = {};
  if (relation !== undefined) json["relation"] = relation;
  if (apiVersion !== undefined) json["apiVersion"] = apiVersion;
  return {
    ...json,
    kind,
    ...placeJson(key),
    state,
    ready,
    message,
    ...listJson("details", explained.details),
    ...(workers === undefined ? {} : { workers }),
    ...(work === undefined ? {} : { work: workJson(work) }),
    ...listJson("blockers", explained.blockers.map(explainedJson)),
    ...(more === 0 ? {} : { moreBlockers: more }),
  };
}

export function placeJson({ namespace, name }: ResourceKey): JsonObject {
  return namespace === "" ? { name } : { namespace, name };
}

export function workJson({ dueInMs, attempts, claim }: WorkState): JsonObject {
  const json: MutableJsonObject = {};
  if (dueInMs !== undefined) json["dueInMs"] = dueInMs;
  if (attempts > 0) json["claims"] = attempts;
  if (claim !== undefined) {
    json["claim"] = { owner: claim.owner, expiresInMs: claim.expiresInMs };
  }
  return json;
}

function listJson(name: string, items: readonly Json[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}
