// What authentication learns of a client's certificate. TLS has verified it against our authority,
// or there is nothing to learn: the server asks for certificates but lets clients without one in,
// so whether this one was verified has to be asked here.

import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../intents/auth/request-facts.ts";

export function peerCertificateOf(socket: TLSSocket): PeerCertificate | undefined {
  if (!socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const { subject } = certificate.toLegacyObject();
  return {
    commonName: texts(subject.CN).at(-1) ?? "",
    organizations: texts(subject.O),
    sha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
  };
}

/** One value, several or none, as node:tls has it. */
function texts(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === "string");
}
