// PUT and PATCH of a resource: create or replace, or change. Both decide what is wanted by what is
// stored, and write it at that revision or not at all; a lost race is decided again unless the
// client itself named a revision. A request that is repeated while it is carried out gets the same
// answer again.

import { writeWith } from "./commit-write.ts";
import { answerAgain, answerOf } from "./write-answer.ts";
import type { Placed, Stored, WriteInput } from "./write-input.ts";
import { updateResource } from "../../../intents/write/update.ts";
import { createResource } from "../../../intents/write/create.ts";
import { readStored } from "../../../intents/write/stored.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { isLostRace } from "./lost-race.ts";
import { equalJson } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { asItIs } from "../../../modules/resource-provider/operations/applied-spec.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armRefusals } from "../protocol/arm-error.ts";
import { groupDigest } from "../../../modules/resource-provider/arm-names.ts";
import { idOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { annotationsWith, draftCreation } from "./creation.ts";
import { newMark } from "../operation/new-mark.ts";
import { checkConditions } from "../protocol/etags.ts";
import { wantedSpec } from "../face/face-body.ts";
import { groupLabel } from "../../../modules/resource-provider/face.ts";
import type { ArmEnvelope, ArmFace } from "../../../modules/resource-provider/face.ts";
import { checkGate } from "./gate.ts";
import { checkNotTooLate, wasTakenBack } from "./late-creation.ts";
import { located, uniquePlace } from "./located.ts";
import type { Located } from "./located.ts";
import { storable } from "../face/lost-values.ts";
import { lastOperation } from "../../../modules/resource-provider/operations/operations.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import { isReplay, repeatedIn, requestDigest } from "../operation/replay.ts";
import { checkSize } from "./resource-size.ts";
import { sentBody } from "./sent-body.ts";
import type { Reauthorize } from "./sent-body.ts";
import { envelopeFor, resourceNotFound } from "./resource-view.ts";
import { checkSent } from "../face/sent-envelope.ts";
import { tellKept } from "../face/stored-refusal.ts";
import { systemDataOf } from "../request/system-data.ts";

export async function putResource(
  surface: ArmSurface,
  request: ArmRequest,
  found: Located,
  reauthorize: Reauthorize,
): Promise<ArmAnswer> {
  const body = await sentBody(surface, found, reauthorize, () => readObject(request.exchange));
  const input = { request, found, body, isPatch: false, reauthorize };
  if (found.isAssumed !== true) return await writeResource(surface, input);
  try {
    return await writeOnce(surface, { ...input, replay: replayOf(input) });
  } catch (error) {
    if (wasTakenBack(error)) throw error;
    // Whatever was wrong with a creation may be right for what is there.
    const sure = await located(surface, found);
    if (sure.record === undefined && !isLostRace(error)) throw error;
    return await writeResource(surface, { ...input, request: reauthorize(sure), found: sure });
  }
}

export async function patchResource(
  surface: ArmSurface,
  request: ArmRequest,
  found: Located,
  reauthorize: Reauthorize,
): Promise<ArmAnswer> {
  const body = await sentBody(surface, found, reauthorize, () => readObject(request.exchange));
  return await writeResource(surface, { request, found, body, isPatch: true, reauthorize });
}

/** Refuses what a PUT would refuse, and writes nothing. */
export async function checkPut(
  surface: ArmSurface,
  input: Pick<WriteInput, "request" | "found" | "body" | "reauthorize">,
): Promise<void> {
  await writeResource(surface, { ...input, isPatch: false, isDryRun: true });
}

async function writeResource(surface: ArmSurface, input: WriteInput): Promise<ArmAnswer> {
  const replay = replayOf(input);
  let { found, request } = input;
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1) {
      found = await located(surface, found);
      request = input.reauthorize(found);
    }
    try {
      return await writeOnce(surface, { ...input, found, request, replay });
    } catch (error) {
      if (!isLostRace(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

function replayOf({ request, found, body, isDryRun = false }: WriteInput): string | undefined {
  return isDryRun ? undefined : requestDigest(request, idOfPlace(found.place), body);
}

async function writeOnce(surface: ArmSurface, placed: Placed): Promise<ArmAnswer> {
  const { request, found, isPatch, isDryRun = false, replay } = placed;
  const stored = found.record && (await readTogether(surface, found, found.record));
  const repeated = stored && repeatedIn(surface, found.face, stored.old, stored.last);
  const isAgain = repeated !== undefined && isReplay({ ...repeated, digest: replay });
  if (stored?.before !== undefined && isAgain) {
    return await answerAgain(surface, placed, stored.record, stored.before);
  }
  if (isPatch && stored?.before === undefined) throw resourceNotFound(found);
  checkConditions(isDryRun ? {} : request.exchange.headers, stored?.record.revision);
  if (stored === undefined) return await create(surface, placed);
  return await change(surface, placed, stored);
}

async function readTogether(
  surface: ArmSurface,
  { served }: Located,
  record: StoredRecord,
): Promise<Stored> {
  const old = await readStored(served, served.storage, record);
  return { record, old, before: envelopeOf(old), last: await lastOperation(surface, old) };
}

async function create(surface: ArmSurface, input: Placed): Promise<ArmAnswer> {
  const { request, found, body, isDryRun = false } = input;
  request.caller.mayCreate?.();
  const wanted = { request, found, body, isNested: !isDryRun };
  const { document, envelope, fence } = await draftCreation(surface, wanted);
  const creation = {
    caller: request.caller,
    target: found.target,
    body: document,
    decodeProblems: [],
  };
  const names = [uniquePlace(found.face.kind, found.place, found.names)];
  const written = await writeWith(surface, input, { envelope, fence }, async (options) => {
    return await createResource(surface.intents, { ...creation, options: { ...options, names } });
  });
  if (!isDryRun) await checkNotTooLate(surface, found);
  return await answerOf(surface, input, written, { created: true });
}

async function change(surface: ArmSurface, input: Placed, stored: Stored): Promise<ArmAnswer> {
  const { request, found } = input;
  const { face, place, target } = found;
  const { record, old, before } = stored;
  const { state } = provisioningIn(surface, face, old);
  const { version } = found;
  const { isPatch } = input;
  const sent = checkSent(input.body, { place, face, before, state, isPatch });
  const { properties } = sent;
  // Whoever edits what they have read starts from that.
  const read = await asItIs(surface, face, target.served, old, { state });
  const { served } = target;
  const sentTo = { version, served, properties, old: read, isPatch };
  const { spec, problems, kept } = await wantedSpec(sentTo);
  if (sent.problems.length + problems.length > 0) {
    throw armRefusals([...sent.problems, ...problems]);
  }
  tellKept(surface, found, kept);
  const stripped = storable(surface, found, { wanted: { ...old, spec }, old });
  const wanted = target.version.type.withDefaults(stripped);
  checkSize(record, old, wanted);
  const isSameSpec = equalJson(old.spec, wanted.spec);
  const isAsync = target.served.isReconciled && !(isSameSpec && state === "Succeeded");
  const nowMs = surface.intents.clock.nowMs();
  const next: ArmEnvelope = {
    ...envelopeFor(place),
    location: before?.location ?? sent.location ?? "",
    tags: sent.tags ?? (isPatch ? (before?.tags ?? {}) : {}),
    systemData:
      version.isAdmin === true && before?.systemData !== undefined
        ? before.systemData
        : systemDataOf(request, before?.systemData, nowMs),
    operation: newMark(surface, before === undefined ? "create" : "update", isAsync),
  };
  const isSame = isSameSpec && before !== undefined && equalJson(before.tags, next.tags);
  // What is being deleted is not as the request wants it, however much it looks like it.
  const isUnderWay = isSame && !isTerminal(state) && state !== "Deleting";
  const isThere = isSame && state === "Succeeded" && before.id === next.id;
  if (isThere || (isUnderWay && goesOn(surface, face, stored))) {
    const isCreation = state === "Creating";
    return await answerOf(surface, input, record, { created: isCreation });
  }
  // What others began, and is as the request wants it, becomes its own.
  if (!isUnderWay) checkGate(face, place, old, state);
  const isRetry = isSameSpec && state === "Failed";
  const again = isRetry ? { [annotations.request]: next.operation.id } : {};
  const notes = annotationsWith({ ...old.metadata.annotations, ...again }, next, request);
  const labels = { ...old.metadata.labels, [groupLabel]: groupDigest(place.group ?? "") };
  const metadata = { ...old.metadata, annotations: notes, labels };
  const names = before === undefined ? { names: [uniquePlace(face.kind, place)] } : {};
  const written = await writeWith(surface, input, { envelope: next, stored }, async (options) => {
    return await updateResource(surface.intents, {
      caller: request.caller,
      target,
      options: { ...options, ...names },
      optionsKind: "UpdateOptions",
      allowsBlind: false,
      change: () => ({ wanted: { ...wanted, metadata } }),
    });
  });
  return await answerOf(surface, input, written, { created: false });
}

/** Whether the operation that was accepted last goes on: one that has ended is shown to nobody. */
function goesOn(surface: ArmSurface, face: ArmFace, { old, last }: Stored): boolean {
  return last !== undefined && repeatedIn(surface, face, old, last).end === undefined;
}
