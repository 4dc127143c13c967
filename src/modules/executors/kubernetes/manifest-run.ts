// The steps of a run of a ManifestSet against one API server: find, apply, compare, prune, read.

import type { ObjectApi, ObjectReference } from "../../../acting/object-api.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { diff } from "../../../kernel/diff.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectsAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { DriftItem } from "../target/drift.ts";
import { healthOf } from "./health.ts";
import {
  comparable,
  defaultNamespace,
  isOwn,
  referenceOf,
  referenceText,
  referencesIn,
  wantedObjects,
} from "./objects.ts";

export interface Wanted {
  readonly at: ObjectReference;
  readonly object: JsonObject;
}

/** What a KubernetesTarget allows; undefined for this server, where RBAC decides. */
export interface Allowed {
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly isClusterScoped: boolean;
}

/** Objects whose kind is not served are last: a manifest before them may define it. */
export async function findWanted(
  set: Resource,
  api: ObjectApi,
  allowed: Allowed | undefined,
): Promise<{ readonly wanted: readonly Wanted[]; readonly unserved: readonly JsonObject[] }> {
  const wanted: Wanted[] = [];
  const unserved: JsonObject[] = [];
  for (const object of wantedObjects(set)) {
    const [apiVersion, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")];
    const isNamespaced = (await api.findKind({ apiVersion, kind }))?.isNamespaced;
    if (isNamespaced === undefined) {
      unserved.push(object);
      continue;
    }
    const named = textAt(object, "metadata", "namespace") || defaultNamespace(set);
    const at = referenceOf(object, isNamespaced ? named : "");
    checkPlace(at, allowed);
    wanted.push({ at, object: isNamespaced ? placed(object, named) : object });
  }
  return { wanted, unserved };
}

function placed(object: JsonObject, namespace: string): JsonObject {
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), namespace } };
}

function checkPlace(at: ObjectReference, allowed: Allowed | undefined): void {
  if (allowed === undefined) return;
  const { namespaces, isClusterScoped } = allowed;
  if (at.namespace === "" && isClusterScoped) return;
  if (at.namespace !== "" && (namespaces === undefined || namespaces.includes(at.namespace))) {
    return;
  }
  const what = at.namespace === "" ? "objects without a namespace" : `namespace ${at.namespace}`;
  const message = `${referenceText(at)}: the KubernetesTarget does not allow ${what}`;
  throw new ReconcileFailure(failed("PlaceForbidden", message, { retry: "never" }));
}

/** An object that another client or ManifestSet created is never changed. */
export async function checkOwners(
  set: Resource,
  api: ObjectApi,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const { at } of wanted) {
    const found = await api.get(at);
    if (found === undefined || isOwn(found, set)) continue;
    const message = `${referenceText(at)} exists and does not belong to this ManifestSet`;
    throw new ReconcileFailure(failed("ObjectNotOwned", message, { retry: "slow" }));
  }
}

export async function applyAll(
  api: ObjectApi,
  wanted: readonly Wanted[],
  progress: (done: number, at: ObjectReference) => Promise<void>,
): Promise<void> {
  for (const [index, { at, object }] of wanted.entries()) {
    await progress(index, at);
    await api.apply(at, object, false);
  }
}

/** What the cluster would change when the manifests were applied again. No value is shown. */
export async function findDrift(
  set: Resource,
  api: ObjectApi,
  wanted: readonly Wanted[],
): Promise<readonly DriftItem[]> {
  const items: DriftItem[] = [];
  for (const { at, object } of wanted) {
    const path = referenceText(at);
    const found = await api.get(at);
    if (found === undefined) {
      items.push({ path, kind: "missing", message: "the object was deleted" });
      continue;
    }
    if (!isOwn(found, set)) {
      items.push({ path, kind: "changed", message: "the object belongs to another owner" });
      continue;
    }
    const applied = await api.apply(at, object, true);
    for (const change of diff(comparable(found), comparable(applied))) {
      items.push({ path: `${path} ${change.path}`, kind: "changed", message: "the field differs" });
    }
  }
  return items;
}

/** Deletes own objects, the last one first. The references of those that still exist. */
export async function removeAll(
  set: Resource,
  api: ObjectApi,
  references: readonly ObjectReference[],
): Promise<readonly ObjectReference[]> {
  const left: ObjectReference[] = [];
  for (const at of references.toReversed()) {
    const found = await api.get(at);
    if (found === undefined || !isOwn(found, set)) continue;
    if (valueAt(found, "metadata", "deletionTimestamp") === undefined) {
      await api.delete(at, textAt(found, "metadata", "uid"));
      if ((await api.get(at)) === undefined) continue;
    }
    left.push(at);
    // Objects that were applied before this one are needed until it does not exist.
    break;
  }
  return left;
}

export interface ObjectState extends ObjectReference {
  readonly health: "Healthy" | "Progressing" | "Degraded" | "Missing";
  readonly message: string;
}

/** What another client created in the place of an own object is not shown. */
export async function readStates(
  set: Resource,
  api: ObjectApi,
  wanted: readonly Wanted[],
): Promise<{ readonly states: readonly ObjectState[]; readonly objects: JsonObject }> {
  const states: ObjectState[] = [];
  const objects: Record<string, JsonObject> = {};
  for (const { at } of wanted) {
    const found = await api.get(at);
    if (found === undefined) {
      states.push({ ...at, health: "Missing", message: "the object does not exist" });
      continue;
    }
    if (!isOwn(found, set)) {
      states.push({ ...at, health: "Missing", message: "the object belongs to another owner" });
      continue;
    }
    states.push({ ...at, ...healthOf(found) });
    objects[`${at.kind}/${at.name}`] = found;
  }
  return { states, objects };
}

export function inventoryOf(set: Resource): readonly ObjectReference[] {
  return referencesIn(objectsAt(set, "status", "inventory"));
}
