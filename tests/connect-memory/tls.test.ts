// What is known of a request whose connection fails by TLS: that it was not sent is only believed
// where the service cannot have read it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as dial, createServer as createPlainServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { systemRandom } from "../../src/kernel/random.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { ExchangeFailed, wireOver } from "../../src/modules/connect/http/exchange.ts";
import { tlsProblem } from "../../src/modules/connect/http/tls-material.ts";
import { openAuthority } from "../../src/app/tls/authority.ts";

async function listening(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => resolve());
  await promise;
  return (server.address() as AddressInfo).port;
}

it("does not take a request for unsent that the service has read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "connect-tls-"));
  const sockets: Socket[] = [];
  const kept = (socket: Socket): Socket => {
    sockets.push(socket.on("error", () => socket.destroy()));
    return socket;
  };
  const authority = openAuthority({ folder, clock: systemClock, random: systemRandom });
  const { keyPem: key, certificatePem: cert } = authority.serverCertificate(["127.0.0.1"]);
  let acted = 0;
  let breakOff = (): void => undefined;
  const service = createTlsServer({ key, cert, maxVersion: "TLSv1.2" }, (socket) => {
    kept(socket).once("data", () => {
      acted += 1;
      breakOff();
    });
  });
  // A gateway that loses the service, and says so in the middle of what should be TLS.
  let inner = 0;
  const gateway = createPlainServer((outer) => {
    const behind = kept(dial(inner, "127.0.0.1"));
    kept(outer).on("data", (chunk) => behind.write(chunk));
    behind.on("data", (chunk) => outer.write(chunk));
    breakOff = () => outer.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  try {
    inner = await listening(service);
    const url = new URL(`https://127.0.0.1:${await listening(gateway)}`);
    const tls = { ca: authority.certificatePem };
    const settings = { base: { kind: "url", url }, tls, timeoutMs: 60_000, maxAnswerBytes: 1_024 };
    const openWire = wireOver(httpWith(systemTimers));
    using wire = openWire(settings as Parameters<typeof openWire>[0]);
    const request = { method: "POST", target: "/", headers: {}, body: Buffer.from("{}") };
    const failure = await wire
      .exchange(request, new AbortController().signal)
      .catch((error: unknown) => error);
    assert(failure instanceof ExchangeFailed);
    assert.deepEqual([acted, failure.reason, failure.isUnsent], [1, "TlsFailed", false]);
  } finally {
    for (const socket of sockets) socket.destroy();
    for (const server of [service, gateway]) server.close();
    rmSync(folder, { recursive: true });
  }
});

it("tells a certificate that was not accepted from other failures of TLS", () => {
  const alert = (number: number): Error =>
    new Error(`error:0A000000:SSL routines:ssl3_read_bytes:SSL alert number ${number}`);
  assert.match(tlsProblem(alert(116)) ?? "", /set tls\.secret$/);
  assert.match(tlsProblem(alert(40)) ?? "", /refused the TLS handshake/);
  assert.equal(tlsProblem(alert(47)), undefined);
});
