import { X509Certificate } from "node:crypto";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deepEqual, equal, match, notEqual, ok, throws } from "node:assert/strict";
import { connect, createServer } from "node:tls";
import type { AddressInfo } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { manualClock } from "../../kernel/clock.ts";
import { systemRandom } from "../../kernel/random.ts";
import type { PeerCertificate } from "../../intents/auth/request-facts.ts";
import { openAdminToken } from "./admin-token.ts";
import { openAuthority } from "./authority.ts";
import type { Authority } from "./authority.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { peerCertificateOf } from "./peer-certificate.ts";
import { certificateHosts, subjectHost } from "../../kernel/x509/subject-hosts.ts";

interface World extends Disposable {
  readonly folder: string;
  readonly clock: ReturnType<typeof manualClock>;
  readonly open: () => Authority;
}

function world(): World {
  const folder = mkdtempSync(join(tmpdir(), "setpoint-tls-"));
  // Certificates are checked against the real time by TLS, so the clock begins there.
  const clock = manualClock(statSync(folder).mtimeMs);
  return {
    folder,
    clock,
    open: () => openAuthority({ folder, clock, random: systemRandom }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const dayMs = 86_400_000;

test("the authority is made once, for ten years, with a key that only its owner reads", () => {
  using at = world();
  const first = at.open();
  const certificate = new X509Certificate(first.certificatePem);
  ok(certificate.ca);
  ok(certificate.verify(certificate.publicKey));
  const days = (certificate.validToDate.getTime() - at.clock.nowMs()) / dayMs;
  ok(days > 3_649 && days <= 3_650);
  equal(at.open().certificatePem, first.certificatePem);
  equal(statSync(join(at.folder, "ca.key")).mode & 0o777, 0o600);
  equal(statSync(join(at.folder, "ca.crt")).mode & 0o777, 0o644);
});

test("a lost certificate of the authority is made again, and its certificates stay good", () => {
  using at = world();
  const { certificatePem } = at.open().issueClientCertificate({ name: "ann", groups: [] });
  rmSync(join(at.folder, "ca.crt"));
  const again = new X509Certificate(at.open().certificatePem);
  ok(new X509Certificate(certificatePem).checkIssued(again));
  ok(new X509Certificate(certificatePem).verify(again.publicKey));
  writeFileSync(join(at.folder, "ca.crt"), "nonsense");
  throws(() => at.open(), /cannot be used/u);
});

test("the server's certificate is kept until hosts change or its end is near", () => {
  using at = world();
  const authority = at.open();
  const first = authority.serverCertificate(["setpoint.example", "10.0.0.7", "0.0.0.0"]);
  const certificate = new X509Certificate(first.certificatePem);
  for (const host of ["localhost", "setpoint.example"]) ok(certificate.checkHost(host));
  for (const ip of ["127.0.0.1", "::1", "10.0.0.7"]) ok(certificate.checkIP(ip));
  equal(certificate.checkHost("other.example"), undefined);
  equal(statSync(join(at.folder, "server.pem")).mode & 0o777, 0o600);
  deepEqual(authority.serverCertificate(["10.0.0.7", "Setpoint.example"]), first);
  const second = authority.serverCertificate(["other.example"]);
  notEqual(second.certificatePem, first.certificatePem);
  at.clock.advanceMs(334 * dayMs);
  deepEqual(authority.serverCertificate(["other.example"]), second);
  at.clock.advanceMs(2 * dayMs);
  const renewed = authority.serverCertificate(["other.example"]);
  notEqual(renewed.certificatePem, second.certificatePem);
  writeFileSync(join(at.folder, "server.pem"), `${first.keyPem}${renewed.certificatePem}`);
  notEqual(authority.serverCertificate(["other.example"]).keyPem, first.keyPem);
});

test("openssl, where there is one, accepts the chain and reads the same fields", () => {
  using at = world();
  const authority = at.open();
  const hosts = ["setpoint.example", "fe80::1:2"];
  const server = authority.serverCertificate(hosts);
  const client = authority.issueClientCertificate({ name: "jörg", groups: ["a", "b"] });
  const [ca, serverFile, clientFile] = ["ca.crt", "server.crt", "client.crt"].map((name) =>
    join(at.folder, name),
  );
  writeFileSync(serverFile ?? "", server.certificatePem);
  writeFileSync(clientFile ?? "", client.certificatePem);
  const openssl = (...options: readonly string[]) =>
    spawnSync("openssl", options, { encoding: "utf8" });
  if (openssl("version").status !== 0) return;
  const verify = (purpose: string, file = ""): string =>
    openssl("verify", "-x509_strict", "-purpose", purpose, "-CAfile", ca ?? "", file).stdout;
  match(verify("sslserver", serverFile), /OK/u);
  match(verify("sslclient", clientFile), /OK/u);
  equal(verify("sslclient", serverFile).includes("OK"), false);
  const text = openssl("x509", "-in", serverFile ?? "", "-noout", "-text").stdout;
  match(text, /ecdsa-with-SHA256/u);
  match(text, /DNS:setpoint\.example/u);
  match(text, /IP Address:FE80:0:0:0:0:0:1:2/u);
  match(text, /TLS Web Server Authentication/u);
  const authorityText = openssl("x509", "-in", ca ?? "", "-noout", "-text").stdout;
  match(authorityText, /Digital Signature, Certificate Sign, CRL Sign/u);
  match(authorityText, /CA:TRUE/u);
});

test("a client with a certificate of the authority is known by it, others are not", async () => {
  using at = world();
  const authority = at.open();
  const client = authority.issueClientCertificate({ name: "jörg", groups: ["b", "a"] });
  using elsewhere = world();
  const stranger = elsewhere.open().issueClientCertificate({ name: "root", groups: ["masters"] });
  const known = await handshake(authority, { cert: client.certificatePem, key: client.keyPem });
  equal(known?.commonName, "jörg");
  deepEqual(known?.organizations, ["b", "a"]);
  equal(known?.sha256.length, 64);
  const other = { cert: stranger.certificatePem, key: stranger.keyPem };
  equal(await handshake(authority, other), undefined);
  equal(await handshake(authority, {}), undefined);
  const server = authority.serverCertificate([]);
  const misused = { cert: server.certificatePem, key: server.keyPem };
  equal(await handshake(authority, misused), undefined);
});

/** Connects over TLS and tells what the server learnt of the client. */
async function handshake(
  authority: Authority,
  credentials: Pick<ConnectionOptions, "cert" | "key">,
): Promise<PeerCertificate | undefined> {
  const { certificatePem, keyPem } = authority.serverCertificate([]);
  const ca = authority.certificatePem;
  const learnt = Promise.withResolvers<PeerCertificate | undefined>();
  const server = createServer(
    { cert: certificatePem, key: keyPem, ca, requestCert: true, rejectUnauthorized: false },
    (socket) => {
      learnt.resolve(peerCertificateOf(socket));
      socket.end();
    },
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: "localhost", port, ca, ...credentials });
  client.once("error", learnt.reject);
  try {
    return await learnt.promise;
  } finally {
    client.destroy();
    server.close();
  }
}

test("hosts are brought into one form, and what is none is refused", () => {
  deepEqual(certificateHosts(["ÉCOLE.example", "0:0::1", "::", ""]), [
    "127.0.0.1",
    "::1",
    "localhost",
    "xn--cole-9oa.example",
  ]);
  deepEqual(subjectHost("::1"), { kind: "address", bytes: Buffer.from([...Buffer.alloc(15), 1]) });
  deepEqual(subjectHost("1:2:3:4:5:6:7:8"), {
    kind: "address",
    bytes: Buffer.from("00010002000300040005000600070008", "hex"),
  });
  for (const host of ["https://a", "a:1", "a b", "fe80::1%eth0", "-a"]) {
    throws(() => certificateHosts([host]), /is not a host/u);
  }
});

test("the administrator's token is made once and kept from others", () => {
  using at = world();
  const token = openAdminToken(at.folder, systemRandom);
  equal(token.length, 43);
  equal(openAdminToken(at.folder, systemRandom), token);
  const path = join(at.folder, "admin.token");
  equal(statSync(path).mode & 0o777, 0o600);
  chmodSync(path, 0o600);
  writeFileSync(path, "\n");
  throws(() => openAdminToken(at.folder, systemRandom), /does not contain a token/u);
});

test("a kubeconfig names the server, its authority and the credentials", () => {
  using at = world();
  const authority = at.open();
  const text = kubeconfig({
    server: "https://127.0.0.1:7443",
    authorityPem: authority.certificatePem,
    user: "admin",
    credentials: { kind: "token", token: "secret" },
  });
  const data = Buffer.from(authority.certificatePem).toString("base64");
  equal(
    text,
    [
      "apiVersion: v1",
      "kind: Config",
      "clusters:",
      '- name: "setpoint"',
      "  cluster:",
      '    server: "https://127.0.0.1:7443"',
      `    certificate-authority-data: "${data}"`,
      "users:",
      '- name: "admin"',
      "  user:",
      '    token: "secret"',
      "contexts:",
      '- name: "setpoint"',
      "  context:",
      '    cluster: "setpoint"',
      '    user: "admin"',
      'current-context: "setpoint"',
      "",
    ].join("\n"),
  );
  ok(readFileSync(join(at.folder, "ca.crt"), "utf8").length > 0);
});
