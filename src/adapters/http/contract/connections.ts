import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { OpenHttp } from "../port.ts";
import { answered, failed } from "./answers.ts";
import { get, serve } from "./harness.ts";

export function connectionContract(open: OpenHttp): void {
  test("shared requests keep their connection, and own ones get another", async () => {
    await using server = await serve((_, response) => response.end("x"));
    using http = open();
    for (let turn = 0; turn < 3; turn++) answered(await http.send(get(server, {})));
    assert.equal(server.sockets.length, 1);
    for (let turn = 0; turn < 2; turn++) {
      answered(await http.send(get(server, { method: "POST", connection: "own" })));
    }
    assert.equal(server.sockets.length, 3);
    assert.equal(server.seen.at(-1)?.headers.connection, "close");
    answered(await http.send(get(server, {})));
    assert.equal(server.sockets.length, 3);
  });

  test("no more connections are opened than allowed", async () => {
    await using server = await serve((_, response) => response.end("x"));
    using http = open({ maxConnections: 2 });
    const requests = Array.from({ length: 20 }, () => http.send(get(server, {})));
    for (const each of await Promise.all(requests)) answered(each);
    assert.equal(server.sockets.length, 2);
    assert.equal(server.seen.length, 20);
  });

  test("a failure says whether the server can have read the request", async () => {
    const closed = await serve(() => undefined);
    await closed[Symbol.asyncDispose]();
    await using breaking = await serve(({ socket }) => socket.destroy());
    using http = open();
    for (const connection of ["own", "shared"] as const) {
      const request = { method: "POST", connection, body: "{}" };
      const refused = failed(await http.send(get(closed, request)));
      assert.deepEqual(
        [refused.reason, refused.code, refused.phase, refused.isUnsent],
        ["connection", "ECONNREFUSED", "connecting", true],
      );
      const broken = failed(await http.send(get(breaking, request)));
      assert.deepEqual(
        [broken.reason, broken.code, broken.phase, broken.isUnsent],
        ["connection", "ECONNRESET", "waiting", false],
      );
    }
  });

  test("a request that waited does not get the broken connection of another", async () => {
    let requests = 0;
    await using server = await serve(({ socket }, response) => {
      requests += 1;
      if (requests === 1) socket.destroy();
      else response.end("x");
    });
    using http = open({ maxConnections: 1 });
    const [broken, ...others] = await Promise.all(
      Array.from({ length: 3 }, () => http.send(get(server, {}))),
    );
    assert.equal(broken?.kind, "failure");
    for (const other of others) answered(other);
    assert.equal(server.sockets.length, 2);
  });

  test("an answer that breaks off is a failure", async () => {
    await using server = await serve(({ socket }, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("begun", () => socket.destroy());
    });
    using http = open();
    const { reason, phase } = failed(await http.send(get(server, {})));
    assert.deepEqual([reason, phase], ["connection", "body"]);
  });

  test("an answer that is not HTTP is a failure", async () => {
    await using server = await serve(({ socket }) => socket.end("SSH-2.0-x\r\n"));
    using http = open();
    assert.equal(failed(await http.send(get(server, {}))).reason, "invalid");
  });

  test("a server can be reached by a socket of this machine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "http-"));
    try {
      const path = join(folder, "s:1");
      await using server = await serve((_, response) => response.end("x"), path);
      using http = open();
      const place = { kind: "socket", path } as const;
      for (const connection of ["own", "shared"] as const) {
        answered(await http.send(get(server, { place, connection })));
      }
      const nowhere = { kind: "socket", path: join(folder, "none") } as const;
      assert.equal(failed(await http.send(get(server, { place: nowhere }))).code, "ENOENT");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a request can be sent to another address than its name has", async () => {
    await using server = await serve(({ headers }, response) => response.end(headers.host));
    using http = open();
    const origin = "http://service.invalid:81";
    const connectTo = { host: "127.0.0.1", port: server.port };
    const request = get({ origin }, { connectTo, headers: { host: "service.invalid:81" } });
    assert.equal(answered(await http.send(request)).body.toString(), "service.invalid:81");
  });

  test("closing the client ends its requests", async () => {
    const http = open({ maxConnections: 1 });
    await using server = await serve(() => http[Symbol.dispose]());
    const both = await Promise.all([http.send(get(server, {})), http.send(get(server, {}))]);
    const ends = both.map(failed).map(({ reason, isUnsent }) => `${reason} ${isUnsent}`);
    assert.deepEqual(ends, ["connection false", "connection true"]);
  });
}
