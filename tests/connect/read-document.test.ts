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
