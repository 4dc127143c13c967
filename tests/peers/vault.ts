/**
 * A double of a Vault server as a real HTTP server: KV version 2 at `secret/`, logins by AppRole
 * and JWT, tokens that expire and are renewed, and the status codes of the health check. The
 * contract suite of src/modules/executors/vault/ runs against it, and against a real server when
 * SETPOINT_TEST_VAULT names one.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { VaultKv, problem } from "./vault-kv.ts";
import type { Body, KvAnswer } from "./vault-kv.ts";

export const vaultRootToken = "vault-root-token";
export const vaultRoleId = "role-1";
export const vaultSecretId = "secret-id-1";

export interface VaultPeer extends AsyncDisposable {
  readonly url: string;
  /** Method and path of every request. */
  readonly requests: readonly string[];
  /** Claims of the tokens of logins by JWT. */
  readonly jwtLogins: readonly Body[];
  /** The status of the health check, 200 unless set. 503 seals: every other call fails. */
  setHealth(status: number): void;
  /** Lease of new tokens. */
  setLease(seconds: number): void;
  /** As an administrator: all tokens of logins end. */
  revokeAll(): void;
  /** Runs before the next write of data, as a client that is faster. */
  beforeNextWrite(run: () => Promise<void>): void;
}

export async function startVault(): Promise<VaultPeer> {
  const requests: string[] = [];
  const double = new VaultDouble();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void double.answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    jwtLogins: double.jwtLogins,
    setHealth: (status) => (double.health = status),
    setLease: (seconds) => (double.leaseSeconds = seconds),
    revokeAll: () => double.tokens.clear(),
    beforeNextWrite: (run) => (double.beforeWrite = run),
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

class VaultDouble {
  readonly tokens = new Map<string, { expiresAtMs: number }>();
  readonly jwtLogins: Body[] = [];
  health = 200;
  leaseSeconds = 3_600;
  beforeWrite: (() => Promise<void>) | undefined;
  readonly #kv = new VaultKv();
  #issued = 0;

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://vault");
    const body = await bodyOf(request);
    const path = decodeURIComponent(url.pathname).slice("/v1/".length);
    const { status, body: answer } = await this.#route(request, path, url.searchParams, body);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(answer === undefined ? undefined : JSON.stringify(answer));
  }

  async #route(
    request: IncomingMessage,
    path: string,
    query: URLSearchParams,
    body: Body,
  ): Promise<KvAnswer> {
    const { method = "GET", headers } = request;
    if (path === "sys/health") {
      return { status: this.health, body: { initialized: true, sealed: this.health === 503 } };
    }
    if (this.health === 503) return problem(503, "Vault is sealed");
    if (path === "auth/approle/login") return this.#appRole(body);
    if (path === "auth/kubernetes/login" || path === "auth/jwt/login") return this.#jwt(body);
    const token = String(headers["x-vault-token"] ?? "");
    if (!this.#isValid(token)) return problem(403, "permission denied");
    if (path === "auth/token/renew-self") return this.#renew(token);
    const [mount, area = "", ...rest] = path.split("/");
    if (mount !== "secret") return problem(403, "permission denied");
    if (area === "data" && (method === "POST" || method === "PUT")) {
      const run = this.beforeWrite;
      this.beforeWrite = undefined;
      await run?.();
    }
    return this.#kv.answer(method, area, rest.join("/"), query, body);
  }

  #isValid(token: string): boolean {
    if (token === vaultRootToken) return true;
    const known = this.tokens.get(token);
    return known !== undefined && known.expiresAtMs > Date.now();
  }

  #appRole({ role_id, secret_id }: Body): KvAnswer {
    if (role_id !== vaultRoleId) return problem(400, "invalid role or secret ID");
    if (secret_id !== vaultSecretId) return problem(400, "invalid role or secret ID");
    return this.#issue();
  }

  #jwt({ role, jwt }: Body): KvAnswer {
    const [, payload = ""] = String(jwt).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString() || "{}") as Body;
    if (role !== "deployer") return problem(400, `invalid role name "${String(role)}"`);
    this.jwtLogins.push(claims);
    return this.#issue();
  }

  #issue(): KvAnswer {
    const client_token = `hvs.test-${++this.#issued}`;
    this.tokens.set(client_token, { expiresAtMs: Date.now() + this.leaseSeconds * 1_000 });
    return this.#auth(client_token);
  }

  #renew(token: string): KvAnswer {
    const known = this.tokens.get(token);
    if (known === undefined) return problem(400, "lease is not renewable");
    known.expiresAtMs = Date.now() + this.leaseSeconds * 1_000;
    return this.#auth(token);
  }

  #auth(client_token: string): KvAnswer {
    const auth = { client_token, lease_duration: this.leaseSeconds, renewable: true };
    return { status: 200, body: { auth } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : (JSON.parse(text) as Body);
}
