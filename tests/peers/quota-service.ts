/**
 * A small quota service with the protocol of docs/reference/fleet-operations.md, as a program or in
 * the test process. Every reservation is on disk before it is answered, so that the service can be
 * killed. Faults are set over HTTP, and the state can be read: what is reserved, and by whom.
 *
 *   node tests/peers/quota-service.ts --data FILE [--port N] [--token TEXT]
 *
 * PUT /limits {"ORGANISATION/TYPE": 5}, POST /faults [{...Fault}], GET /state.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import type { Json } from "../../src/kernel/json.ts";
import { objectAt } from "../../src/kernel/json-read.ts";
import { QuotaLedger } from "./quota-ledger.ts";
import type { Fault, QuotaAnswer, QuotaState } from "./quota-ledger.ts";

export interface QuotaServiceOptions {
  /** The file of the state; in memory when left out. */
  readonly data?: string;
  readonly port?: number;
  /** What the header Authorization must hold; anything when left out. */
  readonly token?: string;
}

export interface QuotaServicePeer extends AsyncDisposable {
  readonly url: string;
  setLimits(limits: Readonly<Record<string, number>>): void;
  setFaults(faults: readonly Fault[]): void;
  state(): QuotaState;
}

/** In the test process. */
export async function startQuotaService(
  options: QuotaServiceOptions = {},
): Promise<QuotaServicePeer> {
  const ledger = new QuotaLedger(options.data);
  const server = serve(ledger, options.token);
  const listening = Promise.withResolvers<void>();
  server.listen(options.port ?? 0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    setLimits: (limits) => ledger.setLimits(limits),
    setFaults: (faults) => {
      ledger.faults = structuredClone(faults) as Fault[];
    },
    state: () => ledger.state(),
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
      ledger.close();
    },
  };
}

function serve(ledger: QuotaLedger, token: string | undefined): Server {
  return createServer((request, response) => {
    void answer(ledger, token, request, response).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  });
}

async function answer(
  ledger: QuotaLedger,
  token: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString("utf8");
  const body: Json = text === "" ? null : (JSON.parse(text) as Json);
  const control = controlAnswer(ledger, `${method} ${url}`, body);
  if (control !== undefined) return send(response, control);
  if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
    return send(response, { status: 401 });
  }
  const fault = ledger.nextFault(method);
  const perform = (): QuotaAnswer => ledger.perform(method, url, body);
  switch (fault?.kind) {
    case "status":
      return send(response, { status: fault.status ?? 503 });
    case "drop":
      response.destroy();
      return;
    case "lose":
      perform();
      response.destroy();
      return;
    case "delay":
      setTimeout(() => send(response, perform()), fault.delayMs ?? 1_000);
      return;
    default:
      send(response, perform());
  }
}

function controlAnswer(ledger: QuotaLedger, request: string, body: Json): QuotaAnswer | undefined {
  switch (request) {
    case "PUT /limits":
      ledger.setLimits(objectAt(body) as Record<string, number>);
      return { status: 204 };
    case "POST /faults":
      ledger.faults = body as unknown as Fault[];
      return { status: 204 };
    case "GET /state":
      return { status: 200, body: ledger.state() as unknown as Json };
    default:
      return undefined;
  }
}

function send(response: ServerResponse, { status, body }: QuotaAnswer): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      port: { type: "string", default: "0" },
      token: { type: "string" },
    },
  });
  const { data, port, token } = values;
  const peer = await startQuotaService({
    port: Number(port),
    ...(data === undefined ? {} : { data }),
    ...(token === undefined ? {} : { token }),
  });
  process.stdout.write(`quota service at ${peer.url}\n`);
}
