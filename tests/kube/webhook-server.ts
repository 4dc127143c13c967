// A webhook as administrators run one: an HTTPS server with a certificate of its own authority.
// Each path answers as a test says, and remembers what it was asked.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { parseExact } from "../../src/kernel/int64.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { pick } from "./server.ts";

/** The response of the review, a whole body as text, or nothing when it was dealt with. */
export type WebhookBehaviour = (
  review: unknown,
  response: ServerResponse,
) => object | string | undefined | Promise<object | string | undefined>;

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  readonly caBundle: string;
  url(path: string): string;
  on(path: string, behaviour: WebhookBehaviour): void;
  /** What was asked since the last call: the path, and the body. */
  asked(): readonly Asked[];
}

export interface Asked {
  readonly path: string;
  readonly query: string;
  readonly review: unknown;
}

export async function startWebhookServer(): Promise<WebhookServer> {
  const folder = await mkdtemp(join(tmpdir(), "setpoint-webhook-"));
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { certificatePem: cert, keyPem: key } = authority.serverCertificate(["hook.test.svc"]);
  const behaviours = new Map<string, WebhookBehaviour>();
  const asked: Asked[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void answer(request, response, behaviours, asked);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    caBundle: Buffer.from(authority.certificatePem).toString("base64"),
    url: (path) => `https://127.0.0.1:${port}${path}`,
    on: (path, behaviour) => void behaviours.set(path, behaviour),
    asked: () => asked.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  behaviours: ReadonlyMap<string, WebhookBehaviour>,
  asked: Asked[],
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const review: unknown = parseExact(Buffer.concat(parts).toString("utf8"));
  const [path = "", query = ""] = (request.url ?? "").split("?");
  asked.push({ path, query, review });
  const result = await behaviours.get(path)?.(review, response);
  if (result === undefined) return;
  response.setHeader("content-type", "application/json");
  response.end(typeof result === "string" ? result : JSON.stringify(whole(review, result)));
}

function whole(review: unknown, response: object): object {
  return {
    apiVersion: pick(review, "apiVersion"),
    kind: "AdmissionReview",
    response: { uid: pick(review, "request.uid"), allowed: true, ...response },
  };
}

export function jsonPatch(operations: readonly object[]): object {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { patchType: "JSONPatch", patch };
}
