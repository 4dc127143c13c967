// Mistakes of callers are 4xx with a short text, and leave no error in the log. Headers and bodies
// are random and include the names that the server gives a meaning to.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import * as fc from "fast-check";
import { configMaps, createSamples, widgets } from "./samples.ts";
import { pick, pickText, startKubeServer } from "./server.ts";
import type { KubeServer, RequestHeaders } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
  await createSamples(server);
});

after(async () => {
  await server.stop();
  assert.deepEqual(server.errors, []);
});

it("impersonation of a group without a user is a short 400, with or without a token", async () => {
  const asked: readonly RequestHeaders[] = [
    { "impersonate-group": "x".repeat(8_000) },
    { "impersonate-group": Array.from({ length: 50 }, (_, n) => `group-${n}`) },
    { "impersonate-uid": "y" },
    { "impersonate-extra-scopes": "z".repeat(4_000) },
    { "impersonate-extra-": "" },
  ];
  for (const headers of asked) {
    for (const authorization of ["", `Bearer ${server.token}`]) {
      const reply = await server.request("GET", "/api", undefined, { ...headers, authorization });
      assert.equal(reply.status, 400, reply.text);
      assert.equal(pick(reply.json, "reason"), "BadRequest");
      assert.match(
        pickText(reply.json, "message"),
        /^requested \[.*\] without impersonating a user$/,
      );
      assert.ok(reply.text.length < 1_000, `${reply.text.length} characters`);
    }
  }
});

it("a flood of requests without valid credentials writes a bounded number of lines", async () => {
  const authorization = `Bearer ${"x".repeat(2_000)}`;
  const path = `/api/v1/${"y".repeat(4_000)}`;
  const first = server.lines.length;
  for (let n = 0; n < 200; n++) {
    const { status } = await server.request("GET", path, undefined, { authorization });
    assert.equal(status, 401);
  }
  const lines = server.lines.slice(first).filter((line) => line.includes("not authenticated"));
  // Two windows, if the first one ends meanwhile; far from one line for each request.
  assert.ok(lines.length > 0 && lines.length <= 100, String(lines.length));
  for (const line of lines) assert.ok(line.length < 2_000, line);
});

const identity = "/apis/authentication.k8s.io/v1/tokenreviews";
const access = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
const tokens = "/api/v1/namespaces/default/serviceaccounts/default/token";
const protobuf = "application/vnd.kubernetes.protobuf";

it("a review with a value of a wrong type is a 400, whatever form the caller accepts", async () => {
  for (const accept of ["application/json", "application/yaml", protobuf]) {
    const body = { spec: { token: "t", audiences: "text" } };
    const { status, text } = await server.request("POST", identity, body, { accept });
    assert.equal(status, 400, text);
    const what =
      "json: cannot unmarshal string into Go struct field TokenReviewSpec.spec.audiences";
    assert.ok(text.includes(`${what} of type []string`), text);
  }
  for (const path of [access, tokens]) {
    const { status, text } = await server.request(
      "POST",
      path,
      { spec: [1] },
      { accept: protobuf },
    );
    assert.equal(status, 400, text);
  }
});

const json = fc.jsonValue({ maxDepth: 3 });

it("no review makes the server fail", async () => {
  const fields = fc.constantFrom("token", "audiences", "user", "groups", "extra", "uid");
  const more = fc.constantFrom("resourceAttributes", "nonResourceAttributes", "boundObjectRef");
  const spec = fc.dictionary(fc.oneof(fields, more), json);
  const reviews = fc.record({ spec: fc.oneof(spec, json), metadata: json }, { requiredKeys: [] });
  const paths = fc.constantFrom(identity, access, tokens);
  const accepts = fc.constantFrom("application/json", protobuf);
  const ask = async (path: string, body: unknown, accept: string): Promise<void> => {
    const { status, text } = await server.request("POST", path, body, { accept });
    assert.ok(status < 500, `${path} ${JSON.stringify(body)}: ${text}`);
  };
  await fc.assert(fc.asyncProperty(paths, fc.oneof(reviews, json), accepts, ask), { numRuns: 300 });
});

it("no header makes the server fail", async () => {
  const names = fc.constantFrom(
    "impersonate-user",
    "impersonate-group",
    "impersonate-uid",
    "impersonate-extra-%zz",
    "impersonate-__proto__",
    "authorization",
    "content-type",
    "content-encoding",
    "accept",
    "accept-encoding",
    "traceparent",
    "tracestate",
    "x-forwarded-for",
    "user-agent",
    "if-match",
    "if-none-match",
    "idempotency-key",
    "x-ms-correlation-request-id",
    "range",
    "origin",
    "te",
  );
  const texts = fc.oneof(
    fc.constantFrom("", "*", "null", "[]", "Bearer ", "Basic eA==", "system:masters", "gzip", "-1"),
    fc.string({ unit: "grapheme-ascii", maxLength: 20 }),
    fc.integer({ min: 1, max: 4_000 }).map((length) => "x".repeat(length)),
  );
  const headers = fc.dictionary(names, texts, { minKeys: 1, maxKeys: 5 });
  const methods = fc.constantFrom("GET", "PUT", "POST", "PATCH");
  const paths = fc.constantFrom(
    `${widgets}/a`,
    `${configMaps}/cm1`,
    configMaps,
    identity,
    "/api/v1/problems",
    "/apis",
    "/metrics",
  );
  const bodies = fc.oneof(json, fc.string({ maxLength: 30 }));
  const ask = async (
    method: string,
    path: string,
    given: RequestHeaders,
    body: unknown,
  ): Promise<void> => {
    const sent = method === "GET" ? undefined : body;
    const { status, text } = await server.request(method, path, sent, given);
    assert.ok(status < 500, `${method} ${path} ${JSON.stringify(given)}: ${status} ${text}`);
    assert.ok(status < 400 || text.length < 20_000, `${text.length} characters`);
  };
  await fc.assert(fc.asyncProperty(methods, paths, headers, bodies, ask), { numRuns: 600 });
});
