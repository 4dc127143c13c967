// The three duties of garbage collection, each about one resource and decided on what the store
// holds at that moment: what has lost its owners goes, what waits for its dependents, for all in
// the foreground or for what is inside of it, is let go after them, and what is to leave orphans
// lets go of them first. Nothing is deleted on a guess: an owner whose kind is not known counts as
// alive. Owners in a circle that all wait would wait for ever, so none of them holds another.

import { decodeDocument } from "../../kernel/document.ts";
import { isDeletionPaused, nestedFinalizer } from "../../kernel/engine-finalizers.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { OwnerReference, Resource, ResourceKey } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import { systemCaller, systemOptions } from "../bootstrap.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { readEvenUnopened } from "../read/even-unopened.ts";
import type { Intents, Target } from "../request.ts";
import { deleteResource } from "../write/delete.ts";
import { foregroundFinalizer, orphanFinalizer } from "../write/finalizers.ts";
import type { Propagation } from "../write/finalizers.ts";
import { withMetadata } from "../write/system-metadata.ts";
import { updateResource } from "../write/update.ts";
import type { OwnerGraph } from "./owner-graph.ts";

const lookAgainMs = 5_000;
const protectedAgainMs = 30_000;
/** A circle that is longer is not seen as one. */
const maxOwnersAbove = 1_000;

/** How an owner whose deletion was asked for waits for those that name it. */
interface Wait {
  readonly finalizer: string;
  readonly propagation: Propagation;
  /** Whether who names it like this goes with it. */
  takes(reference: OwnerReference): boolean;
  /** Whether it is there for as long as that one is. */
  blocks(reference: OwnerReference): boolean;
}

// What is inside of another is not controlled by it; what a reconciler makes for itself is.
const isInside = ({ controller }: OwnerReference): boolean => controller !== true;

const waits: readonly Wait[] = [
  {
    finalizer: foregroundFinalizer,
    propagation: "Foreground",
    takes: () => true,
    blocks: ({ blockOwnerDeletion }) => blockOwnerDeletion === true,
  },
  { finalizer: nestedFinalizer, propagation: "Nested", takes: isInside, blocks: isInside },
];

/** Deletes a resource none of whose owners is left, or drops the references that lead nowhere. */
export async function collectItem(
  intents: Intents,
  graph: OwnerGraph,
  key: ResourceKey,
): Promise<number | undefined> {
  const found = await read(intents, key);
  if (found === undefined) return undefined;
  const { resource, served, record } = found;
  if (resource.metadata.deletionTimestamp !== undefined) return undefined;
  const references = resource.metadata.ownerReferences ?? [];
  if (references.length === 0) return undefined;
  const states = await Promise.all(references.map((each) => stateOf(intents, key, each)));
  const stale = references.filter((_, index) => states[index] !== "solid").map(({ uid }) => uid);
  if (stale.length === 0) return undefined;
  if (stale.length < references.length) {
    await dropReferences(intents, key, new Set(stale));
    return undefined;
  }
  const wait = states.find((state) => typeof state !== "string");
  const hasDependents = graph.dependentsOf(record.uid).length > 0;
  const propagation =
    wait !== undefined && hasDependents ? wait.propagation : ownPropagation(resource);
  const target = targetOf(served, key);
  return await unlessProtected(async () => {
    await deleteResource(intents, {
      caller: systemCaller,
      target,
      options: {
        isDryRun: false,
        propagation,
        preconditions: { uid: record.uid },
        raw: { propagationPolicy: propagation, preconditions: { uid: record.uid } },
      },
    });
  });
}

/** What is protected stays until it no longer is; nothing tells when, so it is looked at again. */
async function unlessProtected(remove: () => Promise<void>): Promise<number | undefined> {
  try {
    await unlessGone(remove);
    return undefined;
  } catch (error) {
    if (!isSetpointError(error, "resource.protected")) throw error;
    return protectedAgainMs;
  }
}

/** Asks for the deletion of dependents, and lets the owner go when none holds it any more. */
export async function finishWaiting(
  intents: Intents,
  graph: OwnerGraph,
  key: ResourceKey,
): Promise<number | undefined> {
  let againMs: number | undefined;
  for (const wait of waits) againMs = (await finishWait(intents, graph, key, wait)) ?? againMs;
  return againMs;
}

async function finishWait(
  intents: Intents,
  graph: OwnerGraph,
  key: ResourceKey,
  wait: Wait,
): Promise<number | undefined> {
  const found = await read(intents, key);
  if (found === undefined || !isWaitingFor(found.resource, wait.finalizer)) return undefined;
  const { uid } = found.record;
  const blockers: string[] = [];
  for (const dependent of graph.dependentsOf(uid)) {
    await collectItem(intents, graph, dependent);
    const left = await read(intents, dependent);
    const references = left?.resource.metadata.ownerReferences ?? [];
    if (left !== undefined && references.some((each) => each.uid === uid && wait.blocks(each))) {
      blockers.push(left.record.uid);
    }
  }
  if (blockers.length > 0) {
    const above = await waitingAbove(intents, found);
    if (blockers.some((blocker) => !above.has(blocker))) return lookAgainMs;
  }
  await dropFinalizer(intents, key, wait.finalizer);
  return undefined;
}

/**
 * The resource, and the owners that wait until it is gone, or until another of these is. One of
 * them that is also a dependent closes a circle.
 */
async function waitingAbove(intents: Intents, { record }: Found): Promise<ReadonlySet<string>> {
  const above = new Set([record.uid]);
  const records = [record];
  for (const { key, body, revision } of records) {
    for (const reference of decodeDocument(body, revision).metadata.ownerReferences ?? []) {
      if (above.has(reference.uid) || above.size > maxOwnersAbove) continue;
      const owner = await ownerOf(intents, key, reference);
      if (typeof owner === "string") continue;
      if (!waitsOf(owner).some((wait) => wait.blocks(reference))) continue;
      above.add(owner.uid);
      records.push(owner);
    }
  }
  return above;
}

/** Takes the owner out of its dependents, then lets it go. */
export async function finishOrphan(
  intents: Intents,
  graph: OwnerGraph,
  key: ResourceKey,
): Promise<undefined> {
  const found = await read(intents, key);
  if (found === undefined || !isWaitingFor(found.resource, orphanFinalizer)) return;
  const { uid } = found.record;
  for (const dependent of graph.dependentsOf(uid)) {
    await dropReferences(intents, dependent, new Set([uid]));
  }
  await dropFinalizer(intents, key, orphanFinalizer);
}

/** Whether its deletion was asked for, and waits for others. */
export function isWaiting(resource: Resource): boolean {
  return waits.some(({ finalizer }) => isWaitingFor(resource, finalizer));
}

/**
 * Whether its deletion was asked for, and goes on, and this finalizer still holds it. The write
 * that sets a paused one free is a change, by which it is looked at again.
 */
export function isWaitingFor(resource: Resource, finalizer: string): boolean {
  const { deletionTimestamp, finalizers = [] } = resource.metadata;
  const isHeld = deletionTimestamp !== undefined && finalizers.includes(finalizer);
  return isHeld && !isDeletionPaused(resource);
}

interface Found {
  readonly served: ServedKind;
  readonly record: StoredRecord;
  readonly resource: Resource;
}

async function read({ store, kinds }: Intents, key: ResourceKey): Promise<Found | undefined> {
  const served = kinds.byId(key.kind);
  const record = served === undefined ? undefined : await readEvenUnopened(store, key);
  if (served === undefined || record === undefined) return undefined;
  return { served, record, resource: decodeDocument(record.body, record.revision) };
}

/** Or the way in which it waits for who names it. */
type OwnerState = "solid" | "gone" | Wait;

async function stateOf(
  intents: Intents,
  dependent: ResourceKey,
  reference: OwnerReference,
): Promise<OwnerState> {
  const owner = await ownerOf(intents, dependent, reference);
  if (typeof owner === "string") return owner;
  return waitsOf(owner).find((wait) => wait.takes(reference)) ?? "solid";
}

/** "solid" is what nothing can be said about. */
async function ownerOf(
  intents: Intents,
  dependent: ResourceKey,
  { apiVersion, kind, name, uid }: OwnerReference,
): Promise<StoredRecord | "solid" | "gone"> {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const served =
    intents.kinds.findKind(group, version, kind)?.served ??
    intents.kinds.all().find((each) => each.kind.group === group && each.kind.names.kind === kind);
  if (served === undefined) return "solid";
  const isNamespaced = served.kind.scope === "Namespaced";
  // What is in no namespace cannot be owned from inside one: such a reference means nothing.
  if (isNamespaced && dependent.namespace === "") return "solid";
  const namespace = isNamespaced ? dependent.namespace : "";
  const owner = await readEvenUnopened(intents.store, { kind: served.id, namespace, name });
  return owner === undefined || owner.uid !== uid ? "gone" : owner;
}

function waitsOf({ body, revision }: StoredRecord): readonly Wait[] {
  const resource = decodeDocument(body, revision);
  return waits.filter(({ finalizer }) => isWaitingFor(resource, finalizer));
}

function ownPropagation({ metadata }: Resource): Propagation {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

async function dropReferences(
  intents: Intents,
  key: ResourceKey,
  uids: ReadonlySet<string>,
): Promise<void> {
  await change(intents, key, (old) => {
    const { ownerReferences = [], ...others } = old.metadata;
    const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
    const metadata = kept.length === 0 ? others : { ...others, ownerReferences: kept };
    return withMetadata(old, metadata);
  });
}

async function dropFinalizer(intents: Intents, key: ResourceKey, finalizer: string): Promise<void> {
  await change(intents, key, (old) => {
    const { finalizers = [], ...others } = old.metadata;
    const kept = finalizers.filter((each) => each !== finalizer);
    return withMetadata(old, kept.length === 0 ? others : { ...others, finalizers: kept });
  });
}

async function change(
  intents: Intents,
  key: ResourceKey,
  edit: (old: Resource) => Resource,
): Promise<void> {
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return;
  await unlessGone(async () => {
    await updateResource(intents, {
      caller: systemCaller,
      target: targetOf(served, key),
      options: systemOptions,
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  });
}

function targetOf(served: ServedKind, { namespace, name }: ResourceKey): Target {
  return { served, version: served.storage, namespace, name, subresource: "" };
}

/** What is gone, or has become another resource of the same name, needs nothing more. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isGone = isSetpointError(error, "resource.not_found");
    if (!isGone && !isSetpointError(error, "resource.conflict")) throw error;
  }
}
