// Stands between a store and its PostgreSQL and loses answers on purpose: the statement reaches the
// server and is carried out, and the connection ends before the client hears of it. That is the one
// moment in which a client cannot know what happened, and no kill hits it reliably.
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** What is in the messages that run the prepared statements of commits. */
const commitMarks = ["create", "commit", "release", "release_held"].map((name) =>
  Buffer.from(`${name}\0`),
);

export class LossyProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  #toLose = 0;
  #isStaying = false;
  #isRefusing = false;
  /** How many answers were lost so far. */
  lost = 0;
  /** Whether the answer of a further commit is lost. */
  isUnlucky: () => boolean = () => false;

  constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((client) => this.#join(client));
  }

  async listen(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
  }

  /** The same database by way of the proxy. */
  urlOf(url: string): string {
    const { port } = this.#server.address() as AddressInfo;
    return url.replace(`:${this.#targetPort}/`, `:${port}/`);
  }

  /** The answers of the next commits are lost; with `stay` nobody is let in again either. */
  loseNext(count: number, stay = false): void {
    this.#toLose += count;
    this.#isStaying = stay;
  }

  letIn(): void {
    this.#isRefusing = false;
    this.#isStaying = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #join(client: Socket): void {
    if (this.#isRefusing) {
      client.destroy();
      return;
    }
    const server = connect(this.#targetPort, "127.0.0.1");
    const pair = [client, server];
    const end = (): void => {
      for (const socket of pair) {
        socket.destroy();
        this.#sockets.delete(socket);
      }
    };
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end); // Either end may go away at any time: that is what is tested.
      socket.on("close", end);
    }
    let isDoomed = false;
    client.on("data", (chunk: Buffer) => {
      const isCommit = commitMarks.some((mark) => chunk.includes(mark));
      if (this.#toLose > 0 && !isDoomed && isCommit) {
        this.#toLose -= 1;
        isDoomed = true;
      }
      if (isCommit && !isDoomed) isDoomed = this.isUnlucky();
      server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      if (!isDoomed) return client.write(chunk);
      // The server has carried it out, since it answers.
      this.lost += 1;
      if (this.#isStaying) this.#refuseAll();
      end();
      return undefined;
    });
  }

  #refuseAll(): void {
    this.#isRefusing = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
