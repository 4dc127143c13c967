// The OpenAPI document of a running server, checked by a validator of others.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import SwaggerParser from "@apidevtools/swagger-parser";
import { pick, startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";

let server: KubeServer;
before(async () => {
  server = await startKubeServer();
});
after(async () => {
  await server.stop();
});

test("the OpenAPI document is valid, and has every route", async () => {
  const { status, json, headers } = await server.request("GET", "/api/v1/openapi.json");
  assert.equal(status, 200);
  assert.match(String(headers.etag), /^"[0-9a-f]{16}"$/);
  const api = await SwaggerParser.validate(structuredClone(json) as never);
  const paths = Object.keys(api.paths ?? {});
  assert.ok(paths.includes("/api/v1/history/{kind}/{name}"), paths.join(" "));
  assert.ok(paths.includes("/api/v1/doc"));
  const { json: page } = await server.request("GET", "/api/v1/openapi.json");
  assert.equal(pick(page, "openapi"), "3.1.0");
});
