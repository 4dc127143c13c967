// What is wrong with an api-version of a face besides its name: functions that are none, a schema
// that no value could be judged by, fields that would be accepted and not be stored, and examples
// that a client could not send.

import { schemaErrors } from "../../../intents/kinds/definition-schema-check.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import { kindId } from "../../../kernel/kind.ts";
import { exampleMisfits } from "./body-schema.ts";
import { strangeFields } from "./face-fields.ts";
import { lostFields } from "./lost-fields.ts";
import { fieldMessage } from "../../../kernel/field-error-text.ts";

/** Each as "field: what is wrong with it"; `field` is that of the version. */
export function versionProblems(
  version: Readonly<Record<string, unknown>>,
  field: string,
  served: Stored | undefined,
): readonly string[] {
  const { schema, isAdmin } = version;
  return [
    ...strangeFields("version", version, `${field}.`),
    ...converterProblems(version, field),
    ...stateProblems(schema, `${field}.schema`),
    ...schemaProblems(schema, `${field}.schema`),
    ...storingProblems(version, `${field}.schema`, served),
    ...exampleProblems(version, `${field}.examples`),
    ...([undefined, true, false].includes(isAdmin as boolean | undefined)
      ? []
      : [`${field}.isAdmin: must be true or false`]),
  ];
}

/** The kind in whose form things are stored. */
type Stored = Pick<ServedKind, "kind" | "storage">;

/** Without a function that stores them, `properties` are the spec. */
function storingProblems(
  { schema, toStored }: Readonly<Record<string, unknown>>,
  field: string,
  served: Stored | undefined,
): readonly string[] {
  if (toStored !== undefined || served === undefined || !isJsonObject(schema)) return [];
  const spec = objectAt(served.storage.definition.schema, "properties", "spec");
  const why = `cannot be stored: the spec of ${kindId(served.kind)} does not have the field`;
  const hint = "(add it to the spec, make it read-only, or write toStored)";
  return lostFields(schema, spec)
    .filter((path) => path !== stateField)
    .map((path) => `${field}${path}: ${why} ${hint}`);
}

export function schemaProblems(schema: unknown, field: string): readonly string[] {
  if (!isJsonObject(schema)) return [`${field}: must be a schema`];
  // A field of properties may have a name that means something at the root of a resource, so the
  // schema is judged in the place where its values are stored.
  const whole: JsonObject = { type: "object", properties: { spec: schema } };
  const inner = `${field}.properties[spec]`;
  const check = { hasStatus: false, isUnchanged: false };
  return schemaErrors(whole, field, check).map((error) => {
    const at = error.path.startsWith(inner) ? field + error.path.slice(inner.length) : field;
    return `${at}: ${fieldMessage(error)}`;
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

const stateField = ".properties[provisioningState]";

/** Where the schema can be used; otherwise that is told. */
function exampleProblems(
  { schema, examples }: Readonly<Record<string, unknown>>,
  field: string,
): readonly string[] {
  if (examples === undefined) return [];
  if (!isJsonObject(examples)) return [`${field}: must map titles to properties`];
  const isUsable = isJsonObject(schema) && schemaProblems(schema, "").length === 0;
  return Object.entries(examples).flatMap(([title, given]) => {
    const at = `${field}[${title}]`;
    if (!isJsonObject(given)) return [`${at}: must be properties`];
    return isUsable ? exampleMisfits(schema, given).map((problem) => `${at}: ${problem}`) : [];
  });
}

function stateProblems(schema: unknown, field: string): readonly string[] {
  const properties = isJsonObject(schema) ? getOwn(schema, "properties") : undefined;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, "provisioningState")) return [];
  return [`${field}${stateField}: is set by the server`];
}
