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
import { textAt } from "../../kernel/json-read.ts";
import { kindId } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Position, StoredRecord } from "../../store/port.ts";
import { subscriptionsKind } from "../../surfaces/arm/arm-kinds.ts";
import { namespaceOf } from "../../surfaces/arm/arm-names.ts";
import type { FaceIndex } from "../../surfaces/arm/arm-request.ts";
import type { ArmFace } from "../../surfaces/arm/face.ts";
import { propagationOf } from "../../surfaces/arm/inner-types.ts";

/** Known once the server has them. */
export interface CleanupParts {
  readonly intents: Intents;
  readonly faces: FaceIndex;
}

const pageItems = 100;
const lookAgainMs = 1_000;
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
  let left = 0;
  for (const face of parts.faces.all()) left += await removeAll(parts, face, namespace, signal);
  if (left === 0) return done();
  return again(lookAgainMs, { reason: "Deleting", message: "resources are being deleted" });
}

/** How many are not gone yet. Those that take their time hold up none of the others. */
async function removeAll(
  { intents, faces }: CleanupParts,
  face: ArmFace,
  namespace: string,
  signal: AbortSignal,
): Promise<number> {
  const propagation = propagationOf({ faces }, face);
  let left = 0;
  let from: Position | undefined;
  do {
    signal.throwIfAborted();
    const query = { kind: face.kind, namespace, limit: pageItems };
    const page = await intents.store.list(from === undefined ? query : { ...query, from });
    for (const record of page.records) {
      left += (await remove(intents, record, propagation)) ? 0 : 1;
    }
    from = page.next;
  } while (from !== undefined);
  return left;
}

/** Whether it is gone. */
async function remove(
  intents: Intents,
  { key, uid, body, revision }: StoredRecord,
  propagation: Propagation | undefined,
): Promise<boolean> {
  const served = intents.kinds.byId(key.kind);
  if (served === undefined) return true;
  const { deletionTimestamp } = decodeDocument(body, revision).metadata;
  if (deletionTimestamp !== undefined) return false;
  const { namespace, name } = key;
  try {
    const { outcome } = await deleteResource(intents, {
      caller: systemCaller,
      target: { served, version: served.storage, namespace, name, subresource: "" },
      options: { isDryRun: false, propagation, preconditions: { uid }, raw: {} },
    });
    return outcome === "deleted";
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return true;
    if (isSetpointError(error, "resource.conflict")) return false;
    throw error;
  }
}
