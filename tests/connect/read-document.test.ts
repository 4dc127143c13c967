// Documents that a server has: read over HTTP, within the origin.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { documentReader } from "../../src/modules/connect/document/read-document.ts";
import { importDocument } from "../../src/modules/connect/import/import-document.ts";
import { sampleDns } from "../connect-documents/sample-dns.ts";

const openHttp = httpWith(systemTimers);

test("files of a server are read there alone, and redirects stay where they are", async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (request.url === "/moved.json") response.writeHead(302, { location: "/types.json" }).end();
    else if (request.url === "/away.json") {
      response.writeHead(302, { location: "http://localhost:1/x.json" }).end();
    } else if (request.url === "/types.json") response.end('{"A": {"type": "string"}}');
    else if (request.url === "/broken.json") response.writeHead(500).end();
    else response.end(JSON.stringify(sampleDns));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = documentReader(`${base}/openapi.json`, openHttp);
  assert.equal(await read(`${base}/moved.json`), '{"A": {"type": "string"}}');
  await assert.rejects(read(`${base}/away.json`), /another origin, http:\/\/localhost:1/);
  await assert.rejects(read(`${base}/broken.json`), /returned status 500/);
  const { kinds } = await importDocument({
    document: `${base}/openapi.json`,
    baseUrl: base,
    allowed: [],
    openHttp,
    target: { kind: "none" },
  });
  assert.equal(kinds.length, 4);
  const wrong = { document: `${base}/broken.json`, baseUrl: base, allowed: [], openHttp };
  await assert.rejects(importDocument({ ...wrong, target: { kind: "none" } }), {
    code: "config.invalid",
    message: `${base}/broken.json cannot be read: the server returned status 500`,
  });
  assert.deepEqual(asked, [
    "/moved.json",
    "/types.json",
    "/away.json",
    "/broken.json",
    "/openapi.json",
    "/broken.json",
  ]);
});

test("credentials reach the server of the document, no other server and no message", async (t) => {
  const seen: string[] = [];
  const serve = async (answer: (path: string) => string): Promise<string> => {
    const server = createServer((request, response) => {
      const { authorization = "none" } = request.headers;
      seen.push(`${request.url ?? ""} ${authorization}`);
      const isRefused = request.url === "/openapi.json" && authorization !== "Bearer only-a-test";
      if (isRefused) response.writeHead(401).end();
      else response.end(answer(request.url ?? ""));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const other = await serve(() => '{"Thing": {"type": "object"}}');
  const extra = { "x-more": { $ref: `${other}/types.json#/Thing` } };
  const base = await serve(() => JSON.stringify({ ...sampleDns, ...extra }));
  const input = {
    document: `${base}/openapi.json`,
    baseUrl: base,
    allowed: [other],
    openHttp,
    target: { kind: "none" },
  } as const;
  await assert.rejects(importDocument(input), /returned status 401/);
  const documentHeaders = { authorization: "Bearer only-a-test" };
  const { kinds, report } = await importDocument({ ...input, documentHeaders });
  assert.equal(kinds.length, 4);
  assert.ok(!report.includes("only-a-test"));
  assert.deepEqual(seen, [
    "/openapi.json none",
    "/openapi.json Bearer only-a-test",
    "/types.json none",
  ]);
  const two = { ...input, documentHeaders, more: [`${other}/openapi.json`] };
  await assert.rejects(importDocument(two), /need documents that one server has/);
  const named = { ...input, document: `${base.replace("//", "//ann:only-a-test@")}/openapi.json` };
  await assert.rejects(
    importDocument(named),
    (error: Error) =>
      /must not have credentials/.test(error.message) && !error.message.includes("only-a-test"),
  );
});
