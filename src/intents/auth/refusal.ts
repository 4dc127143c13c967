// Why a request is not authenticated. `fault` is for programs, `reason` for people: surfaces,
// WWW-Authenticate, the log, the audit record and TokenReview show it. Neither contains the
// credentials. A claim of the token is quoted only where its value is no secret (issuer,
// algorithm, audience), and shortened.

import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { textAt } from "../../kernel/json-read.ts";
import { limits } from "../../kernel/limits.ts";
import { shortText } from "../../kernel/short-text.ts";
import { unverifiedClaims } from "./unverified-token.ts";

export type Fault =
  | "no-credentials"
  /** Neither a JWT nor a known token. */
  | "malformed"
  | "unknown-issuer"
  /** `alg` is "none", symmetric or not in the list of accepted algorithms. */
  | "algorithm"
  /** The issuer has no key with this id. */
  | "unknown-key"
  /** The keys of the issuer cannot be read at present. */
  | "keys-unavailable"
  | "bad-signature"
  | "expired"
  | "not-yet-valid"
  | "missing-claim"
  /** A claim has another value or another type than it must have. */
  | "wrong-claim"
  | "wrong-audience"
  /** The account or the secret that the token is bound to does not exist any more. */
  | "revoked";

export interface Refusal {
  readonly fault: Fault;
  /** Never contains the credentials. */
  readonly reason: string;
  /** Of "missing-claim" and "wrong-claim". */
  readonly claim?: string | undefined;
}

export const noCredentials: Refusal = { fault: "no-credentials", reason: "no credentials" };

/** The error of a 401. Its message is the one that Kubernetes defines. */
export function unauthenticated(refusal: Refusal): SetpointError {
  return new SetpointError("request.unauthenticated", "Unauthorized", {
    details: detailsOf(refusal),
  });
}

/** What an authenticator throws for a token of its own kind that is not good. */
export function badToken(refusal: Refusal, cause?: unknown): SetpointError {
  const details = detailsOf(refusal);
  return new SetpointError("request.unauthenticated", refusal.reason, { cause, details });
}

/** Undefined for every other error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isSetpointError(error, "request.unauthenticated")) return undefined;
  const { details } = error;
  const [reason, claim] = [textAt(details, "reason"), textAt(details, "claim")];
  if (reason === "") return undefined;
  const fault = textAt(details, "fault") as Fault;
  return { fault, reason, ...(claim === "" ? {} : { claim }) };
}

/** For a token that no authenticator knows as its own. */
export function unclaimedToken(token: string): Refusal {
  if (token.length > limits.maxTokenChars) {
    const reason = `malformed token: it is longer than ${limits.maxTokenChars} characters`;
    return { fault: "malformed", reason };
  }
  const claims = unverifiedClaims(token);
  if (claims === undefined) {
    return { fault: "malformed", reason: "malformed token: it is neither a JWT nor a known token" };
  }
  const issuer = textAt(claims, "iss");
  if (issuer === "") return missingClaim("iss");
  return { fault: "unknown-issuer", reason: `unknown issuer ${quoted(issuer)}` };
}

export function missingClaim(claim: string): Refusal {
  return { fault: "missing-claim", reason: `missing claim ${claim}`, claim };
}

/** `wanted` is what the claim must be, such as "a number". */
export function wrongClaim(claim: string, wanted: string): Refusal {
  return { fault: "wrong-claim", reason: `claim ${claim} must be ${wanted}`, claim };
}

export function refusedAlgorithm(algorithm: string, accepted: readonly string[]): Refusal {
  const reason = `algorithm ${quoted(algorithm)} is not accepted: use ${accepted.join(", ")}`;
  return { fault: "algorithm", reason };
}

/** A value of an unverified token, for people. */
export function quoted(value: string): string {
  return JSON.stringify(shortText(value, limits.maxQuotedClaimChars));
}

function detailsOf({ fault, reason, claim }: Refusal): Record<string, string> {
  return { reason, fault, ...(claim === undefined ? {} : { claim }) };
}
