// A stream of events from a service, over a WebSocket below the base URL: with the credentials and
// the trust of the connection. It is asked for signs of life, so that one that has died without a
// word is noticed, and ends with a reason that holds nothing secret. Who wants it again opens it
// again.

import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import type { Clock } from "../../../kernel/clock.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { targetBelow } from "./border.ts";
import type { ConnectionSettings } from "./connection.ts";
import { credentialSource } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { connectionText, placeOf, tlsOptions } from "./exchange.ts";
import { tlsProblem } from "./tls-material.ts";
import { clientFrame, frameReader } from "./websocket-frames.ts";
import type { Message } from "./websocket-frames.ts";

export interface EventStreamPorts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

export interface EventListener {
  readonly opened: () => void;
  readonly event: (text: string) => void;
}

/** Resolves with the reason when the stream has ended; aborting ends it. */
export type FollowStream = (
  settings: ConnectionSettings,
  path: string,
  ports: EventStreamPorts,
  listener: EventListener,
  signal: AbortSignal,
) => Promise<string>;

const maxEventBytes = 1_048_576;
const pingMs = 20_000;
/** Of answers to pings that the service does not take. */
const mostUnsentBytes = 65_536;
/** From RFC 6455; both sides know it. */
const protocolId = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export const followStream: FollowStream = async (settings, path, ports, listener, signal) => {
  using credentials = credentialSource(settings, ports);
  let proof: Credentials;
  try {
    proof = await credentials.get(signal);
  } catch (error) {
    return error instanceof Error ? error.message : "there are no credentials";
  }
  const key = Buffer.from(ports.random.bytes(16)).toString("base64");
  const call = callFor(settings, path, proof, key);
  const ended = Promise.withResolvers<string>();
  let socket: Socket | undefined;
  const end = (reason: string): void => {
    ended.resolve(reason);
    call.destroy();
    socket?.destroy();
  };
  const onAbort = (): void => end("it was ended here");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const cancel = ports.timers.after(settings.timeoutMs, () => end("no answer in time"));
  call.on("error", (error: NodeJS.ErrnoException) =>
    end(tlsProblem(error) ?? connectionText(error)),
  );
  call.on("response", ({ statusCode = 0 }: IncomingMessage) =>
    end(`the service answered with ${statusCode} instead of a stream`),
  );
  const stopPings: (() => void)[] = [];
  call.on("upgrade", (response: IncomingMessage, opened: Socket, head: Buffer) => {
    cancel();
    socket = opened;
    const { "sec-websocket-accept": accepted } = response.headers;
    opened.on("error", () => end("the connection broke"));
    if (accepted !== acceptFor(key)) return end("the service does not speak WebSocket");
    stopPings.push(keepAlive(opened, ports, end));
    listener.opened();
    readFrom(opened, head, { ports, listener, end });
  });
  call.end();
  const reason = await ended.promise;
  cancel();
  for (const stop of stopPings) stop();
  signal.removeEventListener("abort", onAbort);
  return reason;
};

function callFor(
  settings: ConnectionSettings,
  path: string,
  proof: Credentials,
  key: string,
): ClientRequest {
  const { base, tls } = settings;
  const isTls = base.kind === "url" && base.url.protocol === "https:";
  const target = targetBelow(base, path);
  const query = new URLSearchParams(proof.query).toString();
  const joined = query === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${query}`;
  return (isTls ? httpsRequest : httpRequest)({
    ...placeOf(settings),
    ...(isTls ? tlsOptions(tls) : {}),
    agent: false,
    method: "GET",
    path: joined,
    headers: {
      "user-agent": "setpoint",
      ...settings.headers,
      host: base.kind === "url" ? base.url.host : "localhost",
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      ...proof.headers,
    },
  });
}

interface Reading {
  readonly ports: EventStreamPorts;
  readonly listener: EventListener;
  readonly end: (reason: string) => void;
}

function readFrom(socket: Socket, head: Buffer, { ports, listener, end }: Reading): void {
  const reader = frameReader(maxEventBytes);
  const send = (kind: "close" | "pong", data: Uint8Array): void => {
    socket.write(clientFrame(kind, data, ports.random.bytes(4)));
  };
  const take = (message: Message): void => {
    if (message.kind === "text") listener.event(message.text);
    if (message.kind === "ping") {
      send("pong", message.data);
      if (socket.writableLength > mostUnsentBytes) end("the service asks, and takes no answers");
    }
    if (message.kind !== "close") return;
    send("close", new Uint8Array());
    end("the service ended the stream");
  };
  const push = (chunk: Buffer): void => {
    try {
      for (const message of reader.push(chunk)) take(message);
    } catch (error) {
      end(error instanceof Error ? error.message : "the stream cannot be read");
    }
  };
  socket.on("data", push);
  socket.on("close", () => end("the connection broke"));
  if (head.length > 0) push(head);
}

/** Two pings without anything coming back mean that nobody is there. */
function keepAlive(
  socket: Socket,
  { timers, random }: EventStreamPorts,
  end: (reason: string) => void,
): () => void {
  let unanswered = 0;
  socket.on("data", () => (unanswered = 0));
  let cancel = (): void => undefined;
  const beat = (): void => {
    cancel = timers.after(pingMs, () => {
      if (unanswered >= 2) return end("the service gives no sign of life");
      unanswered += 1;
      socket.write(clientFrame("ping", new Uint8Array(), random.bytes(4)));
      beat();
    });
  };
  beat();
  return () => cancel();
}

function acceptFor(key: string): string {
  return createHash("sha1").update(`${key}${protocolId}`).digest("base64");
}
