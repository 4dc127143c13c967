// Replaces or changes a resource. The change is a function of the stored document, so that an
// update without a precondition of its own can be tried again when another writer was faster,
// while one that names a revision is refused. Writing what is already there writes nothing.

import { withoutKey } from "../../kernel/apply/without-key.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { nextGeneration } from "../../kernel/generation.ts";
import { equalJson, getOwn } from "../../kernel/json.ts";
import type { Json, MutableJsonObject } from "../../kernel/json.ts";
import { limits } from "../../kernel/limits.ts";
import { parseRevision } from "../../kernel/revision.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { StoredRecord } from "../../store/port.ts";
import type { AdmissionRequest } from "../admission/admission.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { conflict, invalid, notFound } from "../refusals.ts";
import { keyOfTarget } from "../request.ts";
import type { Caller, Intents, Target, WriteOptions, Written } from "../request.ts";
import { isReadyToGo } from "./finalizers.ts";
import { commitDelete, commitPut, isLostRace } from "./commit.ts";
import { checkDocument } from "./finish.ts";
import { keepHidden } from "./hidden-fields.ts";
import { trackUpdate } from "./managed-fields.ts";
import { draftFor, readStored } from "./stored.ts";
import { keptMetadata, withMetadata } from "./system-metadata.ts";

export interface Changed {
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
  readonly change: (old: Resource) => Changed | Promise<Changed>;
  /** What to do when there is no such resource; refused with "not found" when left out. */
  readonly create?: () => Promise<Written>;
  /** Whether a document without a resourceVersion may replace whatever is there. */
  readonly allowsBlind: boolean;
}

export async function updateResource(intents: Intents, input: UpdateInput): Promise<Written> {
  const { target } = input;
  for (let attempt = 1; ; attempt++) {
    const record = await intents.store.get(keyOfTarget(target));
    if (record === undefined) {
      if (input.create === undefined) throw notFound(target.served.kind, target.name);
      try {
        return await input.create();
      } catch (error) {
        if (!isSetpointError(error, "resource.already_exists")) throw error;
        if (attempt >= limits.maxPatchAttempts) throw error;
        continue;
      }
    }
    const old = await readStored(target.served, target.version, record);
    const { wanted, isTracked = false } = await input.change(old);
    const isConditional = checkPreconditions(input, wanted, old, record);
    try {
      return await writeChanged(intents, input, { record, old, wanted, isTracked });
    } catch (error) {
      const isFinal = isConditional || !isLostRace(error) || attempt >= limits.maxPatchAttempts;
      if (isFinal) throw error;
    }
  }
}

/** True when the document itself names the revision it replaces. */
function checkPreconditions(
  { target, allowsBlind }: UpdateInput,
  wanted: Resource,
  old: Resource,
  record: StoredRecord,
): boolean {
  const { kind } = target.served;
  const { uid, resourceVersion } = wanted.metadata;
  if (typeof uid === "string" && uid !== "" && uid !== old.metadata.uid) {
    const stored = `UID in object meta: ${old.metadata.uid}`;
    const why = `Precondition failed: UID in precondition: ${uid}, ${stored}`;
    throw conflict(kind, target.name, why);
  }
  if (resourceVersion === undefined || resourceVersion === "" || resourceVersion === "0") {
    if (allowsBlind) return false;
    const error = invalidField("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid(kind, target.name, [
      { ...error, message: error.message.replace("Invalid value: 0", "Invalid value: 0x0") },
    ]);
  }
  if (revisionOf(target, resourceVersion) !== record.revision) throw conflict(kind, target.name);
  return true;
}

function revisionOf(target: Target, text: string): number {
  try {
    return parseRevision(text);
  } catch {
    // Whatever it is, it is not the revision that is stored.
    const error = invalidField("metadata.resourceVersion", text, "must be a whole number");
    throw invalid(target.served.kind, target.name, [error]);
  }
}

interface Pending {
  readonly record: StoredRecord;
  readonly old: Resource;
  readonly wanted: Resource;
  readonly isTracked: boolean;
}

async function writeChanged(
  intents: Intents,
  input: UpdateInput,
  { record, old, wanted, isTracked }: Pending,
): Promise<Written> {
  const { caller, target, options } = input;
  const { served, version } = target;
  const before = withoutRevision(old);
  const request: AdmissionRequest = {
    caller,
    operation: "UPDATE",
    target,
    object: prepared(target, wanted, before),
    old,
    isDryRun: options.isDryRun,
    options: updateOptions(options),
  };
  let object = await intents.admission.mutate(request);
  if (object !== request.object) {
    object = version.type.withDefaults(version.type.prune(object).resource);
  }
  if (!isTracked) object = trackUpdate(intents, target, options, before, object);
  if (served.hasGeneration) {
    const generation = nextGeneration(version.definition, before, object);
    if (generation !== object.metadata.generation) {
      object = withMetadata(object, { ...object.metadata, generation });
    }
  }
  checkDocument(target, object, before);
  const final = { ...request, object };
  const validation = intents.admission.validate(final);
  if (validation !== undefined) await validation;
  const { revision } = record;
  if (equalJson(object, before)) return { revision, body: record.body, outcome: "unchanged" };
  const draft = await draftFor(served, object);
  if (options.isDryRun) return { revision, body: draft.body, outcome: "updated" };
  const when = { kind: "revision", revision, uid: record.uid } as const;
  if (isReadyToGo(served, object)) {
    return await commitDelete(intents, target, { when, last: draft });
  }
  const uses = intents.admission.uses(final);
  return await commitPut(intents, { target, uid: record.uid, draft, when, uses });
}

/** The wanted document with everything that this endpoint may not change taken from the old. */
function prepared(target: Target, wanted: Resource, old: Resource): Resource {
  const { served, version, subresource } = target;
  const hasStatus = version.definition.subresources.status;
  if (subresource === "status") return withStatusOf(old, wanted);
  const metadata = keptMetadata(wanted.metadata, old.metadata);
  let next = withMetadata(wanted, metadata);
  if (served.hasHidden) next = keepHidden(served.kind, next, old);
  if (served.rules?.prepareForUpdate !== undefined) {
    next = served.rules.prepareForUpdate(next, old, subresource);
  }
  if (!hasStatus || subresource !== "") return next;
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
  if (managed !== undefined) metadata["managedFields"] = managed;
  copy["metadata"] = metadata;
  return copy as unknown as Resource;
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
