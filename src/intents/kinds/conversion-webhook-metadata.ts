// What a conversion may do to metadata: change labels and annotations, nothing else. A webhook
// that renames a document or gives it another uid is refused; whatever else it changed is put back.

import { invalidField, tooLongField } from "../../kernel/field-error.ts";
import { formatFieldErrors } from "../../kernel/field-error-text.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonArray, isJsonObject, setOwn } from "../../kernel/json.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { labelKeyProblems, labelValueProblems } from "../../kernel/labels.ts";
import { limits } from "../../kernel/limits.ts";

/** Says why two documents are not the same one, or undefined. */
export function identityProblem(original: JsonObject, converted: JsonObject): string | undefined {
  const [before, after] = [objectAt(original, "metadata"), objectAt(converted, "metadata")];
  const pairs = [
    ["kind", textAt(original, "kind"), textAt(converted, "kind")],
    ["name", textAt(before, "name"), textAt(after, "name")],
    ["namespace", textAt(before, "namespace"), textAt(after, "namespace")],
    ["UID", textAt(before, "uid"), textAt(after, "uid")],
  ] as const;
  const differing = pairs.find(([, was, is]) => was !== is);
  if (differing === undefined) return undefined;
  const [what, was, is] = differing;
  return `must have the same ${what}: ${was} != ${is}`;
}

/** The converted document with the original's metadata, or a text that says what is wrong. */
export function withMetadataRestored(
  original: JsonObject,
  converted: JsonObject,
): JsonObject | string {
  const answered = getOwn(converted, "metadata");
  if (answered === undefined) return "missing metadata in converted object";
  if (!isJsonObject(answered)) {
    return `invalid metadata of type ${goType(answered)} in converted object`;
  }
  const metadata: MutableJsonObject = { ...objectAt(original, "metadata") };
  for (const field of ["labels", "annotations"] as const) {
    const texts = getOwn(answered, field) ?? null;
    delete metadata[field];
    if (texts === null) continue;
    const before = objectAt(objectAt(original, "metadata"), field);
    const problem = textsProblem(field, texts, before);
    if (problem !== undefined) return problem;
    setOwn(metadata, field, texts);
  }
  return { ...converted, metadata };
}

type Field = "labels" | "annotations";

function textsProblem(field: Field, texts: Json, before: JsonObject): string | undefined {
  if (!isJsonObject(texts)) {
    return `invalid metadata.${field} of type ${goType(texts)} in converted object`;
  }
  const entries: (readonly [string, string])[] = [];
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== "string") {
      const type = goType(value);
      return `metadata.${field}[${key}] must be a string, but is ${type} in converted object`;
    }
    entries.push([key, value]);
  }
  const isSame =
    entries.length === Object.keys(before).length &&
    entries.every(([key, value]) => getOwn(before, key) === value);
  if (isSame) return undefined;
  const errors = field === "labels" ? labelErrors(entries) : annotationErrors(entries);
  return errors.length === 0 ? undefined : formatFieldErrors(errors);
}

type Entries = readonly (readonly [string, string])[];

function labelErrors(entries: Entries): readonly FieldError[] {
  const field = "metadata.labels";
  return entries.flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalidField(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidField(field, value, problem)),
  ]);
}

function annotationErrors(entries: Entries): readonly FieldError[] {
  const field = "metadata.annotation";
  const errors = entries.flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalidField(field, key, problem)),
  );
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes <= limits.maxAnnotationsBytes) return errors;
  return [...errors, tooLongField(field, limits.maxAnnotationsBytes)];
}

/** The name of a value's type in Go, which stands in the texts that clients know. */
function goType(value: Json): string {
  if (value === null) return "<nil>";
  if (isJsonArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}
