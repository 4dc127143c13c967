// The fields that a resource names in its part `connect`. What its kind does not know is a mistake
// in writing: a secret would be sent where the service never looks for it, or even shows it, so
// that is refused; what is left to others in vain does no harm, and is told.

import { forbiddenField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import {
  isTrueAt,
  objectsAt,
  presentObjectAt,
  textAt,
  textsAt,
} from "../../../kernel/json-read.ts";
import { parsePointer } from "../../../kernel/pointer.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { managementOf } from "../loop/management.ts";
import type { CompiledBinding } from "./compiled-binding.ts";

/** Of fields without the leading slash; before the schema answers with a pattern. */
export function pointerErrors(object: Resource): readonly FieldError[] {
  const connect = presentObjectAt(object, "connect");
  const named = [
    ...(["leave", "replace"] as const).flatMap((list) =>
      textsAt(connect, list).map((text, index) => ({ text, at: `${list}[${index}]` })),
    ),
    ...objectsAt(connect, "secrets").map((each, index) => ({
      text: textAt(each, "field"),
      at: `secrets[${index}].field`,
    })),
  ];
  return named.flatMap(({ text, at }) => {
    if (text === "" || text.startsWith("/")) return [];
    return [forbiddenField(`connect.${at}`, `a field starts with a slash: write /${text}`)];
  });
}

/** Secrets for fields that the kind does not have; those that were stored before stay. */
export function unknownSecretErrors(
  object: Resource,
  old: Resource | undefined,
  schema: JsonObject,
  compiled: CompiledBinding,
): readonly FieldError[] {
  const before = old === undefined ? [] : (managementOf(old).secrets ?? []);
  return (managementOf(object).secrets ?? []).flatMap(({ field }, index) => {
    if (before.some((each) => each.field === field)) return [];
    if (isKnown(field, schema, compiled)) return [];
    const why = `the kind has no field ${field}`;
    return [forbiddenField(`connect.secrets[${index}].field`, why)];
  });
}

export function leaveWarnings(
  object: Resource,
  schema: JsonObject,
  compiled: CompiledBinding,
): readonly string[] {
  return (managementOf(object).leave ?? []).flatMap((field, index) => {
    if (isKnown(field, schema, compiled)) return [];
    return [`connect.leave[${index}]: the kind has no field ${field}`];
  });
}

/** In the schema, or in the binding: a secret may be left out of the schema on purpose. */
function isKnown(field: string, schema: JsonObject, { binding }: CompiledBinding): boolean {
  const isBound = binding.fields.some(
    ({ path, class: of }) =>
      of !== "read-only" && path !== "" && (path === field || field.startsWith(`${path}/`)),
  );
  return isBound || isInSchema(schema, ["spec", ...parsePointer(field)]);
}

function isInSchema(schema: JsonObject, tokens: readonly string[]): boolean {
  const [token, ...rest] = tokens;
  if (token === undefined) return true;
  const named = getOwn(presentObjectAt(schema, "properties") ?? {}, token);
  if (named !== undefined && isJsonObject(named)) return isInSchema(named, rest);
  const others = getOwn(schema, "additionalProperties") ?? getOwn(schema, "items");
  if (others === true) return true;
  if (others !== undefined && isJsonObject(others)) return isInSchema(others, rest);
  return isTrueAt(schema, "x-kubernetes-preserve-unknown-fields");
}
