// A proxy that hands on every request, and loses some of the answers: the server has done what it
// was asked for, and the client does not get to know. It stands where the server stands for its
// clients, with the server's own certificate.
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { KubeServer } from "../kube/server.ts";

export interface LosingProxy extends AsyncDisposable {
  readonly url: string;
  /** Of the requests whose answers were lost, with the status that the client did not see. */
  readonly lost: readonly Lost[];
  /** The next answers to requests with this method on this path are lost. */
  lose(method: string, path: string, way: Way, times?: number): void;
}

/** The connection breaks, or somebody on the way says that they are not well. */
export type Way = "cut" | "bad gateway";

export interface Lost {
  readonly status: number;
  readonly clientRequestId: string;
}

interface Plan {
  readonly method: string;
  readonly path: string;
  readonly way: Way;
  left: number;
}

export async function startLosingProxy(server: KubeServer): Promise<LosingProxy> {
  const pem = await readFile(join(dirname(server.kubeconfig), "server.pem"), "utf8");
  const lost: Lost[] = [];
  const plans: Plan[] = [];
  const planFor = ({ method, url = "" }: IncomingMessage): Plan | undefined => {
    const [path = ""] = url.replace(/^\/+/, "/").split("?", 1);
    return plans.find((plan) => plan.left > 0 && plan.method === method && plan.path === path);
  };
  const proxy = createServer({ key: pem, cert: pem }, (asked, answer) => {
    handOn(server, asked, (response, body) => {
      const plan = planFor(asked);
      const status = response.statusCode ?? 0;
      if (plan === undefined) {
        answer.writeHead(status, response.headers).end(body);
        return;
      }
      plan.left -= 1;
      lost.push({ status, clientRequestId: String(asked.headers["x-ms-client-request-id"]) });
      loseIt(answer, plan.way);
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    lost,
    lose: (method, path, way, times = 1) => plans.push({ method, path, way, left: times }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(proxy, "close");
      proxy.close();
      proxy.closeAllConnections();
      await closed;
    },
  };
}

function loseIt(answer: ServerResponse, way: Way): void {
  if (way === "cut") answer.destroy();
  else answer.writeHead(502).end();
}

function handOn(
  server: KubeServer,
  asked: IncomingMessage,
  answered: (response: IncomingMessage, body: Buffer) => void,
): void {
  const { method = "", url = "", headers } = asked;
  const { hostname, port } = new URL(server.url);
  const options = { hostname, port, path: url, method, headers, ca: server.ca, agent: false };
  const sending = httpsRequest(options, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.once("end", () => answered(response, Buffer.concat(parts)));
  });
  sending.once("error", () => asked.socket.destroy());
  asked.pipe(sending);
}
