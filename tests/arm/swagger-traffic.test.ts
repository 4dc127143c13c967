import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { swaggerProblems } from "./swagger-traffic.ts";

const document: JsonObject = {
  paths: {
    "/a/{name}": {
      put: {
        parameters: [{ in: "body", required: true, schema: { $ref: "#/definitions/Thing" } }],
        responses: {
          200: { schema: { $ref: "#/definitions/Thing" } },
          default: { schema: { $ref: "#/definitions/ErrorResponse" } },
        },
      },
    },
  },
  definitions: {
    Base: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
    Thing: {
      type: "object",
      allOf: [{ $ref: "#/definitions/Base" }],
      properties: {
        code: { type: "string", pattern: "^[a-z]+$", maxLength: 3 },
        size: { type: "integer", minimum: 1, maximum: 9 },
        pin: { type: "string", "x-ms-secret": true },
        tags: { type: "object", additionalProperties: { type: "string" } },
      },
    },
    ErrorResponse: { type: "object", properties: { error: { type: "object" } } },
  },
};

function problems(sent: Json, received: Json, status = 200): readonly string[] {
  return swaggerProblems(document, { method: "PUT", path: "/A/one", sent, status, received });
}

const good = { id: "x", code: "abc", size: 3, tags: { any: "text" } };

test("an exchange that the document allows has no problems", () => {
  assert.deepEqual(problems({ ...good, pin: "1", unknown: true, size: null }, good), []);
  assert.deepEqual(problems({ code: 3 }, { error: {} }, 400), []);
});

test("what is answered beyond the document is a problem", () => {
  assert.deepEqual(problems(good, { ...good, odd: 1 }), ["received.odd: is not declared"]);
  assert.deepEqual(problems(good, { ...good, pin: "1" }), ["received.pin: shows a secret"]);
  assert.deepEqual(problems(good, { ...good, tags: { a: 1 } }), ["received.tags.a: is no string"]);
  assert.deepEqual(problems(good, { size: 0, code: "ABCD" }), [
    "received.id: is required",
    "received.size: is beyond minimum",
    "received.code: is beyond pattern",
    "received.code: is beyond maxLength",
  ]);
  assert.deepEqual(problems(good, good, 201), ["the status 201 is not named"]);
});

test("what is accepted beyond the document is a problem", () => {
  assert.deepEqual(problems({ ...good, size: 10 }, good), ["sent.size: is beyond maximum"]);
});

test("what is no operation may only be refused, in the envelope of errors", () => {
  const one = { method: "POST", path: "/a/one", sent: undefined };
  const told = (status: number, received: Json): readonly string[] =>
    swaggerProblems(document, { ...one, status, received });
  assert.deepEqual(told(405, { error: {} }), []);
  assert.deepEqual(told(405, { kind: "Status" }), ["received.kind: is not declared"]);
  assert.deepEqual(told(200, {}), ["POST /a/one is no operation"]);
});
