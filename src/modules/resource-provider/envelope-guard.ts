// What the Resource Manager knows of a resource outlives writes by other means: a document that
// leaves the envelope or the label of the group out keeps them, as a file that somebody replaces
// it with does, and one that changes them is refused. Without this the resource would be lost to
// the clients that made it. What is damaged already may be repaired by anybody. Nothing gets them
// by other means: a copy, or a file of what was deleted, is stored without them, since they tell
// the id and the operation of another resource. It is not refused, so that what was written into
// files can be applied again; the sender is warned. Where a change
// hides that the operation accepted last has succeeded, that is written into the envelope, so that
// what pollers were told stays true.

import type { AdmissionPlugin, AdmissionRequest } from "../../intents/admission/admission.ts";
import { invalid } from "../../intents/refusals.ts";
import { forbiddenField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { endedText, envelopeOf } from "./envelope.ts";
import { envelopeAnnotation, groupLabel } from "./face.ts";
import { hiddenSuccess } from "./operations/lasting-success.ts";

/** Callers that come through here write the envelope. */
export const armSurfaceName = "arm";

export const envelopeGuard: AdmissionPlugin = {
  name: "ResourceManagerEnvelope",
  mutate: (request) => {
    const { object, caller } = request;
    if (object === undefined) return object;
    if (isGuarded(request)) {
      return guarded.reduce((kept, mark) => withMark(kept, mark, request.old), object);
    }
    const foreign = guarded.filter((mark) => isForeign(request, mark));
    for (const mark of foreign) caller.warn(`${fieldOf(mark)} ${leftOut}`);
    return foreign.reduce(withoutMark, object);
  },
  validate: (request) => {
    const { object, target } = request;
    if (object === undefined || !isGuarded(request)) return;
    const errors = guarded.flatMap((mark) => markErrors(object, mark, request.old));
    if (errors.length > 0) throw invalid(target.served.storedKind, target.name, errors);
  },
};

interface Mark {
  readonly map: "annotations" | "labels";
  readonly key: string;
}

const guarded: readonly Mark[] = [
  { map: "annotations", key: envelopeAnnotation },
  { map: "labels", key: groupLabel },
];

function isGuarded({ operation, caller, old }: AdmissionRequest): boolean {
  if (operation !== "UPDATE" || caller.through === armSurfaceName) return false;
  return old !== undefined && envelopeOf(old) !== undefined;
}

/** Whether the request would give the mark to what has none. */
function isForeign({ operation, caller, object, old }: AdmissionRequest, mark: Mark): boolean {
  if (caller.through === armSurfaceName || valueOf(object, mark) === undefined) return false;
  return operation === "CREATE" || (operation === "UPDATE" && valueOf(old, mark) === undefined);
}

const leftOut = "was ignored: only the Resource Manager surface writes it";

function withoutMark(object: Resource, { map, key }: Mark): Resource {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, [map]: withoutKey(metadata[map] ?? {}, key) } };
}

function fieldOf({ map, key }: Mark): string {
  return `metadata.${map}[${key}]`;
}

function valueOf(resource: Resource | undefined, { map, key }: Mark): string | undefined {
  const value = getOwn(resource?.metadata[map] ?? {}, key);
  return typeof value === "string" ? value : undefined;
}

function withMark(object: Resource, mark: Mark, old: Resource | undefined): Resource {
  const was = valueOf(old, mark);
  const given = valueOf(object, mark);
  if (old === undefined || was === undefined) return object;
  const isEnvelope = mark.key === envelopeAnnotation;
  const isKept = given === undefined || given === was;
  // As it was before the end was written: whoever read it then changes nothing by that.
  if (!isKept && !(isEnvelope && given === endedText(was, undefined))) return object;
  const endedAt = isEnvelope ? hiddenSuccess(old, object) : undefined;
  const value = endedAt === undefined ? was : endedText(was, endedAt);
  if (value === given) return object;
  const { metadata } = object;
  const values = { ...metadata[mark.map], [mark.key]: value };
  return { ...object, metadata: { ...metadata, [mark.map]: values } };
}

function markErrors(
  object: Resource,
  mark: Mark,
  old: Resource | undefined,
): readonly FieldError[] {
  const was = valueOf(old, mark);
  const given = valueOf(object, mark);
  if (old === undefined || was === undefined || given === was) return [];
  const endedAt = mark.key === envelopeAnnotation ? hiddenSuccess(old, object) : undefined;
  if (endedAt !== undefined && given === endedText(was, endedAt)) return [];
  const why = "is written only by the Resource Manager surface: leave it out to keep its value";
  return [forbiddenField(fieldOf(mark), why)];
}
