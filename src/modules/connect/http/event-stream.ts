// A stream of events from a service, over a WebSocket below the base URL, with the credentials and
// the trust of the connection. It ends with a reason that holds nothing secret; the caller opens it
// again.

import type { OpenHttp, WebSocketEnd } from "../../../adapters/http/port.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { targetBelow } from "./border.ts";
import type { ConnectionSettings } from "./connection.ts";
import { credentialSource } from "./credentials.ts";
import type { Credentials } from "./credentials.ts";
import { connectionText, placeOf, tlsMaterial, wireOver } from "./exchange.ts";
import { tlsProblem } from "./tls-material.ts";

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
/** Answers to the pings of a service that does not read them. */
const maxUnsentBytes = 65_536;

export function streamOver(open: OpenHttp): FollowStream {
  return async (settings, path, { clock }, listener, signal) => {
    using credentials = credentialSource(settings, { clock, openWire: wireOver(open) });
    let proof: Credentials;
    try {
      proof = await credentials.get(signal);
    } catch (error) {
      return error instanceof Error ? error.message : "the credentials are missing";
    }
    using http = open({ tls: tlsMaterial(settings.tls) });
    const { base } = settings;
    const end = await http.webSocket(
      {
        place: placeOf(settings),
        target: targetWith(targetBelow(base, path), proof),
        headers: {
          "user-agent": "setpoint",
          ...settings.headers,
          host: base.kind === "url" ? base.url.host : "localhost",
          ...proof.headers,
        },
        openMs: settings.timeoutMs,
        maxMessageBytes: maxEventBytes,
        pingMs,
        maxUnsentBytes,
        signal,
      },
      { opened: listener.opened, message: listener.event },
    );
    return reasonOf(end);
  };
}

function targetWith(target: string, proof: Credentials): string {
  const query = new URLSearchParams(proof.query).toString();
  return query === "" ? target : `${target}${target.includes("?") ? "&" : "?"}${query}`;
}

function reasonOf(end: WebSocketEnd): string {
  switch (end.kind) {
    case "closed":
      return "the service closed the stream";
    case "status":
      return `the service returned status ${end.status} instead of a stream`;
    case "notWebSocket":
      return "the service does not support WebSocket";
    case "silent":
      return "the service sent neither events nor pings";
    case "unread":
      return "the service sends pings but does not read the replies";
    case "tooLarge":
      return `a message is larger than ${maxEventBytes} bytes`;
    case "invalid":
      return end.message;
    case "timeout":
      return "no response in time";
    case "aborted":
      return "closed by this server";
    default:
      return tlsProblem(end) ?? connectionText(end);
  }
}
