// Certificates and keys of a connection, judged before they are used, and failures of TLS in words:
// what is wrong is told by where it stands, with what to set, and never by what it is.

import { createPrivateKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { certificateIn } from "../../../kernel/certificates.ts";

/** What is wrong with a private key, or with it and the certificate that it should belong to. */
export function keyProblem(key: string, certificate: string): string | undefined {
  const read = keyIn(key);
  if (read === undefined) return "does not contain a private key (PEM) without a password";
  const own = certificateIn(certificate);
  return own?.checkPrivateKey(read) === false ? "does not belong to tls.crt" : undefined;
}

const untrusted = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "INVALID_CA",
]);

/** Alerts by which a service says that it wants another certificate of who asks, or one at all. */
const certificateAlerts = new Set([42, 43, 44, 45, 46, 48, 49, 116]);
const handshakeFailure = 40;

/** Undefined when it is no failure of TLS. Some of them come after a request was carried out. */
export function tlsProblem({
  code = "",
  message,
}: {
  readonly code?: string;
  readonly message: string;
}): string | undefined {
  if (untrusted.has(code)) {
    return (
      "the certificate of the service is signed by an unknown authority: " +
      `set tls.ca or tls.caSecret (${code})`
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "the certificate of the service has other host names: set tls.serverName to one";
  }
  if (code === "CERT_HAS_EXPIRED") return "the certificate of the service has expired";
  if (code === "CERT_NOT_YET_VALID") return "the certificate of the service is not valid yet";
  const alert = alertIn(message);
  if (code === "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" || alert === 116) {
    return "the service requires a client certificate: set tls.secret";
  }
  if (alert === handshakeFailure || certificateAlerts.has(alert)) {
    return (
      "the service refused the TLS handshake: it may require a client certificate " +
      `(tls.secret), or a different one (alert ${alert})`
    );
  }
  const isWrongProtocol = code === "ERR_SSL_WRONG_VERSION_NUMBER" || code === "EPROTO";
  return isWrongProtocol
    ? "the service does not speak TLS, or no common version: is the URL http://?"
    : undefined;
}

/** NaN where there is none. */
function alertIn(message: string): number {
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  return Number(alert);
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
