import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpAnswer, HttpFailure, HttpRequest, OpenHttp } from "../port.ts";
import { get, serve } from "./harness.ts";

export function answered(result: HttpAnswer | HttpFailure): HttpAnswer {
  assert(result.kind === "answer", JSON.stringify(result));
  return result;
}

export function failed(result: { readonly kind: string }): HttpFailure {
  assert(result.kind === "failure", JSON.stringify(result));
  return result as HttpFailure;
}

export function answerContract(open: OpenHttp): void {
  test("a request arrives as it is written, and every status is an answer", async () => {
    await using server = await serve((_, response, body) => {
      response
        .writeHead(503, { "x-a": "1", "content-type": "text/plain" })
        .end(`got ${body.toString()}`);
    });
    using http = open();
    const { status, headers, body } = answered(
      await http.send(
        get(server, {
          method: "PATCH",
          target: "/a/../b%2Fc?d=e+f&g",
          headers: { host: "chosen.example:7", "x-b": "2" },
          body: "héllo",
        }),
      ),
    );
    assert.deepEqual([status, headers["x-a"], body.toString()], [503, "1", "got héllo"]);
    const [seen] = server.seen;
    assert.deepEqual(
      [seen?.method, seen?.url, seen?.headers.host, seen?.headers["x-b"]],
      ["PATCH", "/a/../b%2Fc?d=e+f&g", "chosen.example:7", "2"],
    );
    assert.equal(seen?.headers["content-length"], "6");
  });

  test("a body can be a stream", async () => {
    await using server = await serve((_, response, body) => response.end(body));
    using http = open();
    async function* parts(): AsyncGenerator<Uint8Array> {
      for (const part of ["a", "b", "c"]) yield await Promise.resolve(Buffer.from(part));
    }
    const request = get(server, { method: "POST", body: parts() });
    assert.equal(answered(await http.send(request)).body.toString(), "abc");
  });

  test("headers that come several times are joined, or the first counts", async () => {
    await using server = await serve((_, response) => {
      response.setHeader("link", ["<a>", "<b>"]).setHeader("etag", ["one", "two"]).end();
    });
    using http = open();
    const { headers } = answered(await http.send(get(server, {})));
    assert.deepEqual([headers["link"], headers["etag"]], ["<a>, <b>", "one"]);
  });

  test("an answer without a body is one", async () => {
    await using server = await serve((_, response) => response.writeHead(204).end());
    using http = open();
    for (const method of ["DELETE", "HEAD", "GET", "PUT"]) {
      const { status, body } = answered(await http.send(get(server, { method })));
      assert.deepEqual([status, body.length], [204, 0]);
    }
  });

  test("redirects are answers unless the request allows them", async () => {
    await using server = await serve(({ url = "" }, response) => {
      const step = Number(url.slice(1));
      const location = url === "/away" ? "http://example.org/" : `/${step + 1}`;
      if (url === "/2") response.end("there");
      else response.writeHead(302, { location }).end("moved");
    });
    using http = open();
    const at = (more: Partial<HttpRequest>): HttpRequest => get(server, { target: "/0", ...more });
    assert.equal(answered(await http.send(at({}))).status, 302);
    const there = answered(await http.send(at({ maxRedirects: 2 })));
    assert.equal(there.body.toString(), "there");
    const post = at({ method: "POST", maxRedirects: 2 });
    assert.equal(answered(await http.send(post)).status, 302);
    const tooMany = failed(await http.send(at({ maxRedirects: 1 })));
    assert.deepEqual([tooMany.reason, tooMany.redirectOrigin], ["redirect", ""]);
    const away = failed(await http.send(at({ target: "/away", maxRedirects: 2 })));
    assert.deepEqual([away.reason, away.redirectOrigin], ["redirect", "http://example.org"]);
  });

  test("a request that cannot be written is a failure and is not sent", async () => {
    await using server = await serve((_, response) => response.end());
    using http = open();
    for (const more of [{ target: "/a b" }, { headers: { "x-a": "1\r\nx-b: 2" } }]) {
      const { reason, isUnsent } = failed(await http.send(get(server, more)));
      assert.deepEqual([reason, isUnsent], ["invalid", true]);
    }
    assert.equal(server.seen.length, 0);
  });
}
