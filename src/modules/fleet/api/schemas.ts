// JSON Schemas of requests and answers, for the checks and the documents.

import type { JsonObject } from "../../../kernel/json.ts";
import { fleetLimits } from "../limits.ts";
import { phases } from "../lifecycle/phases.ts";
import type { Offering } from "../offering.ts";

const text: JsonObject = { type: "string" };
const time: JsonObject = { type: "string", format: "date-time" };

export function objectSchema(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

export function described(schema: JsonObject, description: string): JsonObject {
  return { ...schema, description };
}

/** A page of items. */
export function listSchema(items: JsonObject): JsonObject {
  return objectSchema(
    {
      kind: text,
      page: { type: "integer" },
      size: described({ type: "integer" }, "The wanted size, at most the total."),
      total: { type: "integer" },
      items: { type: "array", items },
    },
    ["kind", "page", "size", "total", "items"],
  );
}

export function instanceSchema(offering: Offering): JsonObject {
  const { providers, types, instances } = offering;
  return objectSchema(
    {
      id: text,
      kind: text,
      href: text,
      status: { type: "string", enum: [...phases] },
      cloud_provider: { type: "string", enum: providers.map(({ id }) => id) },
      multi_az: { type: "boolean" },
      region: text,
      owner: text,
      name: text,
      host: described(text, "Absent until the routes of the instance exist."),
      created_at: time,
      updated_at: time,
      failed_reason: text,
      version: text,
      instance_type: { type: "string", enum: types.map(({ name }) => name) },
      expires_at: time,
      ...(instances.parameters === undefined ? {} : { parameters: instances.parameters }),
    },
    ["id", "kind", "href", "status", "name", "owner", "created_at", "updated_at"],
  );
}

export function createSchema({ instances, providers }: Offering): JsonObject {
  const regions = [...new Set(providers.flatMap(({ regions: all }) => all.map(({ id }) => id)))];
  return objectSchema(
    {
      name: described(
        text,
        `At most ${fleetLimits.maxInstanceNameChars} lower-case letters, digits and dashes. ` +
          "It begins with a letter and does not end with a dash.",
      ),
      cloud_provider: described(
        text,
        `One of ${providers.map(({ id }) => id).join(", ")}. Default: the default provider.`,
      ),
      region: described(text, `Such as ${regions.slice(0, 10).join(", ")}. Default: its default.`),
      multi_az: { type: "boolean" },
      ...(instances.parameters === undefined ? {} : { parameters: instances.parameters }),
    },
    ["name"],
  );
}

export const pageFields: JsonObject = {
  page: described({ type: "integer" }, "The number of the page, from 1. Default: 1."),
  size: described(
    { type: "integer" },
    `Items of a page. Default: ${fleetLimits.defaultPageSize}. ` +
      `Negative or more than ${fleetLimits.maxPageSize}: ${fleetLimits.maxPageSize}.`,
  ),
};

export const asyncField: JsonObject = {
  async: described({ type: "boolean" }, "Must be true: the work continues after the answer."),
};

/** A reference to an object of the API. */
export const referenceSchema: JsonObject = objectSchema({ id: text, kind: text, href: text });
