import assert from "node:assert/strict";
import { test } from "node:test";
import { commandMessage, curlCommand } from "./command.ts";
import { readApiDocument } from "./document.ts";

const document = readApiDocument({
  info: {},
  paths: {
    "/api/v1/rollback/{kind}/{name}": {
      post: {
        parameters: [
          { name: "kind", in: "path", required: true, schema: { type: "string" } },
          { name: "name", in: "path", required: true, schema: { type: "string" } },
          { name: "api-version", in: "query", required: true, schema: { type: "string" } },
          { name: "namespace", in: "query", schema: { type: "string" } },
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["to"],
                properties: { to: { type: "integer", minimum: 1 }, dryRun: { type: "boolean" } },
              },
            },
          },
        },
        responses: {},
      },
    },
  },
});
const [operation] = document.operations;

test("a command has what the operation requires, and names in place of values", () => {
  assert.ok(operation !== undefined);
  assert.equal(
    curlCommand("https://127.0.0.1:7443", operation),
    [
      'curl --cacert ca.crt --header "authorization: Bearer $TOKEN"',
      "--request POST",
      '--header "content-type: application/json" --data @body.json',
      '"https://127.0.0.1:7443/api/v1/rollback/KIND/NAME?api-version=API_VERSION"',
    ].join(" \\\n  "),
  );
});

test("a message of the bus has the required fields of its command", () => {
  assert.ok(operation !== undefined);
  assert.deepEqual(JSON.parse(commandMessage(document, operation)), {
    path: { kind: "KIND", name: "NAME" },
    query: { "api-version": "API_VERSION" },
    data: { to: 1 },
  });
});
