import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import type { ApiDescription } from "./api-description.ts";
import { docPage } from "./doc-page.ts";
import { withDocRoutes } from "./doc-routes.ts";
import { openApiDocument, operationId } from "./openapi.ts";
import { restApi } from "./rest-api.ts";
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
  const document = openApiDocument([route], restApi("1.2.3"));
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
    const page = docPage([route], restApi("1.2.3"));
    assert.ok(page.includes('id="postThingsByName"'));
    assert.ok(page.includes("Change &lt;things&gt;."));
    assert.ok(page.includes('id="request.invalid"'));
    assert.ok(
      docPage([{ ...route, summary: "Needs `to`." }], restApi("1")).includes("<code>to</code>."),
    );
  });
});

describe("the documents of an API below a base path", () => {
  const api: ApiDescription = {
    title: "Fruit <1>",
    version: "v1",
    description: "Fruit for `clients`.",
    base: "/api/fruit_mgmt/v1",
    securitySchemes: { openId: { type: "openIdConnect" }, bearer: { type: "http" } },
    schemas: { Apple: { type: "object" } },
    documentLink: "openapi",
    errors: {
      name: "Error",
      schema: { type: "object", properties: { reason: { type: "string" } } },
      mediaType: "application/json",
      description: "An error.",
      text: "Every error has a `reason`.",
      codes: [{ code: "FRUIT-7", status: 404, summary: "No such fruit.", action: "Look again." }],
    },
  };
  const routes = [
    sampleRoute({ path: "/", access: { kind: "public" } }),
    sampleRoute({ path: "/apples/{id}" }),
  ];

  it("have complete paths, the error and the security of the API", () => {
    const document = openApiDocument(routes, api);
    assert.deepEqual(document["info"], {
      title: "Fruit <1>",
      version: "v1",
      description: "Fruit for `clients`.",
    });
    const paths = objectAt(document, "paths");
    assert.deepEqual(Object.keys(paths), ["/api/fruit_mgmt/v1", "/api/fruit_mgmt/v1/apples/{id}"]);
    assert.deepEqual(document["security"], [{ openId: [] }, { bearer: [] }]);
    assert.deepEqual(Object.keys(objectAt(document, "components", "schemas")), ["Apple", "Error"]);
    const root = objectAt(paths, "/api/fruit_mgmt/v1", "get");
    assert.deepEqual(root["security"], []);
    assert.equal(textAt(root, "operationId"), "getRoot");
    const one = objectAt(paths, "/api/fruit_mgmt/v1/apples/{id}", "get");
    assert.equal(textAt(one, "operationId"), "getApplesById");
    assert.deepEqual(objectAt(one, "responses", "default"), {
      description: "An error.",
      content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
    });
  });

  it("are a page with the errors of the API", () => {
    const page = docPage(routes, api);
    assert.ok(page.includes("<title>Fruit &lt;1&gt;</title>"));
    assert.ok(page.includes("<code>GET /api/fruit_mgmt/v1/apples/{id}</code>"));
    assert.ok(page.includes('<a href="openapi">openapi</a>'));
    assert.ok(page.includes("Every error has a <code>reason</code>."));
    assert.ok(page.includes('<tr id="FRUIT-7">'));
    assert.ok(!page.includes("request.invalid"));
  });
});
