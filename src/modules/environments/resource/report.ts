// The status of an EnvironmentResource from the state of its target. Pure.

import type { Readiness } from "../../../engine/outcome.ts";
import { annotations as engineAnnotations } from "../../../kernel/annotations.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, numberAt, objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { textsAt } from "../../../kernel/json-read.ts";
import { makeMergePatch } from "../../../kernel/merge-patch.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { Variables } from "../../../kernel/template/template.ts";
import { externalsKind, runAnnotation } from "../names.ts";
import type { Entry } from "../templates/entry.ts";
import { linkBudget, renderLinks, validLinks } from "../templates/links.ts";
import type { Dependencies } from "./dependencies.ts";
import { outputsOf } from "./outputs.ts";
import { waitingForDependencies, waitingForExternal } from "./states.ts";
import type { ResourceState } from "./states.ts";
import { progressOf, targetState } from "./target-state.ts";

export interface ReportInput {
  readonly resource: Resource;
  readonly entry: Entry;
  /** Without hidden fields. */
  readonly target: JsonObject;
  readonly digest: string;
  readonly hasStatus: boolean;
  readonly key: ResourceKey;
}

export interface Report {
  readonly status: JsonObject;
  readonly ready: Readiness;
}

const maxMessageChars = 2_000;

export function reportOf(input: ReportInput): Report {
  const { resource, entry, target, digest, key, hasStatus } = input;
  const applied = {
    target: {
      apiVersion: textAt(target, "apiVersion"),
      kind: textAt(target, "kind"),
      resource: key.kind,
      name: key.name,
      uid: textAt(target, "metadata", "uid"),
      generation: versionOf(target),
    },
    digest,
    deployedGeneration: resource.metadata.generation ?? 0,
    drift: driftOf(target),
    progress: progressOf(target) ?? null,
  };
  const run = resource.metadata.annotations?.[runAnnotation];
  if (run !== undefined && hasStatus && !hasRun(target, run)) {
    const message = "the target runs again";
    return state("Deploying", { reason: "Running", message }, applied);
  }
  const ran = { ...applied, run: run ?? null };
  const found = targetState({ target, readyWhen: entry.readyWhen, hasStatus });
  switch (found.kind) {
    case "failed":
      return state("Failed", found, ran);
    case "cancelled":
      return state("Cancelled", { reason: "Cancelled", message: found.message }, ran);
    case "progressing":
      return state("Deploying", found, ran);
    default:
      return readyReport(input, ran);
  }
}

/** Kinds without a generation have the revision of the document. */
export function versionOf(target: JsonObject): number {
  const generation = numberAt(target, "metadata", "generation");
  return generation ?? Number(textAt(target, "metadata", "resourceVersion") || 0);
}

function readyReport({ resource, entry, target }: ReportInput, applied: JsonObject): Report {
  const result = outputsOf(entry, target);
  if (result.kind === "problem") {
    return state("Failed", { reason: "OutputsFailed", message: result.message }, applied);
  }
  const secret = objectAt(target, "status", "secretOutputs");
  const name = textAt(secret, "name");
  const keys = textsAt(secret, "keys");
  const dependsOn = textsAt(resource.spec, "dependsOn");
  // One that has no value is left out.
  const values = linkValues(resource, result.outputs);
  const links = validLinks(renderLinks(entry.links, values, linkBudget()));
  return {
    ready: { status: "True", reason: "Available", message: "" },
    status: {
      ...applied,
      state: "Ready" satisfies ResourceState,
      reason: null,
      message: null,
      outputs: makeMergePatch(objectAt(resource.status, "outputs"), result.outputs),
      secretOutputs: name === "" ? null : { name, keys: keys.length === 0 ? null : keys },
      links: links.length === 0 ? null : links,
      dependsOn: dependsOn.length === 0 ? null : dependsOn,
    },
  };
}

function state(
  named: ResourceState,
  { reason, message }: { readonly reason: string; readonly message: string },
  applied: JsonObject,
): Report {
  const shown = shortText(message, maxMessageChars);
  return {
    ready: { status: "False", reason, message: shown },
    status: { ...applied, state: named, reason, message: shown },
  };
}

export function blockedStatus({ blockers, message }: Dependencies): JsonObject {
  const isExternal = blockers.some(({ kind }) => kind === externalsKind);
  const reason = isExternal ? waitingForExternal : waitingForDependencies;
  return { state: "Waiting" satisfies ResourceState, reason, message };
}

/** It failed before its target was applied. */
export function failedStatus({ metadata }: Resource, reason: string, message: string): JsonObject {
  const shown = shortText(message, maxMessageChars);
  const run = metadata.annotations?.[runAnnotation] ?? null;
  return { state: "Failed" satisfies ResourceState, reason, message: shown, run };
}

/** The reconciler of the target has answered the request; other controllers give no answer. */
function hasRun(target: JsonObject, run: string): boolean {
  if (presentObjectAt(target, "status", "reconcile") === undefined) return true;
  const handled = textAt(target, "status", "reconcile", "handledRequest");
  const asked = textAt(target, "metadata", "annotations", engineAnnotations.request);
  return handled === run || asked !== run;
}

function driftOf(target: JsonObject): Json {
  const drift = presentObjectAt(target, "status", "drift");
  if (drift === undefined) return null;
  const { state: named, checkedAt } = drift;
  return {
    state: typeof named === "string" ? named : "Unknown",
    ...(typeof checkedAt === "string" ? { checkedAt } : {}),
    items: listAt(drift, "items").slice(0, 100),
  };
}

/** What the entry points and the status endpoints of a resource read. */
export function linkValues(resource: Resource, outputs: JsonObject): Variables {
  const input = objectAt(resource.spec, "input");
  return {
    parameters: objectAt(input, "parameters"),
    environment: objectAt(input, "environment"),
    outputs,
    index: numberAt(resource.spec, "index") ?? 0,
    count: numberAt(resource.spec, "count") ?? 1,
  };
}
