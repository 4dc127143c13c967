// Errors of the platform and of undici as failures of the port. Codes of undici become those of
// Node, so that callers know one vocabulary.

import type { HttpFailure } from "./port.ts";

export type FailurePhase = HttpFailure["phase"];

export interface Circumstances {
  readonly phase: FailurePhase;
  readonly isTls: boolean;
  /** The connection of the request uses TLS 1.3, where a server judges our certificate late. */
  readonly isTls13: boolean;
}

/** Thrown inside, where an error must pass through undici or a socket. */
export class AddressRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AddressRefused";
  }
}

const closingCodes = new Set(["UND_ERR_SOCKET", "UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/** That a connection ended, which says nothing about the reason. */
export function isClosing(error: unknown): boolean {
  return error instanceof Error && "code" in error && closingCodes.has(String(error.code));
}

/** Alerts by which a server says that it wants another certificate of the client, or one at all. */
const certificateAlerts = new Set([42, 43, 44, 45, 46, 48, 49, 116]);

export function failureFrom(error: unknown, at: Circumstances): HttpFailure {
  const cause = error instanceof Error ? error : new Error(String(error));
  const given = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  const isUnsent = at.phase === "connecting";
  const base = { kind: "failure", phase: at.phase, cause } as const;
  if (cause instanceof AddressRefused) {
    return { ...base, reason: "refused", isUnsent: true, code: "", message: cause.message };
  }
  if (given.startsWith("UND_ERR_CONNECT_TIMEOUT")) {
    return { ...base, reason: "timeout", isUnsent, code: "ETIMEDOUT", message: cause.message };
  }
  if (isClosing(cause)) {
    const hangUp = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    const { code, message } = hangUp;
    return { ...base, reason: "connection", isUnsent, code, message, cause: hangUp };
  }
  if (given.startsWith("UND_ERR_") || cause.name === "HTTPParserError") {
    return { ...base, reason: "invalid", isUnsent, code: given, message: cause.message };
  }
  const code = given;
  const { message } = cause;
  if (!at.isTls || !isTlsError(code, message)) {
    return { ...base, reason: "connection", isUnsent, code, message };
  }
  const isJudgedLate = at.isTls13 && at.phase === "waiting" && isCertificateAlert(code, message);
  return { ...base, reason: "tls", isUnsent: isUnsent || isJudgedLate, code, message };
}

export function failure(
  reason: HttpFailure["reason"],
  phase: FailurePhase,
  message: string,
): HttpFailure {
  const isUnsent = phase === "connecting";
  return { kind: "failure", reason, phase, isUnsent, code: "", message };
}

const certificateCodes = new Set([
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "INVALID_CA",
]);

function isTlsError(code: string, message: string): boolean {
  return (
    code === "EPROTO" ||
    /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_)/.test(code) ||
    certificateCodes.has(code) ||
    /SSL alert number \d+/.test(message)
  );
}

/** The server does not accept our certificate, or misses one. */
export function isCertificateAlert(code: string, message: string): boolean {
  const [, alert] = /SSL alert number (\d+)/.exec(message) ?? [];
  return (
    code === "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED" || certificateAlerts.has(Number(alert))
  );
}
