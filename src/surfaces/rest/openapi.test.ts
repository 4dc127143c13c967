import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { docPage } from "./doc-page.ts";
import { withDocRoutes } from "./doc-routes.ts";
import { openApiDocument, operationId } from "./openapi.ts";
import { sampleRoute } from "./sample-routes.ts";

const route = sampleRoute({
  method: "POST",
  path: "/api/v1/things/{name}",
  summary: "Change <things>.",
  parameters: { name: "The name." },
  query: { properties: { limit: { type: "integer", description: "How many." } } },
  body: { type: "object", properties: { to: { type: "integer" } } },
  idempotency: "by-key",
  etag: true,
  errors: [412],
});

describe("the OpenAPI document", () => {
  const document = openApiDocument({ routes: [route], version: "1.2.3" });
  const operation: JsonObject = objectAt(document, "paths", "/api/v1/things/{name}", "post");

  it("has one operation for each route, with its parameters", () => {
    assert.equal(document["openapi"], "3.1.0");
    assert.equal(textAt(operation, "operationId"), "postThingsByName");
    const places = objectsAt(operation, "parameters").map((each) => {
      return [textAt(each, "in"), textAt(each, "name")];
    });
    assert.deepEqual(places, [
      ["path", "name"],
      ["query", "limit"],
      ["header", "Idempotency-Key"],
      ["header", "If-Match"],
    ]);
    assert.deepEqual(Object.keys(objectAt(operation, "responses")), ["200", "412", "default"]);
  });

  it("describes itself", () => {
    const routes = withDocRoutes([route], "1.2.3");
    assert.deepEqual(routes.map(operationId), ["postThingsByName", "getOpenapiJson", "getDoc"]);
  });
});

describe("the documentation page", () => {
  it("shows every route, and no markup of its texts", () => {
    const page = docPage([route], "1.2.3");
    assert.ok(page.includes('id="postThingsByName"'));
    assert.ok(page.includes("Change &lt;things&gt;."));
    assert.ok(page.includes('id="request.invalid"'));
    assert.ok(docPage([{ ...route, summary: "Needs `to`." }], "1").includes("<code>to</code>."));
  });
});
