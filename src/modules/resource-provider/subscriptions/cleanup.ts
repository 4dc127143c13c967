/**
 * Deletes the resources of a subscription that is in the state Deleted. Each is deleted by the
 * write path, so that its reconciler removes what it has in external systems. The other states
 * need no work.
 */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Reconciler } from "../../../engine/reconciler.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import type { Intents } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import type { Propagation } from "../../../intents/write/finalizers.ts";
import { findCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Position, StoredRecord } from "../../../store/port.ts";
import { namespaceOf } from "../arm-names.ts";
import { subscriptionKind } from "../face.ts";
import type { ArmFace } from "../face.ts";
import { propagationOf } from "../faces/inner-types.ts";
import { isOutage } from "../operations/unrecorded-ends.ts";
import type { ProviderState } from "../provider-state.ts";

/** What the reconciler needs of the provider. */
type CleanupParts = Pick<ProviderState, "intents" | "faces">;

const pageItems = 100;
const lookAgainMs = 1_000;
const lookAtRefusedMs = 10_000;
/** Resources that a message names. */
const mostTold = 5;
/** Finds a resource that a server created after the deletion and, being killed, did not undo. */
const resyncMs = 600_000;

export function subscriptionCleanup(provider: CleanupParts): Reconciler {
  return {
    kind: subscriptionKind,
    resyncMs,
    reconcile: async (subscription, { signal }) => await cleanUp(provider, subscription, signal),
  };
}

async function cleanUp(
  parts: CleanupParts,
  { metadata, spec }: Resource,
  signal: AbortSignal,
): Promise<Outcome> {
  if (textAt(spec, "state") !== "Deleted") return done();
  const namespace = namespaceOf(metadata.name);
  const left: Left[] = [];
  for (const face of parts.faces.all()) {
    left.push(...(await removeAll(parts, face, namespace, signal)));
  }
  if (left.length === 0) return done();
  const refused = left.filter(({ isRefused }) => isRefused);
  // A refusal stays until an operator changes its cause.
  const pauseMs = refused.length === left.length ? lookAtRefusedMs : lookAgainMs;
  if (refused.length > 0) {
    const message = `resources cannot be deleted: ${listText(refused)}`;
    return again(pauseMs, { reason: "DeletionRefused", message });
  }
  const failing = left.filter(({ why }) => why !== undefined);
  const trouble = failing.length === 0 ? "" : `; retrying: ${listText(failing)}`;
  const message = `resources are being deleted, ${left.length} remaining${trouble}`;
  return again(pauseMs, { reason: "Deleting", message });
}

/** A resource that still exists. */
interface Left {
  readonly key: ResourceKey;
  /** Why its deletion was refused, or the last attempt failed. */
  readonly why?: string | undefined;
  /** The deletion will not succeed without a change. */
  readonly isRefused?: boolean;
}

function listText(some: readonly Left[]): string {
  const told = some.slice(0, mostTold).map(({ key, why }) => `${key.kind}/${key.name}: ${why}`);
  const more = some.length > told.length ? `; and ${some.length - told.length} more` : "";
  return `${told.join("; ")}${more}`;
}

/** Returns those that still exist. A slow or refused deletion does not delay the others. */
async function removeAll(
  { intents, faces }: CleanupParts,
  face: ArmFace,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Left[]> {
  const propagation = propagationOf({ faces }, face);
  const left: Left[] = [];
  let from: Position | undefined;
  do {
    signal.throwIfAborted();
    const query = { kind: face.kind, namespace, limit: pageItems };
    const page = await intents.store.list(from === undefined ? query : { ...query, from });
    for (const record of page.records) {
      const one = await remove(intents, record, propagation);
      if (one !== undefined) left.push(one);
    }
    from = page.next;
  } while (from !== undefined);
  return left;
}

/** Undefined when it does not exist any more. */
async function remove(
  intents: Intents,
  { key, uid, body, revision }: StoredRecord,
  propagation: Propagation | undefined,
): Promise<Left | undefined> {
  const going: Left = { key };
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return undefined;
  const resource = decodeDocument(body, revision);
  if (resource.metadata.deletionTimestamp !== undefined) return { key, ...troubleOf(resource) };
  const { namespace, name } = key;
  try {
    const { outcome } = await deleteResource(intents, {
      caller: systemCaller,
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { isDryRun: false, propagation, preconditions: { uid }, raw: {} },
    });
    return outcome === "deleted" ? undefined : going;
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return undefined;
    if (isSetpointError(error, "resource.conflict")) return going;
    if (!isSetpointError(error) || isOutage(error)) throw error;
    return { key, why: error.message, isRefused: true };
  }
}

/** Why the last attempt to remove it failed, and whether another one can succeed. */
function troubleOf(resource: Resource): Pick<Left, "why" | "isRefused"> {
  const status = objectAt(resource, "status");
  if (numberAt(status, "observedGeneration") !== resource.metadata.generation) return {};
  const conditions = objectsAt(status, "conditions") as unknown as readonly Condition[];
  const synced = findCondition(conditions, "Synced");
  if (synced?.status !== "False") return {};
  const { reason, message } = synced;
  const why = message === "" ? reason : `${reason}: ${message}`;
  return { why, isRefused: isTrueAt(status, "reconcile", "isFinal") };
}
