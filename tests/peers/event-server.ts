// A WebSocket server of a library that is not ours, on the server of another peer: it tells of
// changes to all who listen, can cut them off, and can keep them out for a while.
import { createRequire } from "node:module";
import type { IncomingMessage, Server } from "node:http";

export interface EventServer {
  /** The headers of those who asked to listen, refused ones included. */
  readonly asked: IncomingMessage["headers"][];
  /** While it is false, who asks is refused. */
  isOpen: boolean;
  listeners(): number;
  tell(event: unknown): void;
  /** Without a word, as when a cable is cut. */
  cut(): void;
}

/** The part of it that is used here; it has no types of its own. */
interface WebSocketServer {
  readonly clients: ReadonlySet<{ send(text: string): void; terminate(): void }>;
}
interface ServerOptions {
  readonly server: Server;
  readonly path: string;
  readonly verifyClient: (info: { readonly req: IncomingMessage }) => boolean;
}
const library = createRequire(import.meta.url)("ws") as {
  readonly WebSocketServer: new (options: ServerOptions) => WebSocketServer;
};

export function serveEvents(server: Server, path: string): EventServer {
  const asked: IncomingMessage["headers"][] = [];
  const verifyClient: ServerOptions["verifyClient"] = ({ req }) => {
    asked.push(req.headers);
    return events.isOpen;
  };
  const sockets = new library.WebSocketServer({ server, path, verifyClient });
  const events: EventServer = {
    asked,
    isOpen: true,
    listeners: () => sockets.clients.size,
    tell: (event) => {
      for (const client of sockets.clients) client.send(JSON.stringify(event));
    },
    cut: () => {
      for (const client of sockets.clients) client.terminate();
    },
  };
  return events;
}
