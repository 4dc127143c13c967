// The fields that the variables of a template have, so that an expression with a misspelled field
// is refused when the Offering is written. Pure.

import { dynType, structType } from "../../../kernel/cel/types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import type { KindInput } from "../../../kernel/kind.ts";
import { clusterKind } from "../kinds/cluster-kind.ts";
import { instanceKindOf } from "../kinds/instance-kind.ts";
import { organisationKind } from "../kinds/organisation-kind.ts";
import type { Offering } from "../offering.ts";

export function shapesOf(offering: Offering): Readonly<Record<string, CelType>> {
  return {
    instance: resourceShape("instance", instanceKindOf(offering)),
    cluster: resourceShape("cluster", clusterKind),
    organisation: resourceShape("organisation", organisationKind),
    offering: fieldsOf("offering", ["name", "domain"]),
    route: fieldsOf("route", ["name", "domain", "router"]),
  };
}

/** What `prepare.ts` shows of a resource. The engine adds conditions to each status. */
function resourceShape(name: string, { versions }: KindInput): CelType {
  const schema = versions[0]?.schema;
  const status = objectAt(schema, "properties", "status", "properties");
  const engine = { conditions: {}, observedGeneration: {} };
  return structType(
    name,
    new Map([
      ["metadata", fieldsOf(`${name}.metadata`, ["namespace", "name", "uid"])],
      ["spec", shapeOf(`${name}.spec`, valueAt(schema, "properties", "spec"))],
      [
        "status",
        shapeOf(`${name}.status`, { type: "object", properties: { ...status, ...engine } }),
      ],
    ]),
  );
}

function fieldsOf(name: string, fields: readonly string[]): CelType {
  return structType(name, new Map(fields.map((field) => [field, dynType])));
}

/** Objects with named fields only; everything else may have any field. */
function shapeOf(name: string, schema: Json | undefined): CelType {
  const properties = objectAt(schema, "properties");
  const isClosed =
    textAt(schema, "type") === "object" &&
    Object.keys(properties).length > 0 &&
    valueAt(schema, "additionalProperties") === undefined &&
    valueAt(schema, "x-kubernetes-preserve-unknown-fields") === undefined;
  if (!isClosed) return dynType;
  return structType(name, new Map(fieldShapes(name, properties)));
}

function fieldShapes(name: string, properties: JsonObject): readonly [string, CelType][] {
  return Object.entries(properties).map(([field, schema]) => [
    field,
    shapeOf(`${name}.${field}`, schema),
  ]);
}
