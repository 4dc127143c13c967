import assert from "node:assert/strict";
import { test } from "node:test";
import { readApiDocument } from "./document.ts";
import { fieldsOf, ruleText, typeText } from "./schema.ts";

const openApi = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://shop.example/api/" }],
  paths: {
    "/orders/{id}": {
      parameters: [{ $ref: "#/components/parameters/Id" }],
      patch: {
        summary: "Change an order.",
        tags: ["Orders"],
        "x-setpoint-command": "orders.change",
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
        },
        responses: { 200: { description: "The order." } },
      },
    },
  },
  components: {
    parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" } } },
    schemas: {
      Order: {
        type: "object",
        required: ["size"],
        properties: {
          size: { type: "integer", minimum: 1, maximum: 5, default: 2 },
          parts: { type: "array", items: { $ref: "#/components/schemas/Order" } },
        },
      },
    },
  },
};

test("an operation of OpenAPI has the parameters of its path, its body and its command", () => {
  const [operation, ...more] = readApiDocument(openApi).operations;
  assert.ok(operation !== undefined && more.length === 0);
  assert.equal(operation.id, "PATCH /api/orders/{id}");
  assert.equal(operation.command, "orders.change");
  assert.deepEqual(
    operation.parameters.map(({ name, place, isRequired }) => [name, place, isRequired]),
    [["id", "path", true]],
  );
  const [body] = operation.bodies;
  assert.ok(body !== undefined);
  const [size, parts] = fieldsOf(openApi, body.schema);
  assert.deepEqual([size?.name, size?.isRequired], ["size", true]);
  assert.equal(typeText(openApi, parts?.schema ?? {}), "list of Order");
  assert.equal(ruleText(openApi, size?.schema ?? {}), "default 2; 1 to 5");
});

test("LOCK, which is an extension, is an operation", () => {
  const paths = { "/state": { "x-lock": { summary: "Lock.", responses: {} }, "x-other": {} } };
  assert.deepEqual(
    readApiDocument({ info: {}, paths }).operations.map(({ id }) => id),
    ["LOCK /state"],
  );
});

test("an operation of Swagger 2 has the body that is a parameter", () => {
  const { operations } = readApiDocument({
    swagger: "2.0",
    info: {},
    consumes: ["application/json"],
    paths: {
      "/widgets": {
        put: {
          description: "Creates a widget. It may take minutes.",
          parameters: [
            { name: "api-version", in: "query", required: true, type: "string" },
            { name: "body", in: "body", schema: { $ref: "#/definitions/Widget" } },
          ],
          responses: { 200: { description: "OK", schema: { $ref: "#/definitions/Widget" } } },
        },
      },
    },
    definitions: { Widget: { type: "object", properties: { a: { type: "string" } } } },
  });
  const [put] = operations;
  assert.equal(put?.summary, "Creates a widget.");
  assert.deepEqual(
    put.parameters.map(({ name }) => name),
    ["api-version"],
  );
  assert.deepEqual(
    [put.bodies[0]?.type, put.answers[0]?.bodies[0]?.schema],
    ["application/json", { $ref: "#/definitions/Widget" }],
  );
});

test("a schema that refers to itself has a type and fields", () => {
  const root = {
    components: { schemas: { Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] } } },
  };
  const schema = { $ref: "#/components/schemas/Loop" };
  assert.equal(typeText(root, schema), "Loop");
  assert.deepEqual(fieldsOf(root, schema), []);
});
