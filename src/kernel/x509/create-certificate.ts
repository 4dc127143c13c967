// X.509 certificates on the curve P-256 (RFC 5280): of an authority, of a server, of a client.
// Each has the extensions that verifiers insist on and no others. A certificate says what it is
// for, so that one for a server never logs in as a client.

import { createHash, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";
import type { Der } from "./der.ts";
import { subjectHost } from "./subject-hosts.ts";

export type CertificatePurpose =
  | { readonly kind: "authority" }
  | { readonly kind: "server"; readonly hosts: readonly string[] }
  | { readonly kind: "client" };

export interface DistinguishedName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** Private or public; only the public half is used. */
  readonly subjectKey: KeyObject;
  readonly issuerKey: KeyObject;
  readonly purpose: CertificatePurpose;
  /** Random bytes; a serial number must never be used twice by one authority. */
  readonly serial: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

const ecdsaWithSha256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));

export function generateCertificateKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** The certificate as PEM. */
export function createCertificate(request: CertificateRequest): string {
  const { subject, issuer, subjectKey, issuerKey, serial, notBeforeMs, notAfterMs } = request;
  const version3 = explicit(0, integer(Buffer.of(2)));
  const body = sequence(
    version3,
    integer(positive(serial)),
    ecdsaWithSha256,
    distinguishedName(issuer),
    sequence(time(notBeforeMs), time(notAfterMs)),
    distinguishedName(subject),
    publicKeyInfo(subjectKey),
    explicit(3, sequence(...extensions(request))),
  );
  const signature = sign("sha256", body, issuerKey);
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature));
  const lines = certificate.toString("base64").match(/.{1,64}/gu) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function extensions({ purpose, subjectKey, issuerKey }: CertificateRequest): readonly Der[] {
  const isAuthority = purpose.kind === "authority";
  const own = extension("2.5.29.14", octetString(keyId(subjectKey)));
  const issuers = extension("2.5.29.35", sequence(implicit(0, keyId(issuerKey))));
  const basic = isAuthority ? sequence(boolean(true)) : sequence();
  // Digital signature, certificate signing and revocation list signing; or the first alone.
  const usage = isAuthority ? bitString(Buffer.of(0x86), 1) : bitString(Buffer.of(0x80), 7);
  const common = [
    criticalExtension("2.5.29.15", usage),
    criticalExtension("2.5.29.19", basic),
    own,
    issuers,
  ];
  switch (purpose.kind) {
    case "authority":
      return common;
    case "client":
      return [...common, extendedUsage("1.3.6.1.5.5.7.3.2")];
    case "server": {
      const names = purpose.hosts.map(generalName);
      const alternatives = extension("2.5.29.17", sequence(...names));
      return [...common, extendedUsage("1.3.6.1.5.5.7.3.1"), alternatives];
    }
    default:
      return purpose satisfies never;
  }
}

function generalName(host: string): Der {
  const found = subjectHost(host);
  return found.kind === "name"
    ? implicit(2, Buffer.from(found.name, "ascii"))
    : implicit(7, found.bytes);
}

function extendedUsage(oid: string): Der {
  return extension("2.5.29.37", sequence(objectIdentifier(oid)));
}

function extension(oid: string, value: Uint8Array): Der {
  return sequence(objectIdentifier(oid), octetString(value));
}

function criticalExtension(oid: string, value: Uint8Array): Der {
  return sequence(objectIdentifier(oid), boolean(true), octetString(value));
}

function distinguishedName({ commonName, organizations = [] }: DistinguishedName): Der {
  const attribute = (oid: string, text: string): Der =>
    set(sequence(objectIdentifier(oid), utf8String(text)));
  return sequence(
    ...organizations.map((organization) => attribute("2.5.4.10", organization)),
    attribute("2.5.4.3", commonName),
  );
}

function publicKeyInfo(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ type: "spki", format: "der" });
}

/** The first 160 bits of a digest of the point on the curve, which ends the key's encoding. */
export function keyId(key: KeyObject): Buffer {
  const point = publicKeyInfo(key).subarray(-65);
  return createHash("sha256").update(point).digest().subarray(0, 20);
}

/** Serial numbers are positive and not zero. */
function positive(serial: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(serial);
  copy[0] = ((copy[0] ?? 0) & 0x7f) | 0x40;
  return copy;
}
