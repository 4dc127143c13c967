// The local certificate authority: made on the first start, so that the API speaks TLS without
// anybody having to buy or configure anything. It lives in the data folder, with keys readable by
// their owner only. The server's certificate is made again when its hosts change and well before
// it ends; the authority's own is good for ten years, and clients keep trusting it.

import { X509Certificate, createPrivateKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import type { Random } from "../../kernel/random.ts";
import { writeDurably } from "../durable-file.ts";
import { certificateHosts, subjectHost } from "../../kernel/x509/subject-hosts.ts";
import {
  createCertificate,
  generateCertificateKey,
  keyId,
} from "../../kernel/x509/create-certificate.ts";
import type {
  CertificatePurpose,
  DistinguishedName,
} from "../../kernel/x509/create-certificate.ts";

export interface IssuedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface ClientRequest {
  /** Becomes the user's name. */
  readonly name: string;
  readonly groups: readonly string[];
  /** A year unless told. */
  readonly days?: number | undefined;
}

export interface Authority {
  readonly certificatePem: string;
  /** The stored certificate, or a new one when it no longer fits. */
  serverCertificate(hosts: readonly string[]): IssuedCertificate;
  issueClientCertificate(request: ClientRequest): IssuedCertificate;
}

export interface AuthorityOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

const dayMs = 86_400_000;
const authorityDays = 3_650;
const certificateDays = 365;
const renewalDays = 30;
/** Clocks of clients may be behind ours. */
const earlyMs = 3_600_000;

export function openAuthority(options: AuthorityOptions): Authority {
  const { folder, clock } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const key = openKey(join(folder, "ca.key"));
  const certificate = openCertificate(join(folder, "ca.crt"), key, options);
  const certificatePem = certificate.toString();
  const issuer = { commonName: commonNameOf(certificate) };
  const issue = (
    subject: DistinguishedName,
    purpose: CertificatePurpose,
    days: number,
  ): IssuedCertificate => {
    const subjectKey = generateCertificateKey();
    const latestMs = certificate.validToDate.getTime();
    const pem = createCertificate({
      subject,
      issuer,
      subjectKey,
      issuerKey: key,
      purpose,
      serial: options.random.bytes(16),
      notBeforeMs: clock.nowMs() - earlyMs,
      notAfterMs: Math.min(clock.nowMs() + days * dayMs, latestMs),
    });
    return { certificatePem: pem, keyPem: keyText(subjectKey) };
  };
  return {
    certificatePem,
    issueClientCertificate: ({ name, groups, days = certificateDays }) => {
      if (name === "") throw new SetpointError("request.invalid", "a client needs a name");
      return issue({ commonName: name, organizations: groups }, { kind: "client" }, days);
    },
    serverCertificate: (wanted) => {
      const path = join(folder, "server.pem");
      const hosts = certificateHosts(wanted);
      const stored = readServer(path);
      if (stored !== undefined && isUsable(stored, hosts, certificate, clock)) return stored;
      const subject = { commonName: "setpoint-server" };
      const issued = issue(subject, { kind: "server", hosts }, certificateDays);
      // Key and certificate share a file, so that they can never be of different ages.
      const text = issued.keyPem + issued.certificatePem;
      writeDurably(path, text, { existing: "replace", mode: 0o600 });
      return issued;
    },
  };
}

/** Made once; of two processes that start at once, both use the first's. */
function openKey(path: string): KeyObject {
  if (!existsSync(path)) {
    writeDurably(path, keyText(generateCertificateKey()), { existing: "keep", mode: 0o600 });
  }
  try {
    return createPrivateKey(readFileSync(path, "utf8"));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** A lost certificate is made again from the key, by the same name: what it issued stays good. */
function openCertificate(path: string, key: KeyObject, options: AuthorityOptions): X509Certificate {
  const { clock, random } = options;
  if (!existsSync(path)) {
    const subject = { commonName: `setpoint-ca-${keyId(key).toString("hex").slice(0, 8)}` };
    const pem = createCertificate({
      subject,
      issuer: subject,
      subjectKey: key,
      issuerKey: key,
      purpose: { kind: "authority" },
      serial: random.bytes(16),
      notBeforeMs: clock.nowMs() - earlyMs,
      notAfterMs: clock.nowMs() + authorityDays * dayMs,
    });
    writeDurably(path, pem, { existing: "keep", mode: 0o644 });
  }
  const certificate = parseCertificate(path, readFileSync(path, "utf8"));
  if (certificate.checkPrivateKey(key)) return certificate;
  throw unreadable(path, new Error("the certificate does not belong to the key next to it"));
}

function parseCertificate(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Anything that is wrong with the stored certificate is a reason to make a new one. */
function readServer(path: string): IssuedCertificate | undefined {
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  const start = text.indexOf("-----BEGIN CERTIFICATE-----");
  if (start < 0) return undefined;
  return { keyPem: text.slice(0, start), certificatePem: text.slice(start) };
}

function isUsable(
  { keyPem, certificatePem }: IssuedCertificate,
  hosts: readonly string[],
  authority: X509Certificate,
  clock: Clock,
): boolean {
  try {
    const certificate = new X509Certificate(certificatePem);
    const leftMs = certificate.validToDate.getTime() - clock.nowMs();
    const isNow = certificate.validFromDate.getTime() <= clock.nowMs();
    return (
      isNow &&
      leftMs >= renewalDays * dayMs &&
      certificate.verify(authority.publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(keyPem)) &&
      certificate.subjectAltName === alternativesText(hosts)
    );
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** The alternatives as node:crypto prints them; IPv6 addresses are written out in full there. */
function alternativesText(hosts: readonly string[]): string {
  return hosts.map(alternativeText).join(", ");
}

function alternativeText(host: string): string {
  const found = subjectHost(host);
  if (found.kind === "name") return `DNS:${found.name}`;
  if (found.bytes.length === 4) return `IP Address:${[...found.bytes].join(".")}`;
  const groups = Array.from({ length: 8 }, (_, i) => found.bytes.readUInt16BE(i * 2));
  return `IP Address:${groups.map((group) => group.toString(16).toUpperCase()).join(":")}`;
}

function commonNameOf(certificate: X509Certificate): string {
  return /(?:^|\n)CN=(.*)$/u.exec(certificate.subject)?.[1] ?? "";
}

function keyText(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function unreadable(path: string, cause: unknown): SetpointError {
  return new SetpointError("config.invalid", `${path} cannot be used`, {
    cause,
    details: { path },
    suggestion: "restore the file, or delete ca.key and ca.crt to create a new authority",
  });
}
