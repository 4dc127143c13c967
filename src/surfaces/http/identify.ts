// Authentication: finds the user of a request and begins its audit record. A request whose
// credentials are missing or not valid receives 401. The reason goes to the log, to the audit
// record and to the client: in the header WWW-Authenticate (RFC 6750), and in the body where the
// protocol leaves its text open.

import type { Auditor, AuditTrail } from "../../intents/audit/audit-trail.ts";
import type { Authentication } from "../../intents/auth/authentication.ts";
import { impersonate } from "../../intents/auth/impersonation.ts";
import type { Authorizer } from "../../intents/auth/policy.ts";
import { noCredentials, refusalOf, unauthenticated } from "../../intents/auth/refusal.ts";
import type { RequestHeaders } from "../../intents/auth/request-facts.ts";
import type { SessionEnds } from "../../intents/sessions/session-ends.ts";
import { sessionOfUser } from "../../intents/sessions/session-authentication.ts";
import { anonymousName } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { beginAudit } from "./audit.ts";
import { auditedExchange } from "./audited-exchange.ts";
import type { Exchange, Headers } from "./exchange.ts";
import type { HttpSurface, SurfaceRequest } from "./surface.ts";

/** The fields that this step sets. */
export interface Identified extends SurfaceRequest {
  exchange: Exchange;
  user: UserInfo;
  impersonator: string | undefined;
  trail: AuditTrail | undefined;
}

export interface IdentifyPorts {
  readonly authentication: Pick<Authentication, "authenticate">;
  readonly audit?: Auditor | undefined;
  /** Absent where there are no sessions. */
  readonly sessionEnds?: Pick<SessionEnds, "follow"> | undefined;
}

/** Throws request.unauthenticated, or request.forbidden for an impersonation. */
export async function identify(
  { authentication, audit, sessionEnds }: IdentifyPorts,
  surface: HttpSurface,
  request: Identified,
): Promise<void> {
  if (surface.isPublic?.(request.parsed) === true) {
    beginTrail(audit, surface, request, request.user);
    return;
  }
  const { headers, method, isSecure, certificate: peerCertificate } = request.exchange;
  try {
    const facts = { headers, method, isSecure, peerCertificate };
    request.user = await authentication.authenticate(facts);
  } catch (error) {
    beginTrail(audit, surface, request, unknownUser);
    noteReason(request, error);
    throw error;
  }
  beginTrail(audit, surface, request, request.user);
  if (sessionEnds !== undefined) endWithSession(sessionEnds, request);
  if (surface.allowsAnonymous !== true && request.user.name === anonymousName) {
    const error = unauthenticated(noCredentials);
    noteReason(request, error);
    throw error;
  }
  if (surface.impersonation !== undefined) actAs(request, surface.impersonation);
}

/** A stream of a user who signs out must not continue; the sign-out itself is answered. */
function endWithSession(ends: Pick<SessionEnds, "follow">, { user, exchange }: Identified): void {
  const session = sessionOfUser(user);
  if (session === undefined) return;
  const end = (): void => {
    if (exchange.isAnswered) exchange.cutOff();
  };
  exchange.onClose(ends.follow(session, end));
}

/** The audit record of an attempt with bad credentials has no user. */
const unknownUser: UserInfo = { name: "", groups: [], extra: {} };

function beginTrail(
  audit: Auditor | undefined,
  surface: HttpSurface,
  request: Identified,
  user: UserInfo,
): void {
  if (audit === undefined) return;
  const { exchange, parsed } = request;
  const call = { id: parsed.ids.request, facts: surface.auditFacts(request), user };
  request.trail = beginAudit(audit, exchange, call);
  if (request.trail !== undefined) request.exchange = auditedExchange(exchange, request.trail);
}

export const reasonAnnotation = "authentication.setpoint.dev/reason";

function noteReason({ trail }: Identified, error: unknown): void {
  const reason = refusalOf(error)?.reason;
  if (reason !== undefined) trail?.annotate(reasonAnnotation, reason);
}

/**
 * The header of a 401 as RFC 6750 defines it. A request without credentials receives no error
 * code, and the description has a restricted set of characters.
 */
export function challengeHeaders(error: unknown): Headers {
  const refusal = refusalOf(error);
  if (refusal === undefined) return {};
  const realm = 'Bearer realm="setpoint"';
  if (refusal.fault === "no-credentials") return { "www-authenticate": realm };
  const description = refusal.reason
    .replaceAll('"', "'")
    .replaceAll(/[^\x20-\x7e]|\\/g, "?")
    .slice(0, maxDescriptionChars);
  const parts = `${realm}, error="invalid_token", error_description="${description}"`;
  return { "www-authenticate": parts };
}

const maxDescriptionChars = 200;

function actAs(request: Identified, authorizer: Authorizer): void {
  if (!hasImpersonation(request.exchange)) return;
  const { exchange, trail } = request;
  const { name } = request.user;
  request.user = impersonate(request.user, impersonationHeaders(exchange), authorizer);
  request.impersonator = name;
  trail?.impersonate(request.user);
}

function hasImpersonation({ headers }: Exchange): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

/** Groups and extras may come several times, each on a line of its own. */
function impersonationHeaders(exchange: Exchange): RequestHeaders {
  const names = Object.keys(exchange.headers).filter((name) => name.startsWith("impersonate-"));
  return Object.fromEntries(names.map((name) => [name, exchange.headerValues(name)]));
}
