// DELETE of a resource: accepted in every state, also while something else goes on, which it ends.
// What has nothing to take back outside is gone with the answer; otherwise the answer says where to
// ask how far it is. Asking again for a deletion that goes on leads to the same operation.

import type { AlsoWritten } from "../../../intents/request.ts";
import { deleteResource } from "../../../intents/write/delete.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { acceptedAnswer } from "../operation/accepted-answer.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import { idOfPlace, shortId } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { annotationsWith } from "./creation.ts";
import { newMark } from "../operation/new-mark.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { checkConditions } from "../protocol/etags.ts";
import type { ArmEnvelope } from "../../../modules/resource-provider/face.ts";
import { askFailedInside } from "../../../modules/resource-provider/operations/failure-inside.ts";
import { propagationOf } from "../../../modules/resource-provider/faces/inner-types.ts";
import { located } from "./located.ts";
import type { Located } from "./located.ts";
import {
  endWrite,
  lastOperation,
} from "../../../modules/resource-provider/operations/operations.ts";
import {
  commitOperation,
  draftOperation,
} from "../../../modules/resource-provider/operations/draft.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isReplay, repeatedIn, requestDigest } from "../operation/replay.ts";
import { isLostRace } from "./lost-race.ts";
import type { Reauthorize } from "./sent-body.ts";
import { resourceOf } from "./resource-view.ts";

export async function deleteOne(
  surface: ArmSurface,
  request: ArmRequest,
  given: Located,
  reauthorize: Reauthorize,
): Promise<ArmAnswer> {
  const { headers } = request.exchange;
  const replay = requestDigest(request, idOfPlace(given.place), undefined);
  let found = given;
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) {
      found = await located(surface, found);
      reauthorize(found);
    }
    const { record } = found;
    if (record === undefined) return { status: 204 };
    const old = resourceOf(record);
    const envelope = envelopeOf(old);
    if (envelope === undefined) return { status: 204 };
    const last = await lastOperation(surface, old);
    const deletion = { request, found, record, old, envelope, last, replay };
    const repeated = { ...repeatedIn(surface, found.face, old, last), digest: replay };
    if (envelope.operation.verb === "delete" && isReplay(repeated)) {
      return accepted(surface, deletion, envelope.operation.id);
    }
    checkConditions(headers, record.revision);
    try {
      return await deleteAt(surface, deletion);
    } catch (error) {
      if (isSetpointError(error, "resource.not_found")) return { status: 204 };
      if (isSetpointError(error, "resource.protected")) throw isProtected(found);
      if (!isLostRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

/** In the words of customers, and for those who look after it where to look. */
function isProtected({ face, place, target: { namespace, name } }: Located): Error {
  const message =
    `The Resource '${shortId(face, place)}' is protected from deletion by the annotation ` +
    `'${annotations.protected}' of '${name}' in the namespace '${namespace}'.`;
  return armRefusal(409, { code: "ScopeLocked", message });
}

interface Deletion {
  readonly request: ArmRequest;
  readonly found: Located;
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly envelope: ArmEnvelope;
  readonly last: OperationRecord | undefined;
  readonly replay: string | undefined;
}

async function deleteAt(surface: ArmSurface, deletion: Deletion): Promise<ArmAnswer> {
  const { request, found, record, old, envelope, last, replay } = deletion;
  const { intents } = surface;
  const { face, target, version } = found;
  const { state } = provisioningIn(surface, face, old);
  // One that has failed or taken too long is asked for anew, also while it is tried again.
  const isOver = last?.end !== undefined;
  if (state === "Deleting" && envelope.operation.verb === "delete" && !isOver) {
    return accepted(surface, deletion, envelope.operation.id);
  }
  const mark = newMark(surface, "delete", true);
  const operation = {
    mark,
    face,
    apiVersion: version.apiVersion,
    resourceId: envelope.id,
    location: envelope.location,
    key: record.key,
    request,
    replay,
  };
  // What is marked already is tried at once; what it said before does not count any more.
  const isAgain = old.metadata.deletionTimestamp !== undefined;
  const again = isAgain ? { [annotations.request]: mark.id } : {};
  const noted = annotationsWith(again, { ...envelope, operation: mark }, request);
  const options = {
    isDryRun: false,
    propagation: propagationOf(surface, face),
    preconditions: { uid: record.uid, resourceVersion: String(record.revision) },
    raw: {},
    annotations: noted,
  };
  const { caller } = request;
  const deleted = await commitOperation(surface, record.key, async (drafted) => {
    const also: AlsoWritten = (resource) => [
      drafted(draftOperation(surface, operation, resource)),
      ...endWrite(surface, face, old, last),
    ];
    return await deleteResource(intents, { caller, target, options: { ...options, also } });
  });
  if (deleted.outcome === "deleted") return { status: 200 };
  if (isAgain) await askFailedInside(surface, face, record, mark.id);
  return accepted(surface, deletion, mark.id);
}

function accepted(
  surface: ArmSurface,
  { request, found, envelope }: Deletion,
  id: string,
): ArmAnswer {
  const { apiVersion } = found.version;
  return acceptedAnswer(surface, request, {
    ...found,
    location: envelope.location,
    id,
    apiVersion,
  });
}
