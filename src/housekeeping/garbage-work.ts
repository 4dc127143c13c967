// The three duties of garbage collection. Each is about one resource and is decided on what the
// store holds when it runs:
//
// - A resource whose owners do not exist is deleted.
// - A resource that waits for its dependents (in the foreground, or for those inside it) is
//   released after them.
// - A resource that leaves orphans releases them first.
//
// Nothing is deleted on a guess: an owner whose kind is not known counts as existing. Owners in a
// circle that all wait would wait for ever, so none of them holds another.

import { decodeDocument } from "../kernel/document.ts";
import { nestedFinalizer } from "../kernel/engine-finalizers.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { OwnerReference, Resource, ResourceKey } from "../kernel/resource.ts";
import { systemCaller, systemOptions } from "../intents/bootstrap.ts";
import { isWaitingFor } from "../intents/housekeeping/follow-owners.ts";
import type { OwnerFollower } from "../intents/housekeeping/follow-owners.ts";
import type { ServedKind } from "../intents/kinds/served-kind.ts";
import { readEvenUnopened } from "../intents/read/even-unopened.ts";
import type { Intents, Target } from "../intents/request.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { foregroundFinalizer, orphanFinalizer } from "../intents/write/finalizers.ts";
import type { Propagation } from "../intents/write/finalizers.ts";
import { withMetadata } from "../intents/write/system-metadata.ts";
import { updateResource } from "../intents/write/update.ts";
import type { ClaimRef, StoredRecord } from "../store/port.ts";

/** What the duties work with. Their writes name the claim of the leader. */
export interface Garbage {
  readonly intents: Intents;
  readonly owners: Pick<OwnerFollower, "dependentsOf">;
  readonly claim: ClaimRef;
}

const lookAgainMs = 5_000;
const protectedAgainMs = 30_000;
/** A circle that is longer is not seen as one. */
const maxOwnersAbove = 1_000;

/** How an owner whose deletion was requested waits for its dependents. */
interface Wait {
  readonly finalizer: string;
  readonly propagation: Propagation;
  /** Whether a dependent with this reference is deleted with the owner. */
  takes(reference: OwnerReference): boolean;
  /** Whether a dependent with this reference delays the end of the owner. */
  blocks(reference: OwnerReference): boolean;
}

// An owner contains what it does not control; the children of a reconciler are controlled by it.
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
export async function collectItem(garbage: Garbage, key: ResourceKey): Promise<number | undefined> {
  const { intents, owners, claim } = garbage;
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
    await dropReferences(garbage, key, new Set(stale));
    return undefined;
  }
  const wait = states.find((state) => typeof state !== "string");
  const hasDependents = owners.dependentsOf(record.uid).length > 0;
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
        claim,
        raw: { propagationPolicy: propagation, preconditions: { uid: record.uid } },
      },
    });
  });
}

/** A protected resource is tried again later: no change announces the end of a protection. */
async function unlessProtected(remove: () => Promise<void>): Promise<number | undefined> {
  try {
    await unlessAbsent(remove);
    return undefined;
  } catch (error) {
    if (!isSetpointError(error, "resource.protected")) throw error;
    return protectedAgainMs;
  }
}

/** Asks for the deletion of dependents, and lets the owner go when none holds it any more. */
export async function finishWaiting(
  garbage: Garbage,
  key: ResourceKey,
): Promise<number | undefined> {
  let againMs: number | undefined;
  for (const wait of waits) againMs = (await finishWait(garbage, key, wait)) ?? againMs;
  return againMs;
}

async function finishWait(
  garbage: Garbage,
  key: ResourceKey,
  wait: Wait,
): Promise<number | undefined> {
  const { intents, owners } = garbage;
  const found = await read(intents, key);
  if (found === undefined || !isWaitingFor(found.resource, wait.finalizer)) return undefined;
  const { uid } = found.record;
  const blockers: string[] = [];
  for (const dependent of owners.dependentsOf(uid)) {
    await collectItem(garbage, dependent);
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
  await dropFinalizer(garbage, key, wait.finalizer);
  return undefined;
}

/**
 * The resource, and the owners that wait until it is deleted, or until another of these is. One of
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
export async function finishOrphan(garbage: Garbage, key: ResourceKey): Promise<undefined> {
  const { intents, owners } = garbage;
  const found = await read(intents, key);
  if (found === undefined || !isWaitingFor(found.resource, orphanFinalizer)) return;
  const { uid } = found.record;
  for (const dependent of owners.dependentsOf(uid)) {
    await dropReferences(garbage, dependent, new Set([uid]));
  }
  await dropFinalizer(garbage, key, orphanFinalizer);
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
type OwnerState = "solid" | "absent" | Wait;

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
): Promise<StoredRecord | "solid" | "absent"> {
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
  return owner === undefined || owner.uid !== uid ? "absent" : owner;
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
  garbage: Garbage,
  key: ResourceKey,
  uids: ReadonlySet<string>,
): Promise<void> {
  await change(garbage, key, (old) => {
    const { ownerReferences = [], ...others } = old.metadata;
    const kept = ownerReferences.filter(({ uid }) => !uids.has(uid));
    const metadata = kept.length === 0 ? others : { ...others, ownerReferences: kept };
    return withMetadata(old, metadata);
  });
}

async function dropFinalizer(garbage: Garbage, key: ResourceKey, finalizer: string): Promise<void> {
  await change(garbage, key, (old) => {
    const { finalizers = [], ...others } = old.metadata;
    const kept = finalizers.filter((each) => each !== finalizer);
    return withMetadata(old, kept.length === 0 ? others : { ...others, finalizers: kept });
  });
}

async function change(
  { intents, claim }: Garbage,
  key: ResourceKey,
  edit: (old: Resource) => Resource,
): Promise<void> {
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return;
  await unlessAbsent(async () => {
    await updateResource(intents, {
      caller: systemCaller,
      target: targetOf(served, key),
      options: { ...systemOptions, claim },
      optionsKind: "PatchOptions",
      change: (old) => ({ wanted: edit(old) }),
      allowsBlind: true,
    });
  });
}

function targetOf(served: ServedKind, { namespace, name }: ResourceKey): Target {
  return { served, version: served.storage, namespace, name, subresource: "" };
}

/** A resource that was deleted, or replaced by one of the same name, needs nothing more. */
async function unlessAbsent(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isAbsent = isSetpointError(error, "resource.not_found");
    if (!isAbsent && !isSetpointError(error, "resource.conflict")) throw error;
  }
}
