// An action that takes its time is a change of what is wanted, like a PUT: the spec that the action
// asks for is committed together with the record of the operation, and the reconciler of the kind
// brings it about. So it survives a crash, is carried out by one worker at a time, holds back other
// changes meanwhile, and fails with the words of the reconciler. Its answer is made when somebody
// asks for it in the end, so nothing that it shows is stored a second time.

import type { Written } from "../../../intents/request.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { equalJson, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { acceptedAnswer } from "../operation/accepted-answer.ts";
import { keepApplied } from "../../../modules/resource-provider/operations/applied-spec.ts";
import { idOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { annotationsWith } from "../resource/creation.ts";
import { newMark } from "../operation/new-mark.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import type {
  ArmAction,
  ArmEnvelope,
  ArmOperationMark,
} from "../../../modules/resource-provider/face.ts";
import { checkGate } from "../resource/gate.ts";
import { located } from "../resource/located.ts";
import type { Located } from "../resource/located.ts";
import { storable } from "../face/lost-values.ts";
import {
  endWrite,
  lastOperation,
} from "../../../modules/resource-provider/operations/operations.ts";
import {
  commitOperation,
  draftOperation,
} from "../../../modules/resource-provider/operations/draft.ts";
import type { Drafted, NewOperation } from "../../../modules/resource-provider/operations/draft.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import { isReplay, repeatedIn, requestDigest } from "../operation/replay.ts";
import { checkSize } from "../resource/resource-size.ts";
import { isLostRace } from "../resource/lost-race.ts";
import type { Reauthorize } from "../resource/sent-body.ts";
import { resourceNotFound, resourceOf } from "../resource/resource-view.ts";
import { asWantedBy } from "../face/stored-refusal.ts";
import { systemDataOf } from "../request/system-data.ts";

export interface ActionCall {
  readonly request: ArmRequest;
  readonly found: Located;
  readonly action: ArmAction;
  readonly reauthorize: Reauthorize;
  readonly input: Json | undefined;
}

interface Begun extends ActionCall {
  /** By which the request is known when it comes again. */
  readonly replay: string | undefined;
}

/** Undefined when all is as the action wants it already, so that it can be answered at once. */
export async function beginAction(
  surface: ArmSurface,
  call: ActionCall,
): Promise<ArmAnswer | undefined> {
  const { action, request, input } = call;
  const about = `${idOfPlace(call.found.place)}/${action.name}`;
  const replay = requestDigest(request, about, input);
  let { found } = call;
  const mark = { ...newMark(surface, "action", true), action: action.name };
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) {
      found = await located(surface, found);
      call.reauthorize(found);
    }
    const { record } = found;
    if (record === undefined) throw resourceNotFound(found);
    try {
      return await beginAt(surface, { ...call, found, replay }, mark, record);
    } catch (error) {
      if (!isLostRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

async function beginAt(
  surface: ArmSurface,
  call: Begun,
  mark: ArmOperationMark,
  record: StoredRecord,
): Promise<ArmAnswer | undefined> {
  const { request, found } = call;
  const { face, place, target } = found;
  const old = resourceOf(record);
  const before = envelopeOf(old);
  if (before === undefined) throw resourceNotFound(found);
  const last = await lastOperation(surface, old);
  const repeated = repeatedIn(surface, face, old, last);
  if (isReplay({ ...repeated, digest: call.replay })) return accepted(surface, call, before);
  const { state } = provisioningIn(surface, face, old);
  const spec = await wantedSpec(surface, call, mark, old);
  const { name: action } = call.action;
  const kept = storable(surface, found, { wanted: { ...old, spec }, old, action });
  const wanted = target.version.type.withDefaults(kept);
  checkSize(record, old, wanted);
  const isSame = equalJson(old.spec, wanted.spec);
  if (isSame && state === "Succeeded") return undefined;
  const isUnderWay = isSame && !isTerminal(state) && state !== "Deleting";
  // Who asks again while it is carried out is shown to the same operation.
  const goesOn = last !== undefined && repeated.end === undefined;
  const isAgain = isUnderWay && goesOn && before.operation.action === mark.action;
  if (isAgain) return accepted(surface, call, before);
  // What others began, and is as the action wants it, becomes its own.
  if (!isUnderWay || goesOn) checkGate(face, place, old, state);
  const nowMs = surface.intents.clock.nowMs();
  const next: ArmEnvelope = {
    ...before,
    systemData: systemDataOf(request, before.systemData, nowMs),
    operation: mark,
  };
  const again = isSame && !isUnderWay ? { [annotations.request]: mark.id } : {};
  const notes = annotationsWith({ ...old.metadata.annotations, ...again }, next, request);
  const write = (drafted: Drafted): Promise<Written> =>
    updateResource(surface.intents, {
      caller: request.caller,
      target,
      options: {
        isDryRun: false,
        fieldManager: "arm",
        ownsNoNotes: true,
        fieldValidation: "Ignore",
        also: async (resource) => [
          drafted(draftOperation(surface, newOperation(call, next, record.key), resource)),
          ...endWrite(surface, face, old, last),
          ...(await keepApplied(surface, face, old, resource)),
        ],
      },
      optionsKind: "UpdateOptions",
      allowsBlind: false,
      change: () => ({ wanted: { ...wanted, metadata: { ...old.metadata, annotations: notes } } }),
    });
  await asWantedBy(call, commitOperation(surface, record.key, write));
  return accepted(surface, call, next);
}

async function wantedSpec(
  { intents: { clock } }: ArmSurface,
  { action, input }: ActionCall,
  { id: operation }: ArmOperationMark,
  old: Resource,
): Promise<JsonObject> {
  const spec: unknown = await action.change?.(old, input, { clock, operation });
  if (isJsonObject(spec)) return spec;
  throw new TypeError(`the action ${action.name} did not return the desired resource`);
}

function newOperation(
  { request, found, input, replay }: Begun,
  { operation: mark, id: resourceId, location }: ArmEnvelope,
  key: StoredRecord["key"],
): NewOperation {
  const { face, version } = found;
  const { apiVersion } = version;
  return { mark, face, apiVersion, resourceId, location, key, request, input, replay };
}

function accepted(
  surface: ArmSurface,
  { request, found }: ActionCall,
  { location, operation: { id } }: ArmEnvelope,
): ArmAnswer {
  const { place, face, version } = found;
  const { apiVersion } = version;
  return acceptedAnswer(surface, request, { place, face, location, id, apiVersion });
}
