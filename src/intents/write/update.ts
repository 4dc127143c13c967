// Replaces or changes a resource. The change is a function of the stored document, so that an
// update without a precondition of its own can be tried again when another writer was faster,
// while one that names a revision is refused. Writing what is already there writes nothing.

import { keepTimes } from "../../kernel/apply/managed-object.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { decodeDocument } from "../../kernel/document.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { nextGeneration } from "../../kernel/generation.ts";
import { equalJson, getOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { parseRevision } from "../../kernel/revision.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withPauses } from "../../kernel/sliced.ts";
import type { StoredRecord } from "../../store/port.ts";
import { sawNameHolder } from "../admission/definition-name-holders.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { updatedInForm } from "../kinds/other-form.ts";
import { prepareKind } from "../kinds/served-kind.ts";
import type { ServedKind } from "../kinds/served-kind.ts";
import { conflict, invalid, notFound, unexplained } from "../refusals.ts";
import { keyOfTarget, storedTarget } from "../request.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { isReadyToGo } from "./finalizers.ts";
import { causeOf } from "./cause-of.ts";
import { commitDelete, commitPut, commitPuts, isLostRace } from "./commit.ts";
import type { PutInput } from "./commit.ts";
import { documentMemory } from "./document-memory.ts";
import { checkDocument } from "./finish.ts";
import { keepHidden } from "./hidden-fields.ts";
import { writtenFromMemory } from "./last-seen.ts";
import { trackUpdate } from "./managed-fields.ts";
import { withDistinctOwners } from "./owner-references.ts";
import { draftFor, readStored } from "./stored.ts";
import { keptMetadata, withMetadata } from "./system-metadata.ts";
import { namesOf } from "./unique-names.ts";
import { tellWarnings } from "./warnings.ts";
import { stepPauses, writePauses } from "./write-pauses.ts";

export interface Changed {
  /** The whole document as it was sent: hidden fields that it leaves out are kept. */
  readonly whole?: Json;
  /** Pruned and defaulted; its resourceVersion, where it has one, is a precondition. */
  readonly wanted: Resource;
  /** Set by server-side apply, which keeps its own record of who owns what. */
  readonly isTracked?: boolean;
}

export interface UpdateInput {
  readonly caller: Caller;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly optionsKind: "UpdateOptions" | "PatchOptions";
  /** Called again with the newer document when a race was lost. */
  readonly change: (old: Resource, storedBytes: number) => Changed | Promise<Changed>;
  /** What to do when there is no such resource; refused with "not found" when left out. */
  readonly create?: () => Promise<Written>;
  /** Whether a document without a resourceVersion may replace whatever is there. */
  readonly allowsBlind: boolean;
}

export async function updateResource(intents: Intents, given: UpdateInput): Promise<Written> {
  const input = asStoredKind(given);
  const { target } = input;
  const { isDryRun } = input.options;
  const preparing = prepareKind(target, stepPauses(input));
  if (preparing !== undefined) await preparing;
  const early = await writtenFromMemory(intents, { target, isDryRun }, async (record) => {
    const memory = documentMemory(input.caller, record);
    if (memory !== undefined) await memory;
    return await changeOnce(intents, input, record, false);
  });
  if (early !== undefined) return early;
  for (let attempt = 1; ; attempt++) {
    const record = await intents.store.get(keyOfTarget(target));
    if (record === undefined) {
      if (input.create === undefined) throw notFound(target.served.kind, target.name);
      input.caller.mayCreate?.();
      try {
        return await input.create();
      } catch (error) {
        if (!isSetpointError(error, "resource.already_exists")) throw error;
        if (attempt >= limits.maxPatchAttempts) throw error;
        continue;
      }
    }
    const memory = documentMemory(input.caller, record);
    if (memory !== undefined) {
      await memory;
      continue;
    }
    const mayRepeat = attempt < limits.maxPatchAttempts;
    const written = await changeOnce(intents, input, record, mayRepeat);
    if (written !== undefined) return written;
  }
}

/** A change in another form of the kind is made to what the form shows of the stored document. */
function asStoredKind(input: UpdateInput): UpdateInput {
  const { target, change } = input;
  const { served, version } = target;
  const { form } = served;
  if (form === undefined) return input;
  return {
    ...input,
    target: storedTarget(target),
    change: async (old, storedBytes) => {
      const [converted = old] = await served.convert([old], version);
      const shown = version.type.prune(converted).resource;
      const { wanted, isTracked = false } = await change(shown, storedBytes);
      return { wanted: updatedInForm(form, wanted, old, shown), isTracked };
    },
  };
}

/** Undefined when another writer was faster and the change can be made of its result. */
async function changeOnce(
  intents: Intents,
  input: UpdateInput,
  record: StoredRecord,
  mayRepeat: boolean,
): Promise<Written | undefined> {
  const { served, version } = input.target;
  const pause = writePauses(input, record.body.length);
  await pause();
  const old = await readStored(served, version, record);
  await pause();
  const { wanted, isTracked = false, whole } = await input.change(old, record.body.length);
  await pause();
  const isConditional = checkPreconditions(input, wanted, old, record);
  try {
    return await writeChanged(intents, input, { record, old, wanted, isTracked, whole });
  } catch (error) {
    const isLost = !isConditional && isLostRace(error);
    const isRace = isLost || (await sawNameHolder(intents, input.target, error));
    if (!mayRepeat || !isRace) throw error;
    return undefined;
  }
}

/** True when the document itself names the revision it replaces. */
function checkPreconditions(
  { target, allowsBlind, optionsKind }: UpdateInput,
  wanted: Resource,
  old: Resource,
  record: StoredRecord,
): boolean {
  const { kind } = target.served;
  const { uid, resourceVersion = "" } = wanted.metadata;
  const isReplacement = optionsKind === "UpdateOptions";
  if (isReplacement && typeof uid === "string" && uid !== "" && uid !== old.metadata.uid) {
    throw conflict(kind, target.name, otherIdentity(target, uid, old));
  }
  if (isUnset(resourceVersion)) {
    if (allowsBlind) return false;
    const error = invalidField("metadata.resourceVersion", 0, "must be specified for an update");
    // Here alone the plural stands where the Kind belongs.
    throw invalid({ ...kind, names: { kind: kind.names.plural } }, target.name, [error]);
  }
  if (revisionOf(resourceVersion) !== record.revision) throw conflict(kind, target.name);
  // A patch is tried again: if it names a revision, that is compared again as well.
  return isReplacement;
}

function isUnset(revision: string): boolean {
  return revision === "" || /^0+$/.test(revision);
}

function otherIdentity({ served, namespace, name }: Target, uid: string, old: Resource): string {
  const { group, names } = served.kind;
  const path = [group, names.plural, namespace, name].filter((part) => part !== "");
  return (
    `StorageError: invalid object, Code: 4, Key: /registry/${path.join("/")}, ` +
    "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " +
    `UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`
  );
}

/** Kubernetes answers 500 and the words of Go for what is not a number. */
function revisionOf(text: string): number {
  try {
    return parseRevision(text);
  } catch (cause) {
    const shown = JSON.stringify(text);
    const isNumber = /^\d+$/.test(text);
    const why = isNumber ? "value out of range" : "invalid syntax";
    throw unexplained(`strconv.ParseUint: parsing ${shown}: ${why}`, cause);
  }
}

interface Pending {
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly wanted: Resource;
  readonly isTracked: boolean;
  readonly whole: Json | undefined;
}

async function writeChanged(
  intents: Intents,
  input: UpdateInput,
  pending: Pending,
): Promise<Written> {
  const ready = await readyPut(intents, input, pending);
  if ("outcome" in ready) return ready;
  const { when, cause, draft, claim, also, beside, isGoing } = ready;
  if (!isGoing) return await commitPut(intents, ready);
  const deletion = { when, cause, last: draft, claim, also, beside };
  const gone = await commitDelete(intents, input.target, deletion);
  // The answer is the last state there was, and not the deletion.
  return { ...gone, revision: pending.record.revision };
}

/**
 * Changes several resources in one commit, or none of them. Each document names the revision that
 * it replaces.
 */
export async function updateTogether(
  intents: Intents,
  inputs: readonly UpdateInput[],
): Promise<readonly Written[]> {
  const puts: PutInput[] = [];
  for (const input of inputs) {
    const { served, version, name } = input.target;
    const record = await intents.store.get(keyOfTarget(input.target));
    if (record === undefined) throw notFound(served.kind, name);
    const old = await readStored(served, version, record);
    const { wanted, isTracked = false, whole } = await input.change(old, record.body.length);
    checkPreconditions(input, wanted, old, record);
    const ready = await readyPut(intents, input, { record, old, wanted, isTracked, whole });
    if ("outcome" in ready) continue;
    if (ready.isGoing) throw conflict(served.kind, name);
    puts.push(ready);
  }
  return await commitPuts(intents, puts);
}

interface ReadyPut extends PutInput {
  /** It was only waiting for this change to be gone. */
  readonly isGoing: boolean;
}

/** What is to be committed; what there is, when nothing is. */
async function readyPut(
  intents: Intents,
  input: UpdateInput,
  { record, old, wanted, isTracked, whole }: Pending,
): Promise<Written | ReadyPut> {
  const { caller, target, options } = input;
  const { served, version } = target;
  const before = withoutRevision(old);
  const isHiding = served.hasHidden && whole !== undefined && target.subresource !== "status";
  const sent = isHiding ? keepHidden(served.kind, wanted, before, whole) : wanted;
  // Whoever sent a field owns it; what policies and the server add belongs to nobody.
  const pause = writePauses(input, record.body.length);
  const tracking = isTracked
    ? sent
    : withPauses(trackUpdate(intents, target, options, before, sent), pause);
  const tracked = tracking instanceof Promise ? await tracking : tracking;
  await pause();
  const request: AdmissionRequest = {
    caller,
    operation: "UPDATE",
    target,
    object: prepared(target, tracked, before),
    old,
    isDryRun: options.isDryRun,
    options: updateOptions(options),
  };
  let object = await intents.admission.mutate(request);
  if (object !== request.object) {
    object = version.type.withDefaults(version.type.prune(object).resource);
    object = withDistinctOwners(caller, object, true);
  }
  if (served.hasGeneration) {
    const generation = nextGeneration(version.definition, before, object);
    if (generation !== object.metadata.generation) {
      object = withMetadata(object, { ...object.metadata, generation });
    }
  }
  // A write that changes nothing else does not change when somebody last wrote either.
  object = keepTimes(before, object) as Resource;
  await pause();
  const checking = checkDocument(intents, input, object, before);
  if (checking !== undefined) await checking;
  tellWarnings(caller, target, object, before);
  await pause();
  const final = { ...request, object };
  const validation = intents.admission.validate(final);
  if (validation !== undefined) await validation;
  const { revision } = record;
  const isSame = equalJson(object, before);
  await pause();
  if (isSame && isUpToDate(served, record)) return unchangedOf(record);
  const draft = await draftFor(served, object, pause);
  if (isSame && isSameDocument(draft.body, record)) return unchangedOf(record);
  if (options.isDryRun) return { revision, body: draft.body, outcome: "updated" };
  const { uid } = record;
  const when = { kind: "revision", revision, uid } as const;
  const { claim } = options;
  const also = await options.also?.(object);
  const isGoing = isReadyToGo(served, object);
  const names = isGoing ? undefined : namesOf(options, intents.admission.names(final));
  const uses = isGoing ? undefined : intents.admission.uses(final);
  const bounds = isGoing ? undefined : intents.admission.bounds(final);
  const cause = causeOf(caller);
  const held = { uses, bounds, names, admitted: final };
  const { beside } = caller;
  return { target, uid, draft, when, cause, claim, also, beside, isGoing, ...held };
}

function unchangedOf({ revision, body }: StoredRecord): Written {
  return { revision, body, outcome: "unchanged" };
}

/** Documents of an older version or schema are rewritten even by a write that changes nothing. */
function isUpToDate(served: ServedKind, { revision, body }: StoredRecord): boolean {
  if (revision < served.cleanSince) return false;
  if (served.versions.size === 1) return true;
  return decodeDocument(body, revision).apiVersion === served.storage.apiVersion;
}

function isSameDocument(body: Buffer, record: StoredRecord): boolean {
  const { revision } = record;
  return equalJson(decodeDocument(body, revision), decodeDocument(record.body, revision));
}

/** The wanted document with everything that this endpoint may not change taken from the old. */
function prepared(target: Target, wanted: Resource, old: Resource): Resource {
  const { served, version, subresource } = target;
  const hasStatus = version.definition.subresources.status;
  if (subresource === "status") {
    const isOpen = served.rules?.statusWritesMetadata === true;
    const next = isOpen
      ? withMetadataOf(withStatusOf(old, wanted), wanted)
      : withStatusOf(old, wanted);
    return served.rules?.prepareForUpdate?.(next, old, subresource) ?? next;
  }
  const metadata = keptMetadata(wanted.metadata, old.metadata);
  let next = withMetadata(wanted, metadata);
  if (served.rules?.prepareForUpdate !== undefined) {
    next = served.rules.prepareForUpdate(next, old, subresource);
  }
  if (!hasStatus || subresource !== "" || served.rules?.keepsStatusOnCreate === true) return next;
  return withOldStatus(next, old);
}

/** Only status and the record of who wrote it go through the status endpoint. */
function withStatusOf(old: Resource, wanted: Resource): Resource {
  const copy: MutableJsonObject = { ...old };
  const status = getOwn(wanted, "status");
  if (status === undefined) delete copy["status"];
  else copy["status"] = status;
  const metadata: MutableJsonObject = { ...old.metadata };
  const managed = wanted.metadata["managedFields"];
  if (managed === undefined) delete metadata["managedFields"];
  else metadata["managedFields"] = managed;
  copy["metadata"] = metadata;
  return copy as unknown as Resource;
}

/** Some kinds take changes of labels and annotations along with their status. */
function withMetadataOf(old: Resource, wanted: Resource): Resource {
  return withMetadata(old, keptMetadata(wanted.metadata, old.metadata));
}

function withOldStatus(next: Resource, old: Resource): Resource {
  const copy: MutableJsonObject = { ...next };
  const status = getOwn(old, "status");
  if (status === undefined) delete copy["status"];
  else copy["status"] = status;
  return copy as unknown as Resource;
}

export function withoutRevision(resource: Resource): Resource {
  return { ...resource, metadata: withoutKey(resource.metadata, "resourceVersion") };
}

/** A patch is an update once it is known what it leads to. */
function updateOptions({ sent = {} }: WriteOptions): Json {
  return { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1", ...sent };
}
