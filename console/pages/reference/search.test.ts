import assert from "node:assert/strict";
import { test } from "node:test";
import type { Operation } from "./document.ts";
import { byTag, matching } from "./search.ts";

function operation(id: string, tag: string, summary: string): Operation {
  const [method = "", path = ""] = id.split(" ");
  const parts = { parameters: [], bodies: [], answers: [], isDeprecated: false, description: "" };
  return { id, method, path, tag, summary, ...parts };
}

const operations = [
  operation("GET /api/v1/counts", "State", "Count resources by kind and state."),
  operation("POST /api/v1/rollback/{kind}/{name}", "History", "Write an earlier revision."),
  operation("GET /api/v1/problems", "State", "Group the resources that are not ready."),
];

test("a search finds operations that contain every word", () => {
  assert.deepEqual(
    matching(operations, "get RESOURCES").map(({ path }) => path),
    ["/api/v1/counts", "/api/v1/problems"],
  );
  assert.equal(matching(operations, "  ").length, 3);
});

test("operations are grouped by their tag, in the order of the document", () => {
  assert.deepEqual(
    byTag(operations).map(({ tag, operations: found }) => [tag, found.length]),
    [
      ["State", 2],
      ["History", 1],
    ],
  );
});
