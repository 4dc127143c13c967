// Clients that send requests faster than the server begins them: what waits is bounded, and other
// clients are answered.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectTwo } from "node:http2";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { arrivalLimits } from "../../src/surfaces/http/arrival-limits.ts";
import { startKubeServer } from "./server.ts";
import type { KubeServer } from "./server.ts";

let server: KubeServer;

before(async () => {
  server = await startKubeServer();
});
after(() => server.stop());

/** Sends all requests at once; resolves with the number of answers when the connection ends. */
async function pipelined(count: number, last = ""): Promise<number> {
  const { send } = await opened();
  return await send(count, last);
}

interface Opened {
  readonly send: (count: number, last: string) => Promise<number>;
}

async function opened(): Promise<Opened> {
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), ca: server.ca, ALPNProtocols: ["http/1.1"] });
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined); // The server may end the connection.
  await once(socket, "secureConnect");
  return {
    send: async (count, last) => {
      const head = "GET /version HTTP/1.1\r\nHost: x\r\n";
      const requests = `${head}\r\n`.repeat(count - 1);
      socket.write(`${requests}${head}${last}\r\n`);
      await once(socket, "close");
      return text.split("HTTP/1.1 200 OK").length - 1;
    },
  };
}

describe("requests that are sent before the first of them is answered", () => {
  it("are answered in order on one connection of HTTP/1.1", async () => {
    assert.equal(await pipelined(40, "Connection: close\r\n"), 40);
  });

  it("end a connection of HTTP/1.1 when they are too many", async () => {
    const answered = await pipelined(500, "Connection: close\r\n");
    assert.ok(answered < arrivalLimits.maxPipelined, `${answered} answers`);
    assert.equal((await server.request("GET", "/version")).status, 200);
    assert.deepEqual(server.errors, []);
  });

  it("are all answered on many streams of HTTP/2", async () => {
    const session = connectTwo(server.url, { ca: server.ca });
    await once(session, "connect");
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const stream = session.request({ ":path": "/version" });
        stream.resume();
        const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
        return headers[":status"];
      }),
    );
    session.close();
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  it("are answered when connections of HTTP/2 have just ended", async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, async () => await opened()));
    const sessions = Array.from({ length: 10 }, () => connectTwo(server.url, { ca: server.ca }));
    for (const session of sessions) {
      const stream = session.request({ ":path": "/version" }).resume();
      await once(stream, "close");
    }
    for (const session of sessions) session.destroy();
    const last = "Connection: close\r\n";
    const answers = sockets.map(async ({ send }) => await send(40, last));
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([40]));
    assert.deepEqual(server.errors, []);
  });
});
