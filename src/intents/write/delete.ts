// Deletes one resource, or every resource of a selection. Without finalizers it is gone with the
// answer, unless work on it is paused; otherwise the wish is recorded (deletionTimestamp) and
// whoever holds it finishes.

import { annotations } from "../../kernel/annotations.ts";
import { timeText } from "../../kernel/clock.ts";
import { heldWhilePaused } from "../../kernel/engine-finalizers.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { equalJson } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import type { Metadata, Resource } from "../../kernel/resource.ts";
import type { ClaimRef, StoredRecord } from "../../store/port.ts";
import { conflict, notFound, protectedFromDeletion } from "../refusals.ts";
import { readEvenUnopened } from "../read/even-unopened.ts";
import { keyOfTarget, storedTarget } from "../request.ts";
import type { AlsoWritten, Caller, Intents, Target, Written } from "../request.ts";
import { causeOf } from "./cause-of.ts";
import { commitDelete, commitPut, isLostRace } from "./commit.ts";
import { finalizersFor, isHeld } from "./finalizers.ts";
import type { Propagation } from "./finalizers.ts";
import { documentMemory } from "./document-memory.ts";
import { writtenFromMemory } from "./last-seen.ts";
import { draftFor, readStored } from "./stored.ts";
import { withMetadata } from "./system-metadata.ts";
import { withoutRevision } from "./update.ts";
import { writePauses } from "./write-pauses.ts";

export interface DeleteOptions {
  readonly isDryRun: boolean;
  readonly propagation: Propagation | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** DeleteOptions as they came, for webhooks. */
  readonly raw: JsonObject;
  /** The claim of the worker on whose behalf it is deleted; refused once that is lost. */
  readonly claim?: ClaimRef;
  readonly also?: AlsoWritten;
  /** Noted on what has to wait for its end, in the commit that marks it. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface DeleteInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly options: DeleteOptions;
  /** Throws when the stored document speaks against the deletion. */
  readonly check?: (old: Resource) => void;
}

export interface Deleted extends Written {
  readonly uid: string;
}

/** `outcome` is "deleted" when it is gone, else the document shows what it waits for. */
export async function deleteResource(intents: Intents, given: DeleteInput): Promise<Deleted> {
  const input = { ...given, target: storedTarget(given.target) };
  const { target } = input;
  const { isDryRun } = input.options;
  const deleteOnce = async (record: StoredRecord): Promise<Deleted> => {
    const memory = documentMemory(input.caller, record);
    if (memory !== undefined) await memory;
    return { ...(await tryDelete(intents, input, record)), uid: record.uid };
  };
  const early = await writtenFromMemory(intents, { target, isDryRun }, deleteOnce);
  if (early !== undefined) return early;
  for (let attempt = 1; ; attempt++) {
    const record = await readEvenUnopened(intents.store, keyOfTarget(target));
    if (record === undefined) throw notFound(target.served.kind, target.name);
    try {
      return await deleteOnce(record);
    } catch (error) {
      if (!isLostRace(error) || isFinal(error) || attempt >= limits.maxPatchAttempts) throw error;
    }
  }
}

async function tryDelete(
  intents: Intents,
  { caller, target, options, check }: DeleteInput,
  record: StoredRecord,
): Promise<Written> {
  const { served } = target;
  const { revision, body, unopened } = record;
  const pause = writePauses({ caller, target, options: {} }, body.length);
  await pause();
  const old = await readStored(served, target.version, { revision, body });
  checkPreconditions(target, options, old, record);
  check?.(old);
  served.rules?.checkDelete?.(old);
  if (isProtected(old)) throw protectedFromDeletion(served.kind, target);
  const validation = intents.admission.validate({
    caller,
    operation: "DELETE",
    target,
    object: undefined,
    old,
    isDryRun: options.isDryRun,
    options: deleteOptions(options),
  });
  if (validation !== undefined) await validation;
  const before = withoutRevision(old);
  await pause();
  const marked = markedForDeletion(intents, target, options, before);
  const when = { kind: "revision", revision: record.revision, uid: record.uid } as const;
  const { claim } = options;
  const { beside } = caller;
  const cause = causeOf(caller);
  if (!isHeld(served, marked)) {
    const last = await draftFor(served, before, pause);
    if (options.isDryRun) return { revision, body: last.body, outcome: "deleted" };
    const also = await options.also?.(before);
    const deletion = { when, cause, last, claim, also, beside };
    return await commitDelete(intents, target, deletion);
  }
  // It would be stored without its secrets, which another server may still be able to open.
  if (unopened !== undefined) throw unopened;
  if (equalJson(marked, before)) {
    return { revision: record.revision, body: record.body, outcome: "unchanged" };
  }
  const draft = await draftFor(served, marked, pause);
  if (options.isDryRun) {
    return { revision: record.revision, body: draft.body, outcome: "updated" };
  }
  const also = await options.also?.(marked);
  const { uid } = record;
  return await commitPut(intents, { target, uid, draft, when, cause, claim, also, beside });
}

/**
 * Anything but "false" protects: who mistyped the value wanted protection. What is already marked
 * cannot be saved by it any more.
 */
function isProtected({ metadata }: Resource): boolean {
  const value = metadata.annotations?.[annotations.protected] ?? "false";
  return value !== "false" && metadata.deletionTimestamp === undefined;
}

/** A conflict with what the client itself demanded is an answer, not a lost race. */
const finalConflicts = new WeakSet<object>();

function isFinal(error: unknown): boolean {
  return typeof error === "object" && error !== null && finalConflicts.has(error);
}

function checkPreconditions(
  { served, name }: Target,
  { preconditions }: DeleteOptions,
  old: Resource,
  record: StoredRecord,
): void {
  const { uid, resourceVersion } = preconditions;
  const problem =
    uid !== undefined && uid !== old.metadata.uid
      ? `the UID in the precondition (${uid}) does not match the UID in record ` +
        `(${old.metadata.uid}). The object might have been deleted and then recreated`
      : resourceVersion !== undefined && resourceVersion !== String(record.revision)
        ? `the ResourceVersion in the precondition (${resourceVersion}) does not match ` +
          `the ResourceVersion in record (${record.revision}). The object might have been modified`
        : undefined;
  if (problem === undefined) return;
  // Kubernetes names the Kind here, where it otherwise names the plural.
  const { kind } = served;
  const error = conflict(
    { ...kind, names: { ...kind.names, plural: kind.names.kind } },
    name,
    problem,
  );
  finalConflicts.add(error);
  throw error;
}

function markedForDeletion(
  { clock }: Intents,
  { served }: Target,
  { propagation, annotations: notes }: DeleteOptions,
  before: Resource,
): Resource {
  const { metadata } = before;
  const finalizers = finalizersFor(metadata.finalizers ?? [], propagation);
  const isMarked = metadata.deletionTimestamp !== undefined;
  // Kinds that end in their own way are not counted as changed, nor given time.
  const isPlain = served.rules?.prepareForDelete === undefined;
  const changed: Metadata = {
    ...metadata,
    ...(notes === undefined ? {} : { annotations: { ...metadata.annotations, ...notes } }),
    ...(finalizers.length > 0 || metadata.finalizers !== undefined ? { finalizers } : {}),
    ...(isMarked
      ? {}
      : {
          deletionTimestamp: timeText(clock.nowMs()),
          ...(isPlain ? { deletionGracePeriodSeconds: 0 } : {}),
          ...(isPlain && served.hasGeneration ? { generation: metadata.generation + 1 } : {}),
        }),
  };
  const asked = withMetadata(before, changed);
  // What was marked before takes no new finalizers.
  const marked = served.isReconciled && !isMarked ? heldWhilePaused(asked) : asked;
  return served.rules?.prepareForDelete?.(marked, "v1") ?? marked;
}

function deleteOptions({ raw }: DeleteOptions): Json {
  return { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", ...raw };
}
