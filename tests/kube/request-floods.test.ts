// Clients that send requests faster than the server begins them: what waits is bounded, and other
// clients are answered.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { EventEmitter } from "node:events";
import { connect as connectTwo, constants } from "node:http2";
import type { Settings } from "node:http2";
import { connect as connectPlain } from "node:net";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { arrivalLimits } from "../../src/surfaces/http/arrival-limits.ts";
import { waitUntil } from "../peers/wait.ts";
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
  /** Resolves with everything that the server has sent when the connection ends. */
  readonly sendText: (sent: string) => Promise<string>;
}

async function opened(): Promise<Opened> {
  const { hostname: host, port } = new URL(server.url);
  const socket = connect({ host, port: Number(port), ca: server.ca, ALPNProtocols: ["http/1.1"] });
  let text = "";
  socket.setEncoding("latin1").on("data", (part: string) => (text += part));
  socket.on("error", () => undefined); // The server may end the connection.
  await once(socket, "secureConnect");
  const sendText = async (sent: string): Promise<string> => {
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    socket.write(sent);
    await closed;
    return text;
  };
  return {
    send: async (count, last) => {
      const head = "GET /version HTTP/1.1\r\nHost: x\r\n";
      const requests = `${head}\r\n`.repeat(count - 1);
      const answers = await sendText(`${requests}${head}${last}\r\n`);
      return answers.split("HTTP/1.1 200 OK").length - 1;
    },
    sendText,
  };
}

async function allOnce(emitters: readonly EventEmitter[], event: string): Promise<void> {
  const events: Promise<unknown>[] = emitters.map((emitter) => once(emitter, event));
  await Promise.all(events);
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
    await once(session, "remoteSettings");
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const stream = session.request({ ":path": "/version" });
        stream.resume();
        const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
        return headers[":status"];
      }),
    );
    session.close();
    assert.deepEqual(new Set(statuses), new Set([200]));
  });

  it("are few on a new connection of HTTP/2, and more while others of it are running", async () => {
    const session = connectTwo(server.url, { ca: server.ca });
    const [settings] = (await once(session, "remoteSettings")) as [Settings];
    assert.equal(settings.maxConcurrentStreams, arrivalLimits.spareStreams);
    const watches = Array.from({ length: 200 }, () => {
      const path = "/api/v1/namespaces/default/configmaps?watch=true";
      const headers = { ":path": path, authorization: `Bearer ${server.token}` };
      return session.request(headers).on("error", () => undefined);
    });
    await allOnce(watches, "response");
    const { maxConcurrentStreams: during = 0 } = session.remoteSettings;
    assert.ok(during > 200 && during <= 250, `${during} streams`);
    for (const watch of watches) watch.close();
    await waitUntil("the streams to be taken back", () => {
      return (session.remoteSettings.maxConcurrentStreams ?? 0) < 2 * arrivalLimits.spareStreams;
    });
    session.close();
  });

  it("are fewer on each connection of HTTP/2 when there are many connections", async () => {
    const open = Array.from({ length: 100 }, () => connectTwo(server.url, { ca: server.ca }));
    await allOnce(open, "remoteSettings");
    const most = 2 * arrivalLimits.maxSpareStreams;
    await waitUntil("the streams to be taken back", () => {
      let sum = 0;
      for (const { remoteSettings } of open) sum += remoteSettings.maxConcurrentStreams ?? 0;
      return sum <= most;
    });
    for (const session of open) session.destroy();
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

describe("connections that send nothing", () => {
  it("are ended from the oldest on when they are too many, and others are answered", async () => {
    const { hostname: host, port } = new URL(server.url);
    const known = connectTwo(server.url, { ca: server.ca });
    const ask = async (): Promise<unknown> => {
      const headers = { ":path": "/api", authorization: `Bearer ${server.token}` };
      const stream = known.request(headers).resume();
      const [{ ":status": status }] = (await once(stream, "response")) as [{ ":status": number }];
      return status;
    };
    assert.equal(await ask(), 200);
    const open: Socket[] = [];
    for (let at = 0; at < arrivalLimits.maxNewConnections + 10; at++) {
      const socket = connectPlain({ host, port: Number(port) });
      socket.on("error", () => undefined); // The server may end the connection.
      await once(socket, "connect");
      open.push(socket.resume());
    }
    await waitUntil("the oldest to be ended", () => {
      return open.slice(0, 10).every(({ readableEnded, destroyed }) => readableEnded || destroyed);
    });
    assert.equal(open.at(-1)?.destroyed, false);
    assert.equal(await ask(), 200);
    assert.equal((await server.request("GET", "/version")).status, 200);
    for (const socket of open) socket.destroy();
    known.close();
  });
});

describe("bodies in very many parts", () => {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

  it("end a connection of HTTP/1.1, and bodies in some parts are read", async () => {
    const head = [
      `POST ${path} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${server.token}`,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "Connection: close",
    ];
    const document = JSON.stringify({ spec: { resourceAttributes: { verb: "get" } } });
    const chunks = Array.from(document, (char) => `1\r\n${char}\r\n`).join("");
    const [some, tooMany] = [await opened(), await opened()];
    const answer = await some.sendText(`${head.join("\r\n")}\r\n\r\n${chunks}0\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 201 /);
    const spaces = "1\r\n \r\n".repeat(3 * arrivalLimits.maxSmallParts);
    assert.equal(await tooMany.sendText(`${head.join("\r\n")}\r\n\r\n${spaces}`), "");
  });

  it("end a connection of HTTP/2 with the code for clients that send too much", async () => {
    const session = connectTwo(server.url, { ca: server.ca });
    const left = once(session, "goaway") as Promise<[number]>;
    session.on("error", () => undefined); // The server ends the connection.
    const authorization = `Bearer ${server.token}`;
    const streams = Array.from({ length: 4 }, () => {
      const headers = { ":method": "POST", ":path": path, authorization };
      return session.request(headers, { endStream: false }).on("error", () => undefined);
    });
    for (let part = 0; part < arrivalLimits.maxSmallParts && !session.destroyed; part++) {
      for (const stream of streams) if (!stream.destroyed) stream.write(" ");
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
    const [code] = await left;
    assert.equal(code, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    assert.equal((await server.request("GET", "/version")).status, 200);
    assert.deepEqual(server.errors, []);
  });
});
