/**
 * What follows from the state of a subscription: when it is deleted its resources go, each by the
 * ordinary deletion, so that what they have outside is taken back. Other states need nothing done.
 */
import type { LoadedModule } from "../load-modules.ts";
import { again, done } from "../../engine/outcome.ts";
import type { Outcome } from "../../engine/outcome.ts";
import { systemCaller } from "../../intents/bootstrap.ts";
import type { Intents } from "../../intents/request.ts";
import { deleteResource } from "../../intents/write/delete.ts";
import type { Propagation } from "../../intents/write/finalizers.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { findCondition } from "../../kernel/conditions.ts";
import type { Condition } from "../../kernel/conditions.ts";
import { isTrueAt, numberAt, objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import type { Resource, ResourceKey } from "../../kernel/resource.ts";
import type { Position, StoredRecord } from "../../store/port.ts";
import { subscriptionsKind } from "../../surfaces/arm/arm-kinds.ts";
import { namespaceOf } from "../../surfaces/arm/arm-names.ts";
import type { FaceIndex } from "../../surfaces/arm/arm-request.ts";
import type { ArmFace } from "../../surfaces/arm/face.ts";
import { propagationOf } from "../../surfaces/arm/inner-types.ts";
import { isOutage } from "../../surfaces/arm/operation-ends.ts";

/** Known once the server has them. */
export interface CleanupParts {
  readonly intents: Intents;
  readonly faces: FaceIndex;
}

const pageItems = 100;
const lookAgainMs = 1_000;
const lookAtRefusedMs = 10_000;
/** More help nobody. */
const mostTold = 5;
/** Finds what a server added after the deletion that was killed before it could take it back. */
const resyncMs = 600_000;

/** The kind of subscriptions, with what is done about them. */
export function armModule(parts: () => CleanupParts | undefined): LoadedModule {
  const id = kindId(subscriptionsKind);
  return {
    file: "surfaces/arm",
    name: "setpoint-arm",
    version: 1,
    systems: {},
    kinds: [
      {
        id,
        kind: subscriptionsKind,
        reconciler: {
          kind: id,
          resyncMs,
          reconcile: async (subscription, { signal }) =>
            await cleanUp(parts(), subscription, signal),
        },
      },
    ],
  };
}

async function cleanUp(
  parts: CleanupParts | undefined,
  { metadata, spec }: Resource,
  signal: AbortSignal,
): Promise<Outcome> {
  if (textAt(spec, "state") !== "Deleted") return done();
  if (parts === undefined) return again(lookAgainMs, { message: "the server is starting" });
  const namespace = namespaceOf(metadata.name);
  const left: Left[] = [];
  for (const face of parts.faces.all()) {
    left.push(...(await removeAll(parts, face, namespace, signal)));
  }
  if (left.length === 0) return done();
  const refused = left.filter(({ isRefused }) => isRefused);
  // What is refused stays so until somebody does something about it.
  const pauseMs = refused.length === left.length ? lookAtRefusedMs : lookAgainMs;
  if (refused.length > 0) {
    const message = `resources cannot be deleted: ${listText(refused)}`;
    return again(pauseMs, { reason: "DeletionRefused", message });
  }
  const failing = left.filter(({ why }) => why !== undefined);
  const trouble = failing.length === 0 ? "" : `; tried again: ${listText(failing)}`;
  const message = `resources are being deleted, ${left.length} are left${trouble}`;
  return again(pauseMs, { reason: "Deleting", message });
}

/** A resource that is not gone yet. */
interface Left {
  readonly key: ResourceKey;
  /** Why its deletion was refused, or its last try failed. */
  readonly why?: string | undefined;
  /** It will not go by itself. */
  readonly isRefused?: boolean;
}

function listText(some: readonly Left[]): string {
  const told = some.slice(0, mostTold).map(({ key, why }) => `${key.kind}/${key.name}: ${why}`);
  const more = some.length > told.length ? `; and ${some.length - told.length} more` : "";
  return `${told.join("; ")}${more}`;
}

/** Those that are not gone yet. Those that take their time or are refused hold up no others. */
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

/** Undefined once it is gone. */
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

/** What the last try to remove it has told, where that failed; and whether it has any hope. */
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
