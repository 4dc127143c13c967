// The checks of what a version says besides its schema: its deprecation, its subresources and its
// printer columns.

import { invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { isTrueAt, textAt } from "../../kernel/json-read.ts";

const maxWarningBytes = 256;
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

export function deprecationErrors(version: JsonObject, path: string): readonly FieldError[] {
  const warning = getOwn(version, "deprecationWarning");
  if (typeof warning !== "string") return [];
  const field = `${path}.deprecationWarning`;
  if (!isTrueAt(version, "deprecated")) {
    return [invalidField(field, warning, "can only be set for deprecated versions")];
  }
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > maxWarningBytes) {
    problems.push(`must be <= ${maxWarningBytes} characters long`);
  }
  if (warning === "") problems.push("must not be an empty string");
  const at = warning.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (at >= 0) {
    const index = Buffer.byteLength(warning.slice(0, at));
    problems.push(
      "must only contain printable UTF-8 characters; " +
        `non-printable character found at index ${index}`,
    );
  }
  return problems.map((problem) => invalidField(field, warning, problem));
}

export function subresourceErrors(value: Json | undefined, path: string): readonly FieldError[] {
  const scale = isJsonObject(value) ? getOwn(value, "scale") : undefined;
  if (!isJsonObject(scale)) return [];
  return [
    ...scalePathErrors(scale, "specReplicasPath", path, [".spec"]),
    ...scalePathErrors(scale, "statusReplicasPath", path, [".status"]),
    ...(textAt(scale, "labelSelectorPath") === ""
      ? []
      : scalePathErrors(scale, "labelSelectorPath", path, [".spec", ".status"])),
  ];
}

function scalePathErrors(
  scale: JsonObject,
  key: string,
  path: string,
  roots: readonly string[],
): readonly FieldError[] {
  const field = `${path}.scale.${key}`;
  const value = textAt(scale, key);
  if (value === "") return [requiredField(field)];
  if (!value.startsWith(".")) return [notSimple(field, value)];
  if (roots.some((root) => value.startsWith(`${root}.`))) return [];
  const place = roots.length === 1 ? roots.join("") : `either ${roots.join(" or ")}`;
  return [invalidField(field, value, `should be a json path under ${place}`)];
}

export function columnErrors(column: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(column, "name") === "") errors.push(requiredField(`${path}.name`));
  const type = textAt(column, "type");
  const types = `must be one of ${columnTypes.join(",")}`;
  if (type === "") errors.push(requiredField(`${path}.type`, types));
  else if (!columnTypes.includes(type)) errors.push(invalidField(`${path}.type`, type, types));
  const format = textAt(column, "format");
  if (format !== "" && !columnFormats.includes(format)) {
    const formats = `must be one of ${columnFormats.join(",")}`;
    errors.push(invalidField(`${path}.format`, format, formats));
  }
  const jsonPath = textAt(column, "jsonPath");
  const field = `${path}.JSONPath`;
  if (jsonPath === "") errors.push(requiredField(field));
  else if (!jsonPath.startsWith(".")) errors.push(notSimple(field, jsonPath));
  return errors;
}

function notSimple(field: string, value: string): FieldError {
  return invalidField(field, value, "must be a simple json path starting with .");
}
