// Whether everything in a world is as its people want it. What is found first is said in words, so
// that a run which never gets there says what stood in the way.

import { annotations, journalKind } from "../../src/engine/names.ts";
import { isJsonObject } from "../../src/kernel/json.ts";
import { ownerUids } from "../../src/kernel/owners.ts";
import type { Resource, ResourceKey } from "../../src/kernel/resource.ts";
import type { Invariant } from "./violation.ts";
import type { World } from "./world.ts";
import {
  appKind,
  appSpecOf,
  appState,
  conditionOf,
  configKeyOf,
  noteKind,
  partKind,
  partName,
  partSpec,
  plainState,
  statusOf,
  textOf,
  valueOf,
} from "./sim-kinds.ts";
import { equalJson } from "../../src/kernel/json.ts";

export interface Finding {
  readonly invariant: Invariant;
  readonly text: string;
}

/** The first thing that is not as it should be; undefined when all is. */
export function firstUnsettled(world: World): Finding | undefined {
  for (const [key, resource] of world.people.all()) {
    const text = unsettled(world, key, resource);
    const name = `${key.kind}/${key.namespace}/${key.name}`;
    if (text !== undefined) return { invariant: "converged", text: `${name} ${text}` };
    const request = unanswered(world, key, resource);
    if (request !== undefined) return { invariant: "requests-echoed", text: `${name} ${request}` };
  }
  return leftBehind(world);
}

/** People asked that nothing happens, or the outside makes sure of it. */
function isExempt({ outside }: World, key: ResourceKey, resource: Resource): boolean {
  if (resource.metadata.annotations?.[annotations.paused] === "true") return true;
  if (outside.moodOf(key.name) !== "fine") return true;
  // Waits for children that cannot be.
  if (key.kind !== appKind) return false;
  const { parts } = appSpecOf(resource);
  return Array.from({ length: parts }, (_, index) => partName(key, index)).some(
    (name) => outside.moodOf(name) !== "fine",
  );
}

function unsettled(world: World, key: ResourceKey, resource: Resource): string | undefined {
  if (key.kind === noteKind || isExempt(world, key, resource)) return undefined;
  const { metadata } = resource;
  if (metadata.deletionTimestamp !== undefined) return "is still being deleted";
  const observed = statusOf(resource)["observedGeneration"];
  if (observed !== metadata.generation) {
    return `has generation ${metadata.generation}, but ${textOf(observed)} was observed`;
  }
  const policy = metadata.annotations?.[annotations.policy];
  if (policy === "skip") return isPutAside(resource) ? "is put aside yet" : undefined;
  if (key.kind === appKind) return unsettledApp(world, key, resource);
  if (key.kind === partKind && !hasLivingOwner(world, resource)) return "has lost its owner";
  return unsettledState(world, resource, plainState(resource));
}

/** It has taken workers down, or was there when they went: it is looked at later, and written. */
function isPutAside(resource: Resource): boolean {
  return conditionOf(resource, "Synced")?.["reason"] === "WorkerLost";
}

function unsettledApp(world: World, key: ResourceKey, resource: Resource): string | undefined {
  const spec = appSpecOf(resource);
  const { namespace } = key;
  const config =
    spec.config === undefined ? undefined : world.people.read(configKeyOf(namespace, spec.config));
  if (spec.config !== undefined && config === undefined) {
    const [ready, synced] = ["Ready", "Synced"].map((type) => conditionOf(resource, type));
    const isSaid = ready?.["status"] === "False" && synced?.["status"] === "True";
    return isSaid ? undefined : "does not say that it waits for its config";
  }
  const input = config === undefined ? undefined : valueOf(config);
  return (
    unsettledParts(world, key, resource) ?? unsettledState(world, resource, appState(spec, input))
  );
}

function unsettledParts(world: World, key: ResourceKey, app: Resource): string | undefined {
  const spec = appSpecOf(app);
  const mine = world.people
    .all(partKind)
    .filter(([, part]) => ownerUids(part).includes(app.metadata.uid))
    // None of the wanted ones is poisoned here, and one that is cannot be deleted.
    .filter(([part]) => world.outside.moodOf(part.name) === "fine");
  if (mine.length !== spec.parts) return `has ${mine.length} parts instead of ${spec.parts}`;
  for (let index = 0; index < spec.parts; index += 1) {
    const name = partName(key, index);
    const part = mine.find(([partKey]) => partKey.name === name)?.[1];
    if (part === undefined) return `lacks its part ${name}`;
    if (!equalJson(part.spec, partSpec(spec, index))) return `has a part ${name} that differs`;
  }
  return undefined;
}

function unsettledState(world: World, resource: Resource, state: string): string | undefined {
  const thing = world.outside.thing(resource.metadata.uid);
  if (thing?.state !== state) return `is "${thing?.state}" in the outside instead of "${state}"`;
  const ready = conditionOf(resource, "Ready");
  if (ready?.["status"] !== "True") return `is not ready: ${JSON.stringify(ready)}`;
  const synced = conditionOf(resource, "Synced");
  if (synced?.["status"] !== "True") return `is not synced: ${JSON.stringify(synced)}`;
  const applied = statusOf(resource)["applied"];
  return applied === state ? undefined : `says that it is "${textOf(applied)}"`;
}

function unanswered(world: World, key: ResourceKey, resource: Resource): string | undefined {
  const asked = resource.metadata.annotations?.[annotations.request];
  const isFree = key.kind === noteKind || isExempt(world, key, resource);
  if (asked === undefined || isFree) return undefined;
  const reconcile = statusOf(resource)["reconcile"];
  const handled = isJsonObject(reconcile) ? reconcile["handledRequest"] : undefined;
  return handled === asked ? undefined : `was asked ${asked} and answered ${textOf(handled)}`;
}

function hasLivingOwner(world: World, part: Resource): boolean {
  const owners = new Set(ownerUids(part));
  return world.people.all(appKind).some(([, app]) => owners.has(app.metadata.uid));
}

/** What outlived its resource: effects in the outside, and journals. */
function leftBehind(world: World): Finding | undefined {
  for (const { key, uid, wasHeld } of world.housekeeping.gone) {
    const state = world.outside.thing(uid)?.state;
    if (state === undefined || !wasHeld) continue;
    return { invariant: "removed-clean", text: `${key.name} is gone but for its "${state}"` };
  }
  const living = new Set(world.people.all().map(([, { metadata }]) => metadata.uid));
  for (const { key } of world.shared.model.state.live.values()) {
    if (key.kind !== journalKind || living.has(key.name)) continue;
    return { invariant: "removed-clean", text: `the journal ${key.name} outlived its resource` };
  }
  return undefined;
}
