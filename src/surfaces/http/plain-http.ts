// A client that speaks HTTP without TLS gets a response that says so, instead of a closed
// connection. The first byte of a connection decides: a TLS handshake starts with 22, and a request
// with a capital letter. TLS gets the bytes back unread.

import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";
import { limits } from "../../kernel/limits.ts";
import type { Timers } from "../../kernel/timers.ts";

const handshakeByte = 22;

type ConnectionListener = (this: Http2SecureServer, socket: Socket) => void;

/** A connection that sends nothing is closed after the time that a handshake may take. */
export function answerPlainHttp(server: Http2SecureServer, timers: Timers): void {
  const listeners = server.listeners("connection") as ConnectionListener[];
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    const drop = (): void => void socket.destroy();
    const cancel = timers.after(limits.handshakeTimeoutMs, drop);
    socket.once("close", cancel);
    socket.on("error", drop);
    socket.once("readable", () => {
      const first = socket.read() as Buffer | null;
      if (first === null) return drop();
      if (isRequest(first)) return refuse(socket);
      cancel();
      socket.off("close", cancel);
      socket.off("error", drop);
      socket.unshift(first);
      for (const listener of listeners) listener.call(server, socket);
    });
  });
}

function isRequest([byte = handshakeByte]: Buffer): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

const message = "the request was sent as HTTP to a port that serves HTTPS: use https:// in the URL";

/** As the Kubernetes API words errors, so that kubectl prints the message. */
const body = `${JSON.stringify({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason: "BadRequest",
  code: 400,
})}\n`;
const response = [
  "HTTP/1.1 400 Bad Request",
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
  "Connection: close",
  "",
  body,
].join("\r\n");

/** What the client still sends is dropped; the timer ends a connection that stays open. */
function refuse(socket: Socket): void {
  socket.resume();
  socket.end(response);
}
