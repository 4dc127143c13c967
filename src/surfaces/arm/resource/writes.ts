// PUT and PATCH of a resource: create or replace, or change. Both decide what is wanted by what is
// stored, and write it at that revision or not at all; a lost race is decided again unless the
// client itself named a revision. A request that is repeated while it is carried out gets the same
// answer again.

import { updateResource } from "../../../intents/write/update.ts";
import { createResource } from "../../../intents/write/create.ts";
import type { WriteOptions, Written } from "../../../intents/request.ts";
import { readStored } from "../../../intents/write/stored.ts";
import { annotations } from "../../../kernel/annotations.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { isLostRace } from "./lost-race.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord, Write } from "../../../store/port.ts";
import { asItIs, keepApplied } from "../../../modules/resource-provider/operations/applied-spec.ts";
import { readObject } from "../protocol/arm-body.ts";
import { armRefusal, armRefusals } from "../protocol/arm-error.ts";
import { groupDigest } from "../../../modules/resource-provider/arm-names.ts";
import { idOfPlace } from "../../../modules/resource-provider/resource-id.ts";
import type { ArmAnswer } from "../protocol/arm-answer.ts";
import type { ArmRequest } from "../request/arm-request.ts";
import type { ArmSurface } from "../request/surface-state.ts";
import { envelopeOf } from "../../../modules/resource-provider/envelope.ts";
import { annotationsWith, draftCreation } from "./creation.ts";
import { newMark } from "../operation/new-mark.ts";
import { checkConditions } from "../protocol/etags.ts";
import { shownProperties, wantedSpec } from "../face/face-body.ts";
import { groupLabel } from "../../../modules/resource-provider/face.ts";
import type { ArmEnvelope, ArmFace } from "../../../modules/resource-provider/face.ts";
import { checkGate } from "./gate.ts";
import { checkNotTooLate, wasTakenBack } from "./late-creation.ts";
import { located, uniquePlace } from "./located.ts";
import type { Located } from "./located.ts";
import { storable } from "../face/lost-values.ts";
import {
  endWrite,
  lastOperation,
} from "../../../modules/resource-provider/operations/operations.ts";
import { operationKey } from "../../../modules/resource-provider/operations/record.ts";
import type { OperationRecord } from "../../../modules/resource-provider/operations/record.ts";
import {
  commitOperation,
  draftOperation,
} from "../../../modules/resource-provider/operations/draft.ts";
import { provisioningIn } from "../../../modules/resource-provider/operations/provisioning-in.ts";
import { isTerminal } from "../../../modules/resource-provider/operations/provisioning.ts";
import { awaitEndMsOf, quickEnd } from "../operation/prompt-success.ts";
import type { Awaited, KnownState } from "../operation/prompt-success.ts";
import { isReplay, repeatedIn, requestDigest } from "../operation/replay.ts";
import { checkSize } from "./resource-size.ts";
import { sentBody } from "./sent-body.ts";
import type { Reauthorize } from "./sent-body.ts";
import { operationUrl } from "../operation/operation-url.ts";
import { envelopeFor, resourceNotFound } from "./resource-view.ts";
import { shownResource } from "./resource-view.ts";
import type { Shown } from "./resource-view.ts";
import { checkSent } from "../face/sent-envelope.ts";
import { asSentTo, tellKept } from "../face/stored-refusal.ts";
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

interface WriteInput {
  readonly request: ArmRequest;
  readonly found: Located;
  readonly body: JsonObject;
  readonly isPatch: boolean;
  /** For whatever else has come to the path meanwhile. */
  readonly reauthorize: Reauthorize;
  /** Only what is wrong with it is of interest; what it would be inside of need not be there. */
  readonly isDryRun?: boolean;
}

interface Placed extends WriteInput {
  /** By which the request is known when it comes again. */
  readonly replay: string | undefined;
}

interface Stored {
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly before: ArmEnvelope | undefined;
  /** The operation accepted last. */
  readonly last: OperationRecord | undefined;
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

interface Beside {
  readonly envelope: ArmEnvelope;
  readonly stored?: Stored;
  readonly fence?: readonly Write[];
}

/** Writes the resource together with the record of its operation. */
async function writeWith(
  surface: ArmSurface,
  { request, found, replay, isDryRun = false }: Placed,
  { envelope, stored, fence = [] }: Beside,
  write: (options: WriteOptions) => Promise<Written>,
): Promise<AnsweredWith> {
  const { face, version, target } = found;
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  const operation = {
    mark: envelope.operation,
    face,
    apiVersion: version.apiVersion,
    resourceId: envelope.id,
    location: envelope.location,
    key,
    request,
    replay,
  };
  let decoded: Resource | undefined;
  const written = await commitOperation(surface, key, async (drafted) => {
    const also = async (resource: Resource): Promise<readonly Write[]> => {
      decoded = resource;
      // What its face cannot show is not stored: nobody could be told that it was.
      if (version.fromStored !== undefined) await shownProperties(version, target.served, resource);
      return [
        drafted(draftOperation(surface, operation, resource)),
        ...(stored === undefined ? [] : endWrite(surface, face, stored.old, stored.last)),
        ...(stored === undefined ? [] : await keepApplied(surface, face, stored.old, resource)),
        ...fence,
      ];
    };
    const options = { fieldManager: "arm", ownsNoNotes: true, fieldValidation: "Ignore" } as const;
    return await asSentTo(surface, found, write({ ...options, isDryRun, also }));
  });
  return { ...written, decoded };
}

/**
 * As the request was answered the first time, with the resource as it is now. Where requests are
 * kept for their end, what has succeeded is done.
 */
async function answerAgain(
  surface: ArmSurface,
  input: Placed,
  record: StoredRecord,
  { operation: { verb, isAsync: wasAsync = false } }: ArmEnvelope,
): Promise<ArmAnswer> {
  const isAsync = wasAsync && awaitEndMsOf(input.found.face) === 0;
  return await answerOf(surface, input, record, { created: verb === "create", isAsync });
}

interface Answered {
  readonly created: boolean;
  /** Also when it has ended since. */
  readonly isAsync?: boolean;
}

/** What was written by the request, or found as it wants it. */
type AnsweredWith = Pick<Written, "revision" | "body"> &
  Partial<Pick<Written, "outcome">> & { readonly decoded?: Resource | undefined };

/**
 * A finished change is answered with the resource, and so is one that ends in a moment; one that
 * goes on also with where to ask.
 */
async function answerOf(
  surface: ArmSurface,
  { request, found, isPatch, isDryRun = false }: Placed,
  written: AnsweredWith,
  { created, isAsync = false }: Answered,
): Promise<ArmAnswer> {
  // What was not written is never shown.
  if (isDryRun) return { status: 200 };
  const known = {
    ...written,
    decoded: written.decoded ?? decodeDocument(written.body, written.revision),
  };
  const awaited = await awaitEnd(surface, { request, found }, known);
  const shown = await shownAfter(surface, found, known, awaited);
  const { body, etag, envelope, provisioning } = shown;
  const headers = { etag };
  // What was not done when it was accepted is told by its operation, unless it has succeeded since.
  const isFollowed = awaited?.isDone === false && envelope.operation.isAsync === true;
  if (isTerminal(provisioning.state) && !isAsync && !isFollowed) {
    return { status: created ? 201 : 200, headers, body };
  }
  if (isAccepted(written) && provisioning.percent === undefined) {
    const key = operationKey(found.target.namespace, envelope.operation.id);
    const ms = surface.intents.clock.nowMs();
    const document = { body: known.body, resource: known.decoded };
    surface.followed.accepted(key, { revision: known.revision, ms, document });
  }
  const { apiVersion } = found.version;
  const operation = {
    ...found,
    location: envelope.location,
    id: envelope.operation.id,
    apiVersion,
  };
  const following = {
    ...headers,
    "azure-asyncoperation": operationUrl(request, operation, "operationsStatus"),
    "retry-after": surface.retryAfterSeconds,
  };
  if (!isPatch) return { status: created ? 201 : 200, headers: following, body };
  const location = operationUrl(request, operation, "operationResults");
  return { status: 202, headers: { ...following, location }, body };
}

/** Undefined where nothing goes on. */
async function awaitEnd(
  surface: ArmSurface,
  { request, found }: Pick<Placed, "request" | "found">,
  known: KnownState & Pick<AnsweredWith, "outcome">,
): Promise<Awaited | undefined> {
  const isUnderWay = (): boolean =>
    !isTerminal(provisioningIn(surface, found.face, known.decoded).state);
  if (!isAccepted(known) && !isUnderWay()) return undefined;
  return await quickEnd(surface, request, found.face, known);
}

/** What the face cannot show of what came of it is shown as it was accepted. */
async function shownAfter(
  surface: ArmSurface,
  found: Located,
  known: KnownState,
  awaited: Awaited | undefined,
): Promise<Shown> {
  const state = awaited?.state ?? known;
  try {
    const shown = await shownResource(surface, found, state);
    if (shown !== undefined) return shown;
  } catch (error) {
    if (state === known) throw error;
    const { face, version, target } = found;
    const type = `${face.provider}/${face.type}`;
    const key = { kind: face.kind, namespace: target.namespace, name: target.name };
    surface.onUnshown?.(error, { type, apiVersion: version.apiVersion, key });
    return await shownAfter(surface, found, known, undefined);
  }
  throw armRefusal(404, { code: "ResourceNotFound", message: "Gone." });
}

/** Then the operation was written with it. */
function isAccepted({ outcome }: AnsweredWith): boolean {
  return outcome === "created" || outcome === "updated";
}
