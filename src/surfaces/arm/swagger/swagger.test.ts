import assert from "node:assert/strict";
import { test } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import { kindRegistry } from "../../../intents/kinds/registry.ts";
import { servedKind } from "../../../intents/kinds/served-kind.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { ArmFace } from "../../../modules/resource-provider/faces/arm-face.ts";
import { isJsonArray, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt, valueAt } from "../../../kernel/json-read.ts";
import { defineKind } from "../../../kernel/kind.ts";
import { getAt, parsePointer } from "../../../kernel/pointer.ts";
import { armFaces } from "../../../modules/resource-provider/faces/faces.ts";
import type { ArmFaces } from "../../../modules/resource-provider/faces/faces.ts";
import { swaggerDocuments, swaggerOf } from "./swagger.ts";
import { swaggerSchema } from "./swagger-schema.ts";

type ParsedDocument = Parameters<SwaggerParser["validate"]>[0];

const rule = "x-setpoint-field-rule";
const schema: JsonObject = {
  type: "object",
  description: "A shop.",
  required: ["size", "url"],
  properties: {
    size: { type: "integer", minimum: 1, default: 3 },
    url: { type: "string", [rule]: "read-only" },
    domain: { type: "string", [rule]: "create-only" },
    colour: { type: "string", enum: ["red", "blue"] },
    principal: {
      type: "object",
      properties: { secret: { type: "string", [rule]: "secret" } },
    },
    labels: { type: "object", additionalProperties: { type: "string" } },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [{ rule: "self.size < 100" }],
};
const face: ArmFace = {
  kind: "shops.example.com",
  provider: "Example.Shop",
  type: "shops",
  locations: ["West Europe"],
  versions: [
    {
      apiVersion: "2026-01-01",
      schema,
      examples: { "A small shop": { size: 1, principal: { secret: "hidden" } } },
    },
    { apiVersion: "2026-02-02-preview", schema, isAdmin: true },
  ],
  actions: [
    {
      name: "listKeys",
      perform: () => ({}),
      outputSchema: { type: "object", properties: { key: { type: "string", [rule]: "secret" } } },
    },
    { name: "rotateKeys", change: () => ({}), perform: () => ({}) },
  ],
};
const shelves: ArmFace = {
  ...face,
  kind: "shelves.example.com",
  type: "shops/shelves",
  versions: [{ apiVersion: "2026-01-01", schema }],
};
const place = { provider: "Example.Shop", apiVersion: "2026-01-01" };
const document = swaggerOf([face, shelves], place);
const inSubscription = "/subscriptions/{subscriptionId}/providers/Example.Shop";
const inGroup =
  "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/Example.Shop";

test("the paths are those that are served", () => {
  assert.deepEqual(Object.keys(objectAt(document, "paths")), [
    "/providers/Example.Shop/operations",
    `${inSubscription}/checkNameAvailability`,
    `${inSubscription}/locations/{location}/checkNameAvailability`,
    `${inSubscription}/locations/{location}/operationsStatus/{operationId}`,
    `${inSubscription}/locations/{location}/operationResults/{operationId}`,
    `${inSubscription}/shops`,
    `${inGroup}/shops`,
    `${inGroup}/shops/{shopName}`,
    `${inGroup}/shops/{shopName}/listKeys`,
    `${inGroup}/shops/{shopName}/rotateKeys`,
    `${inGroup}/shops/{shopName}/shelves`,
    `${inGroup}/shops/{shopName}/shelves/{shelveName}`,
    `${inGroup}/shops/{shopName}/shelves/{shelveName}/listKeys`,
    `${inGroup}/shops/{shopName}/shelves/{shelveName}/rotateKeys`,
  ]);
});

test("field rules are said as generators of clients expect them", () => {
  const fields = objectAt(document, "definitions", "ShopsProperties", "properties");
  assert.deepEqual(fields["url"], { type: "string", readOnly: true });
  assert.deepEqual(fields["domain"], { type: "string", "x-ms-mutability": ["create", "read"] });
  assert.deepEqual(valueAt(fields, "principal", "properties", "secret"), {
    type: "string",
    "x-ms-secret": true,
    "x-ms-mutability": ["create", "update"],
  });
  assert.deepEqual(valueAt(fields, "colour", "x-ms-enum"), {
    name: "ShopsPropertiesColour",
    modelAsString: true,
  });
  assert.equal(valueAt(fields, "free", "additionalProperties"), true);
  assert.ok("provisioningState" in fields);
  assert.deepEqual(valueAt(document, "definitions", "ShopsProperties", "required"), ["size"]);
  const update = objectAt(document, "definitions", "ShopsUpdateProperties");
  assert.ok(!("required" in update));
  assert.ok(!JSON.stringify(document).includes("x-kubernetes"));
});

test("writes are long-running and lists have pages", () => {
  const one = objectAt(document, "paths", `${inGroup}/shops/{shopName}`);
  for (const verb of ["put", "patch", "delete"]) {
    assert.equal(valueAt(one, verb, "x-ms-long-running-operation"), true);
  }
  const list = objectAt(document, "paths", `${inGroup}/shops`, "get");
  assert.deepEqual(list["x-ms-pageable"], { nextLinkName: "nextLink" });
  const names = objectsAt(list, "parameters").flatMap(({ $ref: name }) => name ?? []);
  assert.deepEqual(names.slice(-2), [
    "#/parameters/TopParameter",
    "#/parameters/SkipTokenParameter",
  ]);
});

test("a nested type has tags and need not have a location, as the server has it", () => {
  const definition = (name: string): JsonObject => objectAt(document, "definitions", name);
  assert.deepEqual(definition("Shops")["allOf"], [{ $ref: "#/definitions/TrackedResource" }]);
  assert.deepEqual(definition("ShopsShelves")["allOf"], [{ $ref: "#/definitions/NestedResource" }]);
  const fields = ["location", "tags"];
  assert.deepEqual(Object.keys(objectAt(definition("NestedResource"), "properties")), fields);
  assert.equal(definition("NestedResource")["required"], undefined);
  assert.deepEqual(definition("TrackedResource")["required"], ["location"]);
  for (const name of ["ShopsUpdate", "ShopsShelvesUpdate"]) {
    assert.deepEqual(Object.keys(objectAt(definition(name), "properties")), ["tags", "properties"]);
  }
});

test("a change has no field that is fixed, takes away by null, and has whole lists", () => {
  const part = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", [rule]: "create-only" },
      size: { type: "integer", default: 1 },
    },
  };
  const given = {
    type: "object",
    required: ["kind", "count"],
    properties: {
      kind: { type: "string" },
      count: { type: "integer", default: 2 },
      url: { type: "string", [rule]: "read-only" },
      domain: { type: "string", [rule]: "create-only" },
      part,
      parts: { type: "array", items: part },
    },
  };
  const name = { type: "string", "x-ms-mutability": ["create", "read"] };
  const size = { type: "integer", default: 1 };
  assert.deepEqual(objectAt(swaggerSchema(given, { name: "Shop", isPatch: true }), "properties"), {
    kind: { type: "string" },
    count: { type: "integer", "x-nullable": true },
    url: { type: "string", readOnly: true },
    part: {
      type: "object",
      properties: { size: { type: "integer", "x-nullable": true } },
      "x-nullable": true,
    },
    parts: {
      type: "array",
      items: { type: "object", properties: { name, size }, required: ["name"] },
      "x-ms-identifiers": [],
      "x-nullable": true,
    },
  });
});

test("an action is long-running when it says so", () => {
  const action = (name: string): JsonObject =>
    objectAt(document, "paths", `${inGroup}/shops/{shopName}/${name}`, "post");
  assert.deepEqual(Object.keys(objectAt(action("listKeys"), "responses")), [
    "200",
    "204",
    "default",
  ]);
  assert.equal(action("listKeys")["x-ms-long-running-operation"], undefined);
  const rotate = action("rotateKeys");
  assert.deepEqual(Object.keys(objectAt(rotate, "responses")), ["200", "202", "204", "default"]);
  assert.equal(rotate["x-ms-long-running-operation"], true);
  assert.ok("Location" in objectAt(rotate, "responses", "202", "headers"));
});

test("what an action answers can be read, secrets too, and nothing in it is written", () => {
  const secret = { type: "string", "x-setpoint-field-rule": "secret" };
  const once = { type: "string", "x-setpoint-field-rule": "read-only" };
  const outputSchema = { type: "object", required: ["since"], properties: { secret, since: once } };
  const listKeys = { name: "listKeys", outputSchema, perform: () => ({}) };
  const path = `${inGroup}/shops/{shopName}/listKeys`;
  const told = swaggerOf([{ ...face, actions: [listKeys] }], place);
  const { $ref: named } = objectAt(told, "paths", path, "post", "responses", "200", "schema");
  const answer =
    typeof named === "string"
      ? getAt(told, parsePointer(named.slice(1)))
      : objectAt(told, "paths", path, "post", "responses", "200", "schema");
  assert.deepEqual(objectAt(answer, "properties"), {
    secret: { type: "string", "x-ms-secret": true },
    since: { type: "string" },
  });
  assert.deepEqual(valueAt(answer, "required"), ["since"]);
});

test("examples are found beside the document, and show no secrets in answers", () => {
  const put = objectAt(document, "paths", `${inGroup}/shops/{shopName}`, "put");
  const { $ref: reference } = objectAt(put, "x-ms-examples", "A small shop");
  assert.equal(reference, "./2026-01-01/examples/Shops_CreateOrUpdate_1.json");
  const faces = registry();
  faces.put(face);
  const path = "/swagger/Example.Shop/2026-01-01/examples/Shops_CreateOrUpdate_1.json";
  const example = swaggerDocuments(faces).find(path, false);
  assert.ok(example !== undefined);
  assert.match(JSON.stringify(example["parameters"]), /hidden/);
  assert.doesNotMatch(JSON.stringify(example["responses"]), /hidden/);
  assert.equal(swaggerDocuments(faces).find(`${path}x`, false), undefined);
});

test("the document is a valid one for those who know nothing of us", async () => {
  // Its examples are other documents, which nobody serves here.
  const text = JSON.stringify(document, (key, value: Json) =>
    key === "x-ms-examples" ? undefined : value,
  );
  const given = JSON.parse(text) as ParsedDocument;
  assert.ok(await new SwaggerParser().validate(given));
});

test("each reference leads somewhere, each operation has an id of its own", () => {
  const references: string[] = [];
  const ids: string[] = [];
  visit(document, (node) => {
    const { $ref: reference } = node;
    if (typeof reference === "string" && !reference.startsWith("./")) references.push(reference);
    if (typeof node["operationId"] === "string") ids.push(node["operationId"]);
  });
  for (const reference of references) {
    assert.ok(getAt(document, parsePointer(reference.slice(1))) !== undefined, reference);
  }
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 20);
});

test("each name in a path is a parameter of all its operations", () => {
  for (const [path, item] of Object.entries(objectAt(document, "paths"))) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const operation of Object.values(item as JsonObject)) {
      const given = (valueAt(operation, "parameters") as readonly JsonObject[]).map((one) => {
        const { $ref: reference } = one;
        const whole =
          typeof reference === "string" ? getAt(document, parsePointer(reference.slice(1))) : one;
        return whole as JsonObject;
      });
      const inPath = given.filter((one) => one["in"] === "path").map(({ name }) => name);
      assert.deepEqual(inPath, names);
    }
  }
});

test("documents are listed and found; those for operators by them alone", () => {
  const faces = registry();
  const documents = swaggerDocuments(faces);
  assert.deepEqual(documents.find("/swagger", false), { value: [] });
  faces.put(face);
  const path = "/swagger/Example.Shop/2026-01-01.json";
  assert.deepEqual(documents.find("/swagger", false), { value: [{ ...place, path }] });
  assert.equal(objectsAt(documents.find("/swagger", true), "value").length, 2);
  assert.equal(documents.find(path, false), documents.find(path.toLowerCase(), false));
  const admin = "/swagger/Example.Shop/2026-02-02-preview.json";
  assert.equal(documents.find(admin, false), undefined);
  assert.ok(documents.find(admin, true) !== undefined);
  faces.remove("Example.Shop", "shops");
  assert.equal(documents.find(path, true), undefined);
});

function visit(node: Json, see: (object: JsonObject) => void): void {
  if (isJsonArray(node)) for (const item of node) visit(item, see);
  if (!isJsonObject(node)) return;
  see(node);
  for (const inner of Object.values(node)) visit(inner, see);
}

function registry(): ArmFaces {
  return armFaces(kindRegistry([served("shops"), served("shelves")]));
}

function served(plural: string): ServedKind {
  const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const whole = { type: "object", properties: { spec } };
  const version = { name: "v1", served: true, storage: true, schema: whole };
  const names = { plural, kind: plural.slice(0, 1).toUpperCase() + plural.slice(1) };
  const scope = "Namespaced";
  return servedKind({
    kind: defineKind({ group: "example.com", names, scope, versions: [version] }),
  });
}
