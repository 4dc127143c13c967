// The HTTP adapter on this machine: the contract, and TLS with certificates of an authority of its
// own.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { TLSSocket } from "node:tls";
import { get } from "../../src/adapters/http/contract/harness.ts";
import { httpContract } from "../../src/adapters/http/contract/suite.ts";
import { httpWith } from "../../src/adapters/http/client.ts";
import { jsonCalls } from "../../src/adapters/http/json-calls.ts";
import type { HttpRequest, TlsMaterial } from "../../src/adapters/http/port.ts";
import { fetchTrusting } from "../../src/app/fetch-trusting.ts";
import { openAuthority } from "../../src/app/tls/authority.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { limits } from "../../src/kernel/limits.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { systemTimers } from "../../src/kernel/timers.ts";

const open = httpWith(systemTimers);

const calls = jsonCalls(open);
after(() => calls[Symbol.dispose]());

httpContract("undici and ws", open, calls.call);

interface SecureServer {
  readonly port: number;
  readonly ca: string;
  readonly client: { readonly certificate: string; readonly key: string };
  close(): Promise<void>;
}

/** For service.example and 127.0.0.1; it answers with the name of the client. */
async function startSecure(): Promise<SecureServer> {
  const folder = mkdtempSync(join(tmpdir(), "http-tls-"));
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem, certificatePem } = authority.serverCertificate(["service.example", "127.0.0.1"]);
  const issued = authority.issueClientCertificate({ name: "caller", groups: [] });
  const ca = authority.certificatePem;
  const server = createServer(
    { key: keyPem, cert: certificatePem, ca, requestCert: true, rejectUnauthorized: false },
    ({ socket }, response) => {
      const tls = socket as TLSSocket;
      const { subject } = tls.getPeerCertificate();
      response.end(tls.authorized ? subject.CN : "anonymous");
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    client: { certificate: issued.certificatePem, key: issued.keyPem },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      rmSync(folder, { recursive: true });
    },
  };
}

let secure: SecureServer;
before(async () => {
  secure = await startSecure();
});
after(() => secure.close());

async function call(tls: TlsMaterial, more: Partial<HttpRequest> = {}): Promise<string> {
  using http = open({ tls });
  const result = await http.send(get({ origin: `https://127.0.0.1:${secure.port}` }, more));
  if (result.kind === "answer") return result.body.toString("utf8");
  return `${result.reason} ${result.code} ${result.isUnsent ? "unsent" : "sent"}`;
}

test("a server is trusted by the given authority, and by no other", async () => {
  const { ca } = secure;
  assert.equal(await call({ ca }), "anonymous");
  assert.equal(await call({ ca, isPublicTrusted: true }), "anonymous");
  assert.equal(await call({}), "tls SELF_SIGNED_CERT_IN_CHAIN unsent");
  assert.equal(await call({ isUnverified: true }), "anonymous");
});

test("the name that is verified is that of the URL, or the chosen one", async () => {
  const { ca, port } = secure;
  const connectTo = { host: "127.0.0.1", port };
  const named = (host: string): Partial<HttpRequest> => ({
    place: { kind: "origin", origin: `https://${host}` },
    connectTo,
  });
  assert.equal(await call({ ca }, named("service.example")), "anonymous");
  const other = "tls ERR_TLS_CERT_ALTNAME_INVALID unsent";
  assert.equal(await call({ ca }, named("other.example")), other);
  // What the Host header says does not matter.
  const claimed = { ...named("other.example"), headers: { host: "service.example" } };
  assert.equal(await call({ ca }, claimed), other);
  assert.equal(await call({ ca, serverName: "service.example" }), "anonymous");
  assert.equal(await call({ ca, serverName: "other.example" }), other);
});

test("a client certificate is shown on every connection", async () => {
  const { ca, client } = secure;
  for (const connection of ["own", "shared"] as const) {
    assert.equal(await call({ ca, ...client }, { connection }), "caller");
  }
});

test("JSON calls keep one client for each authority, up to their limit", async () => {
  const { ca, port } = secure;
  const opened: (string | undefined)[] = [];
  let closed = 0;
  using counted = jsonCalls((options) => {
    opened.push(options?.tls?.ca);
    const client = open(options);
    return { ...client, [Symbol.dispose]: () => (closed++, client[Symbol.dispose]()) };
  });
  const reasonWith = async (authority: string | undefined): Promise<string> => {
    const url = new URL(`https://127.0.0.1:${port}/`);
    const signal = new AbortController().signal;
    const limited = { timeoutMs: 60_000, maxBytes: 99, signal };
    const result = await counted.call({ method: "GET", url, ca: authority, ...limited });
    return result.kind === "failure" ? `${result.reason} ${result.code}` : "json";
  };
  // The server answers with a text, so a call that arrives is one that is not JSON.
  assert.equal(await reasonWith(ca), "invalid ");
  assert.equal(await reasonWith(undefined), "tls SELF_SIGNED_CERT_IN_CHAIN");
  assert.equal(await reasonWith(ca), "invalid ");
  assert.deepEqual(opened, [ca, undefined]);
  const others = Array.from({ length: limits.maxJsonAuthorities - 1 }, (_, n) => `${ca}${n}`);
  await Promise.all(others.map(reasonWith));
  assert.equal(closed, 1);
  assert.equal(await reasonWith(undefined), "tls SELF_SIGNED_CERT_IN_CHAIN");
  assert.deepEqual([opened.length, closed], [limits.maxJsonAuthorities + 2, 2]);
});

test("documents of OpenID providers are read with the provider's authority", async () => {
  const { ca, port } = secure;
  const url = `https://127.0.0.1:${port}/keys`;
  const fetched = async (authority: string | undefined, signal: AbortSignal): Promise<string> => {
    const options = { method: "GET", headers: new Headers(), redirect: "manual" } as const;
    const answer = await fetchTrusting(authority)(url, { ...options, signal });
    return `${answer.status} ${await answer.text()}`;
  };
  const anyTime = new AbortController().signal;
  assert.equal(await fetched(ca, anyTime), "200 anonymous");
  await assert.rejects(fetched(undefined, anyTime), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
  await assert.rejects(fetched(ca, AbortSignal.abort(new Error("late"))), /^Error: late$/);
});
