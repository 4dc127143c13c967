// The EnvironmentResources of an Environment, and what their states say together. Pure.

import { hash } from "node:crypto";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { environmentLimits } from "../limits.ts";
import { cancelAnnotation, forceCancelAnnotation } from "../names.ts";
import { waitingForDependants } from "../resource/states.ts";
import type { ResourceState } from "../resource/states.ts";

export interface Member {
  readonly name: string;
  readonly key: string;
  /** "Waiting" while its present spec was not looked at. */
  readonly state: ResourceState;
  readonly isObserved: boolean;
  readonly reason: string;
  readonly message: string;
  readonly isDeleting: boolean;
  readonly isCancelled: boolean;
  readonly dependsOn: readonly string[];
  readonly run: string;
  readonly resource: Resource;
}

export function memberOf(resource: Resource): Member {
  const { metadata, spec, status } = resource;
  const { annotations = {} } = metadata;
  const observed = numberAt(status, "observedGeneration") ?? 0;
  const isObserved = observed === (metadata.generation ?? 0) && textAt(status, "state") !== "";
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const state = isObserved ? (textAt(status, "state") as ResourceState) : "Waiting";
  return {
    name: metadata.name,
    key: textAt(spec, "key"),
    state: isDeleting ? "Removing" : state,
    isObserved,
    reason: textAt(status, "reason"),
    message: textAt(status, "message"),
    isDeleting,
    isCancelled: [cancelAnnotation, forceCancelAnnotation].some((name) => {
      return annotations[name] !== undefined;
    }),
    dependsOn: textsAt(spec, "dependsOn"),
    run: textAt(status, "run"),
    resource,
  };
}

export interface Counts {
  readonly total: number;
  readonly waiting: number;
  readonly deploying: number;
  readonly ready: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly removing: number;
}

export function countsOf(members: readonly Member[]): Counts {
  const of = (state: ResourceState): number => {
    return members.filter((member) => member.state === state).length;
  };
  return {
    total: members.length,
    waiting: of("Waiting"),
    deploying: of("Deploying"),
    ready: of("Ready"),
    failed: of("Failed"),
    cancelled: of("Cancelled"),
    removing: of("Removing"),
  };
}

/**
 * Whether all removals wait for a resource that failed or was cancelled: it still has the document
 * that depends on them, so that they go on only after another change.
 */
export function isRemovalBlocked(members: readonly Member[]): boolean {
  const staying = members.filter(({ isDeleting }) => !isDeleting);
  const isOver = staying.some(({ state }) => state === "Failed" || state === "Cancelled");
  const isWaiting = ({ reason, isObserved }: Member): boolean =>
    isObserved && reason === waitingForDependants;
  return isOver && members.every((member) => !member.isDeleting || isWaiting(member));
}

/** Whether anything may still happen without a change: the opposite of settled. */
export function isBusy(members: readonly Member[]): boolean {
  const isBlocked = isRemovalBlocked(members);
  const isMoving = ({ state, isObserved, isDeleting }: Member): boolean =>
    isDeleting ? !isBlocked : !isObserved || state === "Deploying";
  if (members.some(isMoving)) return true;
  const ready = new Set(members.filter(({ state }) => state === "Ready").map(({ name }) => name));
  // A resource whose dependencies are all ready starts next, or waits for an ExternalResource.
  return members.some(
    ({ state, dependsOn }) => state === "Waiting" && dependsOn.every((name) => ready.has(name)),
  );
}

/** The resources that failed, with their reasons; blocked ones are not failures of their own. */
export function failuresOf(members: readonly Member[]): readonly JsonObject[] {
  return members
    .filter(({ state }) => state === "Failed" || state === "Cancelled")
    .slice(0, environmentLimits.maxNamed)
    .map(({ name, reason, message }) => ({ resource: name, reason, message }));
}

/**
 * The outputs by key, as expressions read them: of a counted entry in the order of positions.
 * `secrets` has secret outputs by name.
 */
export function readableOutputs(
  members: readonly Member[],
  secrets: ReadonlyMap<string, JsonObject> = new Map(),
): Readonly<Record<string, JsonObject | readonly JsonObject[]>> {
  const positionOf = ({ resource }: Member): number => numberAt(resource.spec, "index") ?? 0;
  const found = new Map<string, JsonObject | readonly JsonObject[]>();
  for (const member of members.toSorted((a, b) => positionOf(a) - positionOf(b))) {
    const { key, name, resource } = member;
    const secretOutputs = secrets.get(name);
    const outputs = {
      outputs: objectAt(resource.status, "outputs"),
      ...(secretOutputs === undefined ? {} : { secretOutputs }),
    };
    const isCounted = numberAt(resource.spec, "index") !== undefined;
    const before = isCounted ? found.get(key) : undefined;
    const others = Array.isArray(before) ? (before as readonly JsonObject[]) : [];
    found.set(key, isCounted ? [...others, outputs] : outputs);
  }
  return Object.fromEntries(found);
}

/** Drift of all members together, apart from the phase. */
export function driftOf(members: readonly Member[], accepted: string): JsonObject | undefined {
  const reports = members.flatMap(({ name, resource }) => {
    const drift = objectAt(resource.status, "drift");
    return textAt(drift, "state") === "" ? [] : [{ name, drift }];
  });
  if (reports.length === 0) return undefined;
  const drifted = reports.filter(({ drift }) => textAt(drift, "state") === "Drifted");
  const isUnknown = reports.some(({ drift }) => textAt(drift, "state") === "Unknown");
  const items = drifted.flatMap(({ name, drift }) => {
    return objectsAt(drift, "items").map((item) => withResource(item, name));
  });
  const checked = reports.map(({ drift }) => textAt(drift, "checkedAt")).filter((at) => at !== "");
  const digest = digestOf(items);
  const isAccepted = drifted.length > 0 && accepted !== "" && accepted === digest;
  const named = isUnknown ? "Unknown" : "None";
  const state = isAccepted ? "Accepted" : drifted.length > 0 ? "Drifted" : named;
  return {
    state,
    resources: drifted.length,
    items: items.slice(0, 200),
    digest: drifted.length > 0 ? digest : null,
    ...(checked.length > 0 ? { checkedAt: checked.toSorted().at(-1) ?? "" } : {}),
  };
}

function withResource(item: JsonObject, resource: string): JsonObject {
  return { ...item, resource };
}

/** By place and kind, so that accepted drift stays accepted when a message changes. */
function digestOf(items: readonly JsonObject[]): string {
  const lines = items.map((item) => {
    const place = textAt(item, "address") || textAt(item, "path");
    return `${textAt(item, "resource")} ${place} ${textAt(item, "kind")}`;
  });
  return hash("sha256", lines.toSorted().join("\n"), "hex").slice(0, 16);
}
