// A service for tests in the manner of the Azure Resource Manager: objects are made at their own
// address, reading and writing share one schema, and annotations say what is what.

import type { Json, JsonObject } from "../../src/kernel/json.ts";

const text: JsonObject = { type: "string" };
const version: JsonObject = { name: "api-version", in: "query", required: true, type: "string" };
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const ok = (schema: Json): JsonObject => ({ "200": { schema } });
const body = (name: string): readonly Json[] => [
  version,
  { in: "body", name: "body", schema: ref(name) },
];

const item = (name: string): JsonObject => ({
  get: { parameters: [version], responses: ok(ref(name)) },
  put: {
    parameters: body(name),
    responses: { ...ok(ref(name)), "201": { schema: ref(name) } },
    "x-ms-long-running-operation": true,
  },
  delete: { parameters: [version], responses: { "204": {} } },
});

const group = "/subscriptions/{subscriptionId}/resourceGroups/{group}/providers/My.Bakery";

export const sampleArm = {
  swagger: "2.0",
  info: { title: "Bakery", version: "2026-01-01" },
  host: "management.example.com",
  paths: {
    [`${group}/ovens`]: {
      get: {
        parameters: [version],
        "x-ms-pageable": { nextLinkName: "nextLink" },
        responses: ok({
          properties: { value: { type: "array", items: ref("Oven") }, nextLink: text },
        }),
      },
    },
    [`${group}/ovens/{ovenName}`]: {
      ...item("Oven"),
      patch: { parameters: body("OvenUpdate"), responses: ok(ref("Oven")) },
    },
    // The same parameters by other names, and another case, as one finds them.
    "/subscriptions/{sub}/resourcegroups/{rg}/providers/My.Bakery/ovens/{oven}/trays/{trayName}":
      item("Tray"),
    [`${group}/ovens/{ovenName}/settings/default`]: item("Tray"),
    "/subscriptions/{subscriptionId}/providers/My.Bakery/regions/{region}/rules/{rule}":
      item("Tray"),
  },
  definitions: {
    Oven: {
      "x-ms-azure-resource": true,
      required: ["location"],
      properties: {
        id: { type: "string", readOnly: true },
        name: { type: "string", readOnly: true },
        location: { type: "string", "x-ms-mutability": ["create", "read"] },
        tags: { type: "object", additionalProperties: text },
        properties: { "x-ms-client-flatten": true, ...ref("OvenProperties") },
      },
    },
    OvenUpdate: { properties: { tags: { type: "object", additionalProperties: text } } },
    OvenProperties: {
      properties: {
        state: { type: "string", readOnly: true },
        health: { ...ref("Health"), readOnly: true },
        password: { type: "string", "x-ms-secret": true },
        speed: { type: "integer", default: 3, maximum: 10, exclusiveMaximum: true },
        mode: { type: "string", enum: ["a"], "x-ms-enum": { name: "Mode", modelAsString: true } },
        size: { type: "string", enum: ["small", "large"] },
        heating: ref("Heating"),
        recipe: ref("Recipe"),
        racks: {
          type: "array",
          "x-ms-identifiers": ["slot"],
          items: { properties: { slot: text, load: text } },
        },
      },
    },
    Health: { properties: { since: text } },
    Heating: { discriminator: "type", required: ["type"], properties: { type: text } },
    Electric: {
      "x-ms-discriminator-value": "Electric",
      allOf: [ref("Heating")],
      properties: { watts: { type: "integer" } },
    },
    Gas: {
      "x-ms-discriminator-value": "Gas",
      allOf: [ref("Heating")],
      properties: { pressure: { type: "number" } },
    },
    Recipe: { properties: { title: text, part: ref("Recipe") } },
    Tray: {
      properties: {
        id: { type: "string", readOnly: true },
        properties: { properties: { depth: text } },
      },
    },
  },
} satisfies JsonObject;
