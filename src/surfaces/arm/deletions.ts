// DELETE of a resource: accepted in every state, also while something else goes on, which it ends.
// What has nothing to take back outside is gone with the answer; otherwise the answer says where to
// ask how far it is. Asking again for a deletion that goes on leads to the same operation.

import { deleteResource } from "../../intents/write/delete.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { StoredRecord } from "../../store/port.ts";
import { acceptedAnswer } from "./accepted.ts";
import type { Addressed } from "./addressed.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { annotationsWith, newMark } from "./creation.ts";
import { envelopeOf } from "./envelope.ts";
import { checkConditions, hasConditions } from "./etags.ts";
import type { ArmEnvelope } from "./face.ts";
import { endWrite, operationWrite } from "./operations.ts";
import { resourceOf } from "./resource-view.ts";

export async function deleteOne(
  surface: ArmSurface,
  request: ArmRequest,
  found: Addressed,
): Promise<ArmAnswer> {
  const { target } = found;
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  const { headers } = request.exchange;
  for (let attempt = 1; ; attempt++) {
    const record = await surface.intents.store.get(key);
    const envelope = record && envelopeOf(resourceOf(record));
    if (record === undefined || envelope === undefined) return { status: 204 };
    checkConditions(headers, record.revision);
    try {
      return await deleteAt(surface, { request, found, record, envelope });
    } catch (error) {
      if (isSetpointError(error, "resource.not_found")) return { status: 204 };
      const isRace =
        isSetpointError(error, "resource.conflict") && !Object.hasOwn(error.details, "arm");
      if (!isRace || attempt >= limits.maxPatchAttempts) throw error;
      if (hasConditions(headers) && attempt > 1) throw error;
    }
  }
}

interface Deletion {
  readonly request: ArmRequest;
  readonly found: Addressed;
  readonly record: StoredRecord;
  readonly envelope: ArmEnvelope;
}

async function deleteAt(surface: ArmSurface, deletion: Deletion): Promise<ArmAnswer> {
  const { request, found, record, envelope } = deletion;
  const { intents } = surface;
  const { face, target, version } = found;
  const old = resourceOf(record);
  const isUnderWay = old.metadata.deletionTimestamp !== undefined;
  if (isUnderWay && envelope.operation.verb === "delete") {
    return accepted(surface, deletion, envelope.operation.id);
  }
  const mark = newMark(surface, "delete");
  const operation = {
    mark,
    face,
    apiVersion: version.apiVersion,
    resourceId: envelope.id,
    location: envelope.location,
    key: record.key,
    request,
  };
  const noted = annotationsWith({}, { ...envelope, operation: mark }, request);
  const deleted = await deleteResource(intents, {
    caller: request.caller,
    target,
    options: {
      isDryRun: false,
      propagation: undefined,
      preconditions: { uid: record.uid, resourceVersion: String(record.revision) },
      raw: {},
      annotations: noted,
      also: async (resource) => [
        operationWrite(surface, operation, resource),
        ...(await endWrite(surface, face, old, target.namespace)),
      ],
    },
  });
  if (deleted.outcome === "deleted") return { status: 200 };
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
