import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { HttpStream, HttpStreamError, OpenHttp, ServerEvent } from "../port.ts";
import { get, serve } from "./harness.ts";

export function streamContract(open: OpenHttp): void {
  test("a body can be read while it arrives, and leaving it closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await serve((_, response) => {
      response.on("close", () => closed.resolve());
      response.write("one");
    });
    using http = open();
    const stream = await http.stream(get(server, { timeouts: {} }));
    assert(stream.kind === "stream");
    for await (const chunk of stream.body) {
      assert.equal(chunk.toString(), "one");
      break;
    }
    await closed.promise;
  });

  test("a reader that does not read holds up the server", async () => {
    const total = 32 * 1_048_576;
    await using server = await serve((_, response) => response.end(Buffer.alloc(total, 1)));
    using http = open();
    const stream = await http.stream(get(server, { maxBytes: total }));
    assert(stream.kind === "stream");
    const [socket] = server.sockets;
    assert.ok(socket !== undefined);
    let read = 0;
    for await (const chunk of stream.body) {
      // What the server has not been able to write is what this reader has not taken.
      if (read === 0) assert.ok(socket.writableLength > 0);
      read += chunk.length;
    }
    assert.equal(read, total);
  });

  test("a body that does not arrive whole throws, with the failure", async () => {
    await using server = await serve(({ socket }, response) => {
      response.writeHead(200, { "content-length": "9" });
      response.write("one", () => socket.destroy());
    });
    using http = open();
    const stream = await http.stream(get(server, {}));
    assert(stream.kind === "stream");
    await assert.rejects(textOf(stream), (error: HttpStreamError) => {
      assert.deepEqual([error.failure.reason, error.failure.phase], ["connection", "body"]);
      return true;
    });
  });

  test("events of a server are read wherever the bytes are cut", async () => {
    const first = ": comment\r\nid: 7\r\nevent: grüße\r\ndata: one\r\ndata:two\r\n\r\n";
    const text = `${first}data\n\nretry: 1\n\ndata:  x\r\r`;
    await using server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      void (async () => {
        for (const byte of Buffer.from(text)) {
          if (!response.write(Buffer.from([byte]))) await once(response, "drain");
        }
        response.end();
      })();
    });
    using http = open();
    const stream = await http.events(get(server, { timeouts: {} }));
    assert(stream.kind === "events");
    const events: ServerEvent[] = [];
    for await (const event of stream.events) events.push(event);
    assert.deepEqual(events, [
      { type: "grüße", data: "one\ntwo", id: "7" },
      { type: "message", data: "", id: "7" },
      { type: "message", data: " x", id: "7" },
    ]);
  });
}

async function textOf({ body }: HttpStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
