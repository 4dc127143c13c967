import assert from "node:assert/strict";
import { test } from "node:test";
import type { HttpRequest, OpenHttp } from "../port.ts";
import { answered, failed } from "./answers.ts";
import { get, serve } from "./harness.ts";

export function limitContract(open: OpenHttp): void {
  test("an answer of exactly the limit is read, and a larger one is not", async () => {
    await using server = await serve((_, response) => response.end("x".repeat(1_000)));
    using http = open();
    const exact = answered(await http.send(get(server, { maxBytes: 1_000 })));
    assert.equal(exact.body.length, 1_000);
    const { reason, phase, isUnsent } = failed(await http.send(get(server, { maxBytes: 999 })));
    assert.deepEqual([reason, phase, isUnsent], ["tooLarge", "body", false]);
  });

  test("an endless answer ends at the limit", async () => {
    await using server = await serve((_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    using http = open();
    assert.equal(failed(await http.send(get(server, {}))).reason, "tooLarge");
  });

  test("each phase has its time limit", async () => {
    await using server = await serve(({ url }, response) => {
      if (url === "/body") response.write("begun");
    });
    using http = open();
    const timeouts: readonly (readonly [Partial<HttpRequest>, string])[] = [
      [{ timeouts: { totalMs: 50 } }, "waiting"],
      [{ timeouts: { headersMs: 50 } }, "waiting"],
      [{ target: "/body", timeouts: { bodyMs: 50 } }, "body"],
      [{ target: "/body", timeouts: { totalMs: 200 } }, "body"],
    ];
    for (const [more, phase] of timeouts) {
      const result = failed(await http.send(get(server, more)));
      assert.deepEqual([result.reason, result.phase, result.isUnsent], ["timeout", phase, false]);
    }
  });

  test("a request that waits for a connection too long was not sent", async () => {
    await using server = await serve(() => undefined);
    using http = open({ maxConnections: 1 });
    const first = http.send(get(server, { timeouts: { totalMs: 500 } }));
    const second = failed(await http.send(get(server, { timeouts: { connectMs: 50 } })));
    assert.deepEqual(
      [second.reason, second.phase, second.isUnsent],
      ["timeout", "connecting", true],
    );
    assert.equal(failed(await first).reason, "timeout");
    assert.equal(server.seen.length, 1);
  });

  test("an aborted request ends at once, and one aborted before is not sent", async () => {
    const stopping = new AbortController();
    await using server = await serve(() => stopping.abort());
    using http = open();
    const during = failed(await http.send(get(server, { signal: stopping.signal })));
    assert.deepEqual([during.reason, during.isUnsent], ["aborted", false]);
    const before = failed(await http.send(get(server, { signal: stopping.signal })));
    assert.deepEqual([before.reason, before.isUnsent], ["aborted", true]);
    assert.equal(server.seen.length, 1);
  });

  test("addresses can be refused, as literals and after names are resolved", async () => {
    await using server = await serve((_, response) => response.end());
    const judged: string[] = [];
    using http = open({
      refuseAddress: (address, host) => {
        judged.push(`${host} ${address}`);
        return "it is an inner address";
      },
    });
    for (const host of ["127.0.0.1", "localhost"]) {
      const origin = `http://${host}:${server.port}`;
      const { reason, isUnsent, message } = failed(await http.send(get({ origin }, {})));
      assert.deepEqual([reason, isUnsent, message], ["refused", true, "it is an inner address"]);
    }
    assert.ok(judged.includes("127.0.0.1 127.0.0.1"));
    assert.ok(judged.some((each) => each.startsWith("localhost ")));
    assert.equal(server.sockets.length, 0);
  });
}
