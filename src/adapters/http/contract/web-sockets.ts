import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { OpenHttp, WebSocketEnd, WebSocketRequest } from "../port.ts";
import { serve } from "./harness.ts";
import type { TestServer } from "./harness.ts";

const opcodes = { continued: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

function frame(kind: keyof typeof opcodes, data: Buffer | string, isFinal = true): Buffer {
  const bytes = Buffer.from(data);
  const first = (isFinal ? 0x80 : 0) | opcodes[kind];
  if (bytes.length < 126) return Buffer.concat([Buffer.from([first, bytes.length]), bytes]);
  const head = Buffer.alloc(4);
  head.writeUInt8(first, 0);
  head.writeUInt8(126, 1);
  head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

/** Accepts as a server does, or answers with another key than it should. */
function accept(request: IncomingMessage, socket: Socket, isRight = true): void {
  const given = request.headers["sec-websocket-key"] ?? "";
  const protocolId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const key = createHash("sha1").update(`${given}${protocolId}`).digest("base64");
  const head = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"];
  const proof = `Sec-WebSocket-Accept: ${isRight ? key : "other"}`;
  socket.write(`${[...head, proof].join("\r\n")}\r\n\r\n`);
}

interface Followed {
  readonly end: WebSocketEnd;
  readonly events: readonly string[];
}

async function follow(
  open: OpenHttp,
  server: TestServer,
  more: Partial<WebSocketRequest> = {},
): Promise<Followed> {
  using http = open();
  const events: string[] = [];
  const end = await http.webSocket(
    {
      place: { kind: "origin", origin: server.origin },
      target: "/events?a=b",
      openMs: 60_000,
      maxMessageBytes: 1_000,
      pingMs: 60_000,
      maxUnsentBytes: 65_536,
      ...more,
    },
    { opened: () => events.push("(opened)"), message: (text) => events.push(text) },
  );
  return { end, events };
}

export function webSocketContract(open: OpenHttp): void {
  test("messages arrive whole, whether or not they come in fragments", async () => {
    await using server = await serve(() => undefined);
    server.onUpgrade((request, socket) => {
      accept(request, socket);
      assert.deepEqual([request.url, request.headers["x-a"]], ["/events?a=b", "1"]);
      const parts = [
        frame("text", "one"),
        frame("text", "tw", false),
        frame("ping", "x"),
        frame("continued", "ö"),
        frame("text", "y".repeat(900)),
        frame("close", ""),
      ];
      for (const byte of Buffer.concat(parts)) socket.write(Buffer.from([byte]));
      socket.end();
    });
    const { end, events } = await follow(open, server, { headers: { "x-a": "1" } });
    assert.deepEqual(end, { kind: "closed" });
    assert.deepEqual(events, ["(opened)", "one", "twö", "y".repeat(900)]);
  });

  test("the result says why a stream ended", async () => {
    const ends: readonly (readonly [(request: IncomingMessage, socket: Socket) => void, string])[] =
      [
        [(_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"), "status"],
        [(request, socket) => accept(request, socket, false), "notWebSocket"],
        [(_, socket) => socket.destroy(), "failure"],
        [(...given) => (accept(...given), given[1].destroy()), "failure"],
        [(...given) => (accept(...given), given[1].write(Buffer.from([0x83, 0]))), "invalid"],
        [(...given) => (accept(...given), given[1].write(Buffer.from([0xc1, 0]))), "invalid"],
        [(...given) => (accept(...given), given[1].write(Buffer.from([0x81, 0x80]))), "invalid"],
        [
          (...given) => (accept(...given), given[1].write(frame("text", "x".repeat(1_001)))),
          "tooLarge",
        ],
      ];
    for (const [behave, kind] of ends) {
      await using server = await serve(() => undefined);
      server.onUpgrade(behave);
      const { end } = await follow(open, server);
      assert.equal(end.kind, kind);
    }
  });

  test("a server that does not answer, or falls silent, is left", async () => {
    await using server = await serve(() => undefined);
    server.onUpgrade(() => undefined);
    assert.deepEqual((await follow(open, server, { openMs: 50 })).end, { kind: "timeout" });
    await using silent = await serve(() => undefined);
    silent.onUpgrade(accept);
    assert.deepEqual((await follow(open, silent, { pingMs: 20 })).end, { kind: "silent" });
  });

  test("a server that sends pings and reads no answers is left", async () => {
    await using server = await serve(() => undefined);
    server.onUpgrade((request, socket) => {
      accept(request, socket);
      socket.pause();
      const pings = Buffer.concat(
        Array.from({ length: 500 }, () => frame("ping", "x".repeat(125))),
      );
      const more = (): void => {
        while (!socket.destroyed && socket.write(pings));
      };
      socket.on("drain", more);
      more();
    });
    assert.deepEqual((await follow(open, server)).end, { kind: "unread" });
  });

  test("a stream can be aborted, before and after it is open", async () => {
    await using server = await serve(() => undefined);
    const stopping = new AbortController();
    server.onUpgrade((request, socket) => {
      accept(request, socket);
      stopping.abort();
    });
    const { signal } = stopping;
    assert.deepEqual((await follow(open, server, { signal })).end, { kind: "aborted" });
    assert.deepEqual((await follow(open, server, { signal })).end, { kind: "aborted" });
    assert.equal(server.sockets.length, 1);
  });
}
