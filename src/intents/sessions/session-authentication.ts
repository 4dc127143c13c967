// Authentication by the cookie of a session, beside the credentials of other clients. A request
// with a certificate or the header Authorization does not use its cookie. The user of a session is
// the one that its credential names now, so rights, expiry and revocation are those of the
// credential.

import type { Authentication } from "../auth/authentication.ts";
import { forbidden } from "../auth/forbidden.ts";
import { noCredentials, unauthenticated } from "../auth/refusal.ts";
import type { Refusal } from "../auth/refusal.ts";
import { headerValues } from "../auth/request-facts.ts";
import type { RequestFacts } from "../auth/request-facts.ts";
import type { UserInfo } from "../auth/user.ts";
import { hostOf, isOwnHost, originProblem } from "./same-origin.ts";
import { sessionIdIn } from "./session-cookie.ts";
import type { Sessions } from "./sessions.ts";

/** The key in `UserInfo.extra` with the session of a request: the start of its stored name. */
export const sessionKey = "authentication.setpoint.dev/session";

const shownChars = 16;

export interface SessionAuthenticationInput {
  readonly base: Authentication;
  readonly sessions: Pick<Sessions, "find">;
  readonly apiAudiences: readonly string[];
  /** The names under which browsers reach this server, in lower case. */
  readonly hosts: ReadonlySet<string>;
}

export function sessionAuthentication(input: SessionAuthenticationInput): Authentication {
  const { base } = input;
  return {
    authenticateToken: (token, audiences) => base.authenticateToken(token, audiences),
    authenticate: async (request) => {
      const hasOther =
        (request.peerCertificate?.commonName ?? "") !== "" ||
        headerValues(request.headers, "authorization").length > 0;
      const isPlain = request.isSecure === false;
      if (hasOther && isPlain) throw unauthenticated(plainCredentials);
      const id = hasOther ? undefined : sessionIdIn(request);
      if (id === undefined) {
        if (isPlain) throw unauthenticated(noCredentials);
        return await base.authenticate(request);
      }
      return await userOf(input, request, id);
    },
  };
}

/** The shown id of the session with this stored name. */
export function shownSession(name: string): string {
  return name.slice(0, shownChars);
}

/** Undefined for a request without a session. */
export function sessionOfUser({ extra }: UserInfo): string | undefined {
  return extra[sessionKey]?.[0];
}

async function userOf(
  { base, sessions, apiAudiences, hosts }: SessionAuthenticationInput,
  request: RequestFacts,
  id: string,
): Promise<UserInfo> {
  const host = hostOf(request);
  if (host === undefined || !isOwnHost(host, hosts)) {
    throw refused("the request names a host that is not this server");
  }
  const problem = originProblem(request);
  if (problem !== undefined) throw refused(problem);
  const session = await sessions.find(id);
  if (session === undefined) throw unauthenticated(ended);
  const outcome = await base.authenticateToken(session.token, apiAudiences);
  if (outcome.kind === "unknown") throw unauthenticated(outcome.refusal);
  const { user } = outcome;
  if (user.name !== session.userName) throw unauthenticated(ended);
  return { ...user, extra: { ...user.extra, [sessionKey]: [shownSession(session.name)] } };
}

const ended: Refusal = { fault: "expired", reason: "the session has ended: sign in again" };

const plainCredentials: Refusal = {
  fault: "malformed",
  reason: "credentials are accepted over https only; this address serves the console",
};

function refused(why: string): Error {
  return forbidden({ group: "", resource: "", name: "" }, why);
}
