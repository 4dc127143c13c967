// Records of accepted requests, written in the commit of what they are about. Nobody works on them:
// how far an operation is follows from the resource, so that its end cannot be told before the
// resource shows it. The end is recorded a moment later (open-operations.ts), or by the next
// accepted request; what cannot be told from the resource for good, before it is first told.

import { systemCause } from "../../../kernel/cause.ts";
import { timeText } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { draftOf } from "../../../kernel/draft.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import type { Change, Put, Store, StoredRecord } from "../../../store/port.ts";
import { envelopeOf } from "../envelope.ts";
import { operationKind } from "../face.ts";
import type { ArmFace } from "../face.ts";
import { notedFailureInside } from "./failure-inside.ts";
import { servedOperations } from "./draft.ts";
import { successIn } from "./lasting-success.ts";
import { endJson, operationKey, operationOf } from "./record.ts";
import type { OperationEnd, OperationProgress, OperationRecord, OperationSpec } from "./record.ts";
import type { Provisioning } from "./provisioning.ts";
import { defaultTimeoutMs, provisioningIn } from "./provisioning-in.ts";
import type { ProviderState } from "../provider-state.ts";

/** The write that records how the operation before ended; none when that is known, or long ago. */
export function endWrite(
  provider: ProviderState,
  face: ArmFace,
  old: Resource,
  last: OperationRecord | undefined,
): readonly Put[] {
  const { intents } = provider;
  if (last === undefined || last.end !== undefined) return [];
  const end = endIn(provider, face, old, last) ?? {
    state: "Canceled",
    endedAt: timeText(intents.clock.nowMs()),
    error: { code: "OperationPreempted", message: "A later request replaced this operation." },
  };
  return [endingWrite(provider, last, end)];
}

/** How the operation accepted last has ended, as it is recorded or as its resource shows it. */
export function endIn(
  provider: ProviderState,
  face: ArmFace,
  resource: Resource,
  { id, spec, end }: OperationRecord,
): OperationEnd | undefined {
  if (end !== undefined) return end;
  const envelope = envelopeOf(resource);
  const success = envelope && successIn(resource, envelope, { id, ...spec });
  if (success !== undefined) return { state: "Succeeded", endedAt: success.at };
  return endOf(provisioningIn(provider, face, resource));
}

export function endingWrite(
  { intents }: ProviderState,
  { record }: OperationRecord,
  end: OperationEnd,
): Put {
  const served = servedOperations(intents.kinds.byId(operationKind));
  const document = decodeDocument(record.body, record.revision);
  const changed: Resource = { ...document, status: endJson(end) };
  const { revision, uid } = record;
  const draft = draftOf(served.storedKind, changed);
  const when = { kind: "revision", revision, uid } as const;
  return { kind: "put", key: record.key, uid, draft, when, cause: systemCause };
}

/** The one that was accepted last for a resource; undefined when it is no longer remembered. */
export async function lastOperation(
  provider: ProviderState,
  resource: Resource,
): Promise<OperationRecord | undefined> {
  const id = envelopeOf(resource)?.operation.id ?? "";
  if (id === "") return undefined;
  const record = await provider.intents.store.get(
    operationKey(resource.metadata.namespace ?? "", id),
  );
  const last = record && operationOf(record, decodeDocument(record.body, record.revision));
  // What was copied from another resource tells of nothing that happened to this one.
  return last?.spec.uid === resource.metadata.uid ? last : undefined;
}

export async function readOperation(
  provider: ProviderState,
  namespace: string,
  id: string,
): Promise<OperationRecord | undefined> {
  const read = await readRecords(provider, namespace, id);
  return read && operationIn(provider, read);
}

/** As they are stored, and not looked into yet. */
export interface ReadOperation {
  readonly record: StoredRecord;
  /** What it is about, where that is remembered. */
  readonly resource: StoredRecord | undefined;
}

/** Who asks for an operation asks for its resource, too: both are one trip to the database. */
export async function readRecords(
  { intents: { store }, followed }: ProviderState,
  namespace: string,
  id: string,
): Promise<ReadOperation | undefined> {
  const key = operationKey(namespace, id);
  const about = followed.get(key)?.about;
  const [record, resource] =
    about === undefined
      ? [await store.get(key), undefined]
      : await Promise.all([store.get(key), store.get(about)]);
  return record && { record, resource };
}

/** For those who have read its resource before: what that shows is never newer than the record. */
export async function readRecord(
  { intents: { store } }: ProviderState,
  namespace: string,
  id: string,
  resource: StoredRecord | undefined,
): Promise<ReadOperation | undefined> {
  const record = await store.get(operationKey(namespace, id));
  return record && { record, resource };
}

export function operationIn(
  provider: ProviderState,
  { record, resource }: ReadOperation,
): OperationRecord {
  const operation = operationOf(record, decodeDocument(record.body, record.revision));
  provider.followed.seen(record.key, operation.spec.resource);
  return { ...operation, resource };
}

/**
 * How an operation stands now. An end that the resource does not show for good is recorded before
 * it is first told, so that whatever becomes of the resource later, the operation has ended once,
 * and in one way.
 */
export async function operationProgress(
  provider: ProviderState,
  operation: OperationRecord,
): Promise<OperationProgress> {
  if (operation.end !== undefined) return { end: operation.end, percent: undefined };
  const { end, percent, lastError, isLasting } = await derivedProgress(provider, operation);
  const isTold = end === undefined || isLasting;
  return { end: isTold ? end : await recordedEnd(provider, operation, end), percent, lastError };
}

async function recordedEnd(
  provider: ProviderState,
  operation: OperationRecord,
  end: OperationEnd,
): Promise<OperationEnd> {
  const { store } = provider.intents;
  const told = dated(provider, end);
  try {
    const [answer] = await store.commit([endingWrite(provider, operation, told)]);
    if (answer?.kind !== "refused") return told;
  } catch (error) {
    // What can be read is told also while nothing can be written.
    if (isSetpointError(error)) return told;
    throw error;
  }
  // Somebody else has recorded it, or the record has just gone.
  const again = await readOperation(provider, operation.record.key.namespace, operation.id);
  return again?.end ?? told;
}

/** What nobody knows the time of ends now. */
export function dated({ intents }: ProviderState, end: OperationEnd): OperationEnd {
  return { ...end, endedAt: end.endedAt ?? timeText(intents.clock.nowMs()) };
}

interface DerivedProgress extends OperationProgress {
  /** Whether the resource shows the end for good. */
  readonly isLasting?: boolean;
}

export async function derivedProgress(
  provider: ProviderState,
  { id, spec, resource: known }: OperationRecord,
): Promise<DerivedProgress> {
  const { store, kinds } = provider.intents;
  const record = known ?? (await store.get(spec.resource));
  if (record?.uid !== spec.uid) return await afterDeletion(provider, id, spec);
  const resource = decodeDocument(record.body, record.revision);
  const envelope = envelopeOf(resource);
  const success = envelope && successIn(resource, envelope, { id, ...spec });
  if (success !== undefined) {
    const end = { state: "Succeeded", endedAt: success.at } as const;
    return { end, percent: 100, isLasting: success.isLasting };
  }
  const face = provider.faces.byKind(spec.resource.kind);
  if (face === undefined || kinds.byId(face.kind) === undefined || envelope === undefined) {
    return { end: canceled("The resource type is no longer served."), percent: undefined };
  }
  if (envelope.operation.id !== id && spec.verb !== "delete") {
    return { end: canceled("A later request replaced this operation."), percent: undefined };
  }
  const provisioning = provisioningIn(provider, face, resource, envelope);
  const inside =
    envelope.operation.id === id && provisioning.state === "Deleting"
      ? await notedFailureInside(provider, face, record, envelope)
      : undefined;
  if (inside !== undefined) {
    const { code, message, at } = inside;
    const failed = { state: "Failed", endedAt: at, error: { code, message } } as const;
    return { end: failed, percent: undefined };
  }
  const end = endOf(provisioning);
  if (resource.metadata.generation !== spec.generation) return { end, percent: undefined };
  return { end, percent: provisioning.percent, lastError: provisioning.error };
}

/** From then on an operation that goes on counts as failed. */
export function timesOutAtMs(
  { faces }: ProviderState,
  { resource, startedAt }: Pick<OperationSpec, "resource" | "startedAt">,
): number {
  const timeoutMs = faces.byKind(resource.kind)?.operationTimeoutMs ?? defaultTimeoutMs;
  return Date.parse(startedAt) + timeoutMs;
}

function endOf({ state, endedAt, error }: Provisioning): OperationEnd | undefined {
  if (state === "Succeeded") return { state, endedAt };
  return state === "Failed" ? { state, endedAt, error } : undefined;
}

/** The resource is not there any more, or another one is in its place. */
async function afterDeletion(
  { intents }: ProviderState,
  id: string,
  spec: OperationSpec,
): Promise<OperationProgress> {
  const { verb, resource, uid } = spec;
  const deletion = await deletionOf(intents.store, resource, uid);
  const endedAt = deletion === undefined ? undefined : timeText(deletion.atMs);
  if (verb === "delete") return { end: { state: "Succeeded", endedAt }, percent: 100 };
  const last = deletion && decodeDocument(deletion.body, deletion.revision);
  const envelope = last && envelopeOf(last);
  const success = envelope && successIn(last, envelope, { id, ...spec });
  if (success !== undefined) {
    return { end: { state: "Succeeded", endedAt: success.at }, percent: 100 };
  }
  return { end: { ...canceled("The resource was deleted."), endedAt }, percent: undefined };
}

/** However much has happened under its name since then, as long as the history knows of it. */
async function deletionOf(
  store: Pick<Store, "history">,
  key: ResourceKey,
  uid: string,
): Promise<Change | undefined> {
  let before: number | undefined;
  for (;;) {
    const options = { limit: historyItems, ...(before === undefined ? {} : { before }) };
    const changes = await store.history(key, options);
    const found = changes.find((change) => change.type === "deleted" && change.uid === uid);
    const oldest = changes.at(-1);
    if (found !== undefined || oldest === undefined) return found;
    before = oldest.revision;
  }
}

const historyItems = 500;

function canceled(message: string): OperationEnd {
  const error = { code: "OperationPreempted", message };
  return { state: "Canceled", endedAt: undefined, error };
}
