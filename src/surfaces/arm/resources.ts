// PUT and PATCH of a resource: create or replace, or change. Both decide what is wanted by what is
// stored, and write it at that revision or not at all; a lost race is decided again unless the
// client itself named a revision. A request that is repeated while it is carried out gets the same
// answer again.

import { updateResource } from "../../intents/write/update.ts";
import { createResource } from "../../intents/write/create.ts";
import type { WriteOptions, Written } from "../../intents/request.ts";
import { annotations } from "../../kernel/annotations.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { equalJson } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { Addressed } from "./addressed.ts";
import { readObject } from "./arm-body.ts";
import { armRefusal, armRefusals } from "./arm-error.ts";
import { groupDigest } from "./arm-names.ts";
import type { ArmAnswer, ArmRequest, ArmSurface } from "./arm-request.ts";
import { envelopeOf } from "./envelope.ts";
import { annotationsWith, draftCreation, newMark } from "./creation.ts";
import { checkConditions, hasConditions } from "./etags.ts";
import { wantedSpec } from "./face-body.ts";
import { groupLabel } from "./face.ts";
import type { ArmEnvelope } from "./face.ts";
import { checkGate } from "./gate.ts";
import { endWrite, operationWrite, provisioningIn } from "./operations.ts";
import { isTerminal } from "./provisioning.ts";
import { envelopeFor, operationUrl, resourceNotFound, resourceOf } from "./resource-view.ts";
import { shownResource } from "./resource-view.ts";
import { checkSent } from "./sent-envelope.ts";
import { systemDataOf } from "./system-data.ts";

export async function putResource(
  surface: ArmSurface,
  request: ArmRequest,
  found: Addressed,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  return await writeResource(surface, { request, found, body, isPatch: false });
}

export async function patchResource(
  surface: ArmSurface,
  request: ArmRequest,
  found: Addressed,
): Promise<ArmAnswer> {
  const body = await readObject(request.exchange);
  return await writeResource(surface, { request, found, body, isPatch: true });
}

interface WriteInput {
  readonly request: ArmRequest;
  readonly found: Addressed;
  readonly body: JsonObject;
  readonly isPatch: boolean;
}

async function writeResource(surface: ArmSurface, input: WriteInput): Promise<ArmAnswer> {
  const { request, found, isPatch } = input;
  const { headers } = request.exchange;
  const { target } = found;
  const key = { kind: target.served.id, namespace: target.namespace, name: target.name };
  for (let attempt = 1; ; attempt++) {
    const record = await surface.intents.store.get(key);
    const isKnown = record !== undefined && envelopeOf(resourceOf(record)) !== undefined;
    if (isPatch && !isKnown) throw resourceNotFound(found);
    checkConditions(headers, record?.revision);
    try {
      if (record === undefined) return await create(surface, input);
      return await change(surface, input, record);
    } catch (error) {
      const isRace =
        isSetpointError(error, "resource.already_exists") ||
        (isSetpointError(error, "resource.conflict") && !Object.hasOwn(error.details, "arm"));
      if (!isRace || attempt >= limits.maxPatchAttempts) throw error;
      // With a condition, the next look at it says so.
      if (hasConditions(headers) && attempt > 1) throw error;
    }
  }
}

async function create(surface: ArmSurface, input: WriteInput): Promise<ArmAnswer> {
  const { request, found, body } = input;
  request.caller.mayCreate?.();
  const { document, envelope } = await draftCreation(surface, { request, found, body });
  const written = await createResource(surface.intents, {
    caller: request.caller,
    target: found.target,
    body: document,
    options: writeOptions(surface, input, envelope),
    decodeProblems: [],
  });
  return await answerOf(surface, input, written, { created: true });
}

async function change(
  surface: ArmSurface,
  input: WriteInput,
  record: StoredRecord,
): Promise<ArmAnswer> {
  const { request, found } = input;
  const { face, place, target } = found;
  const old = resourceOf(record);
  const before = envelopeOf(old);
  const { state } = provisioningIn(surface, face, old);
  const { version } = found;
  const { isPatch } = input;
  const sent = checkSent(input.body, { place, face, before, state, isPatch });
  const { properties } = sent;
  const { spec, problems } = await wantedSpec({ version, properties, old, isPatch });
  if (sent.problems.length + problems.length > 0) {
    throw armRefusals([...sent.problems, ...problems]);
  }
  const nowMs = surface.intents.clock.nowMs();
  const next: ArmEnvelope = {
    ...envelopeFor(place),
    location: before?.location ?? sent.location ?? "",
    tags: sent.tags ?? (isPatch ? (before?.tags ?? {}) : {}),
    systemData:
      version.isAdmin === true && before?.systemData !== undefined
        ? before.systemData
        : systemDataOf(request, before?.systemData, nowMs),
    operation: newMark(surface, before === undefined ? "create" : "update"),
  };
  const { type } = target.version;
  const wanted = type.withDefaults(type.prune({ ...old, spec }).resource);
  const isSame = isSameContent(old, wanted, before, next);
  if (isSame && (!isTerminal(state) || state === "Succeeded")) {
    const isCreation = state === "Creating";
    return await answerOf(surface, input, record, { created: isCreation });
  }
  checkGate(face, place, old, state);
  const again = isSame ? { [annotations.request]: next.operation.id } : {};
  const notes = annotationsWith({ ...old.metadata.annotations, ...again }, next, request);
  const labels = { ...old.metadata.labels, [groupLabel]: groupDigest(place.group ?? "") };
  const metadata = { ...old.metadata, annotations: notes, labels };
  const written = await updateResource(surface.intents, {
    caller: request.caller,
    target,
    options: writeOptions(surface, input, next, old),
    optionsKind: "UpdateOptions",
    allowsBlind: false,
    change: () => ({ wanted: { ...wanted, metadata } }),
  });
  return await answerOf(surface, input, written, { created: false });
}

function isSameContent(
  old: Resource,
  wanted: Resource,
  before: ArmEnvelope | undefined,
  next: ArmEnvelope,
): boolean {
  if (before === undefined || !equalJson(before.tags, next.tags)) return false;
  return equalJson(old.spec, wanted.spec);
}

function writeOptions(
  surface: ArmSurface,
  { request, found }: WriteInput,
  envelope: ArmEnvelope,
  old?: Resource,
): WriteOptions {
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
  };
  return {
    isDryRun: false,
    fieldManager: "arm",
    fieldValidation: "Ignore",
    also: async (resource) => [
      operationWrite(surface, operation, resource),
      ...(old === undefined ? [] : await endWrite(surface, face, old, key.namespace)),
    ],
  };
}

/** A finished change is answered with the resource; one under way also with where to ask. */
async function answerOf(
  surface: ArmSurface,
  { request, found, isPatch }: WriteInput,
  written: Pick<Written, "revision" | "body">,
  { created }: { readonly created: boolean },
): Promise<ArmAnswer> {
  const shown = await shownResource(surface, found, written);
  if (shown === undefined) throw armRefusal(404, { code: "ResourceNotFound", message: "Gone." });
  const { body, etag, envelope, provisioning } = shown;
  const headers = { etag };
  if (isTerminal(provisioning.state)) return { status: created ? 201 : 200, headers, body };
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
