// A listener without TLS for browsers on this machine. It listens on loopback only, so no network
// is between it and the browser, which would not trust the certificate of a new server. Host names
// are checked before anything else: another site may give its name the address of loopback.

import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { hostOf } from "../../intents/sessions/same-origin.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { timedTurns } from "../../kernel/fair-turns.ts";
import { limits } from "../../kernel/limits.ts";
import { requestLimits } from "./connection-limits.ts";
import { beginInTurns } from "./connection-turns.ts";
import { exchangeOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { listen, outflowsOf, stop, takeRequests } from "./server.ts";
import type { HttpServer, ListenerInput } from "./server.ts";
import { countConnections } from "./turn.ts";

/** The names of loopback, as browsers write them. */
const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

export async function startLoopbackServer(input: ListenerInput): Promise<HttpServer> {
  const { host, handle, timers } = input;
  if (!loopbackNames.has(host)) {
    const message = `the console listens without TLS on loopback only, and ${host} is not loopback`;
    throw new SetpointError("config.invalid", message, {
      details: { option: "console-listen", value: host },
      suggestion: "write for example 127.0.0.1:7080; with TLS the console is at --listen",
    });
  }
  const server = createServer({ maxHeaderSize: limits.maxHeaderBytes });
  Object.assign(server, requestLimits);
  const outflows = outflowsOf(input);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.once("close", () => sockets.delete(socket));
  });
  const portOf = (): number => (server.address() as AddressInfo).port;
  const checked = async (exchange: Exchange): Promise<void> => {
    if (isOwn(exchange, portOf())) await handle(exchange);
    else exchange.send(421, { "content-type": "text/plain; charset=utf-8" }, otherHost);
  };
  const shared = { certificate: undefined, outflows, isSecure: false };
  takeRequests(server, { ...input, handle: checked }, (request, response, isHeldBack) =>
    exchangeOf(request, response, { ...shared, isHeldBack }),
  );
  beginInTurns(server, timedTurns("connections", limits.connectionTurnMs));
  countConnections(server);
  await listen(server, input);
  return {
    address: server.address() as AddressInfo,
    stop: () => stop(server, sockets, new Set(), timers),
  };
}

const otherHost = "this address serves localhost only\n";

function isOwn(exchange: Exchange, port: number): boolean {
  const host = hostOf(exchange);
  const given = host === undefined || host.port !== "" ? host?.port : "80";
  return host !== undefined && loopbackNames.has(host.name) && given === String(port);
}
