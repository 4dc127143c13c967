import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallJson, JsonAnswer, JsonCall } from "../port.ts";
import { failed } from "./answers.ts";
import { serve } from "./harness.ts";
import type { TestServer } from "./harness.ts";

function callOf({ origin }: TestServer, more: Partial<JsonCall> = {}): JsonCall {
  return {
    method: "GET",
    url: new URL(`${origin}/a/b?c=d`),
    timeoutMs: 60_000,
    maxBytes: 10_000,
    signal: new AbortController().signal,
    ...more,
  };
}

function parsed(result: Awaited<ReturnType<CallJson>>): JsonAnswer {
  assert.ok(result.kind === "json");
  return result;
}

export function jsonCallContract(call: CallJson): void {
  test("a JSON call sends a document and returns the parsed answer of any status", async () => {
    await using server = await serve((request, response, body) => {
      const { method, url, headers } = request;
      const seen = [method, url, headers["content-type"], headers["x-key"], body.toString("utf8")];
      response.writeHead(409, { "retry-after": "7" }).end(JSON.stringify(seen));
    });
    const sent = { method: "PATCH", headers: { "x-key": "k" }, body: { a: [1] } };
    const { status, headers, json } = parsed(await call(callOf(server, sent)));
    assert.deepEqual([status, headers["retry-after"]], [409, "7"]);
    assert.deepEqual(json, ["PATCH", "/a/b?c=d", "application/json", "k", '{"a":[1]}']);
  });

  test("an empty answer has no document, and neither has an error that is a page", async () => {
    await using server = await serve((request, response) => {
      if (request.method === "GET") response.writeHead(204).end();
      else response.writeHead(502).end("<h1>Bad Gateway</h1>");
    });
    assert.equal(parsed(await call(callOf(server))).json, undefined);
    const { status, json } = parsed(await call(callOf(server, { method: "DELETE" })));
    assert.deepEqual([status, json], [502, undefined]);
  });

  test("a success that is not JSON, or is nested too deeply, is a failure", async () => {
    const bodies = ["<h1>Welcome</h1>", "{", `${"[".repeat(2_000)}${"]".repeat(2_000)}`];
    await using server = await serve((_, response) => response.end(bodies.shift()));
    while (bodies.length > 0) {
      const { reason, message } = failed(await call(callOf(server)));
      assert.deepEqual([reason, message], ["invalid", "the response is not JSON"]);
    }
  });

  test("a JSON call does not follow redirects, and keeps its limits of size and time", async () => {
    await using server = await serve(({ method }, response) => {
      if (method === "PUT") response.writeHead(302, { location: "/elsewhere" }).end();
      else if (method === "GET") response.end(JSON.stringify("x".repeat(20_000)));
    });
    assert.equal(parsed(await call(callOf(server, { method: "PUT" }))).status, 302);
    assert.equal(failed(await call(callOf(server))).reason, "tooLarge");
    const slow = failed(await call(callOf(server, { method: "POST", timeoutMs: 50 })));
    assert.deepEqual([slow.reason, slow.isUnsent], ["timeout", false]);
    assert.equal(server.seen.length, 3);
  });
}
