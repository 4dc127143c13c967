// A balancer in front of servers, as simple as one can be: each new connection goes to the first
// server that takes it, byte by byte, so that TLS is between the client and the server.
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Balancer extends AsyncDisposable {
  /** https://127.0.0.1:PORT */
  readonly url: string;
}

/** Targets are URLs of servers. */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    follow(client, open);
    forward(client, targets, open);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function forward(client: Socket, [target, ...others]: readonly string[], open: Set<Socket>): void {
  if (target === undefined) {
    client.destroy();
    return;
  }
  const { hostname, port } = new URL(target);
  const server = connect(Number(port), hostname);
  follow(server, open);
  const next = (): void => forward(client, others, open);
  server.once("error", next);
  server.once("connect", () => {
    server.off("error", next);
    client.pipe(server).pipe(client);
    client.once("close", () => server.destroy());
    server.once("close", () => client.destroy());
  });
}

function follow(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  // Whoever is at the other end may be gone at any time; then this end goes, too.
  socket.on("error", () => socket.destroy());
  socket.once("close", () => open.delete(socket));
}
