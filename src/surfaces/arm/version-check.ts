// What is wrong with an api-version of a face besides its name: functions that are none, and a
// schema that no value could be judged by.

import { schemaErrors } from "../../intents/kinds/definition-schema-check.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { strangeFields } from "./face-fields.ts";

/** Each as "field: what is wrong with it"; `field` is that of the version. */
export function versionProblems(
  version: Readonly<Record<string, unknown>>,
  field: string,
): readonly string[] {
  const { schema, isAdmin } = version;
  return [
    ...strangeFields("version", version, `${field}.`),
    ...converterProblems(version, field),
    ...stateProblems(schema, `${field}.schema`),
    ...schemaProblems(schema, `${field}.schema`),
    ...([undefined, true, false].includes(isAdmin as boolean | undefined)
      ? []
      : [`${field}.isAdmin: must be true or false`]),
  ];
}

export function schemaProblems(schema: unknown, field: string): readonly string[] {
  if (!isJsonObject(schema)) return [`${field}: must be a schema`];
  // A field of properties may have a name that means something at the root of a resource, so the
  // schema is judged in the place where its values are stored.
  const whole: JsonObject = { type: "object", properties: { spec: schema } };
  const inner = `${field}.properties[spec]`;
  const check = { hasStatus: false, isUnchanged: false };
  return schemaErrors(whole, field, check).map((error) => {
    const at = error.field.startsWith(inner) ? field + error.field.slice(inner.length) : field;
    return `${at}: ${error.message}`;
  });
}

function converterProblems(
  version: Readonly<Record<string, unknown>>,
  field: string,
): readonly string[] {
  return ["fromStored", "toStored"].flatMap((name) => {
    const value = version[name];
    if (value === undefined || typeof value === "function") return [];
    return [`${field}.${name}: must be a function`];
  });
}

function stateProblems(schema: unknown, field: string): readonly string[] {
  const properties = isJsonObject(schema) ? getOwn(schema, "properties") : undefined;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, "provisioningState")) return [];
  return [`${field}.properties[provisioningState]: is filled in by the server`];
}
