// A stream of events from a service that does not behave.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { it } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { connectionSettings } from "../../src/modules/connect/http/connection.ts";
import { streamOver } from "../../src/modules/connect/http/event-stream.ts";

const protocolId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

it("ends when the service asks for signs of life and takes none", async () => {
  const server = createServer();
  const sockets: Socket[] = [];
  server.on("upgrade", (request, socket: Socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    const key = request.headers["sec-websocket-key"] ?? "";
    const accept = createHash("sha1").update(`${key}${protocolId}`).digest("base64");
    const head = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"];
    socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join("\r\n")}\r\n\r\n`);
    // Nothing is read from here on.
    socket.pause();
    const ping = Buffer.concat([Buffer.from([0x89, 125]), Buffer.alloc(125, 1)]);
    const pings = Buffer.concat(Array.from({ length: 500 }, () => ping));
    const more = (): void => {
      let isTaken = true;
      while (isTaken && !socket.destroyed) isTaken = socket.write(pings);
    };
    socket.on("drain", more);
    more();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = connectionSettings("x", { baseUrl: `http://127.0.0.1:${port}` }, new Map());
  const ports = { clock: systemClock, timers: systemTimers, random: systemRandom };
  const listener = { opened: () => undefined, event: () => undefined };
  const { signal } = new AbortController();
  const reason = await streamOver(httpWith(systemTimers))(
    settings,
    "/events",
    ports,
    listener,
    signal,
  );
  assert.equal(reason, "the service sends pings but does not read the replies");
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});
