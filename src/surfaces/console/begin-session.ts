// The sign-in itself, which a token, a link and a provider share: the token is checked, a session
// with a new id begins, and the earlier session of the browser ends.

import { refusalOf, unauthenticated } from "../../intents/auth/refusal.ts";
import { forbidden } from "../../intents/auth/forbidden.ts";
import { hostOf, isOwnHost, originOf } from "../../intents/sessions/same-origin.ts";
import { sessionCookie, sessionIdIn } from "../../intents/sessions/session-cookie.ts";
import type { SessionMethod } from "../../intents/sessions/sessions.ts";
import { causeOf } from "../../intents/write/cause-of.ts";
import type { Cause } from "../../kernel/cause.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { factsOf } from "./console-ports.ts";
import type { ConsoleCall, ConsolePorts } from "./console-ports.ts";

export const surfaceName = "console";

/** The annotation of the audit record of a sign-in. */
export const signedInAnnotation = "console.setpoint.dev/signed-in";

/** Returns the header that stores the session in the browser. Throws request.unauthenticated. */
export async function beginSession(
  ports: ConsolePorts,
  call: ConsoleCall,
  { token, method }: { readonly token: string; readonly method: SessionMethod },
): Promise<string> {
  const { authentication, apiAudiences, sessions, clock } = ports;
  const outcome = await authentication.authenticateToken(token, apiAudiences);
  if (outcome.kind === "unknown") throw unauthenticated(outcome.refusal);
  const { user } = outcome;
  // A link works once, so it needs no limit, and a refusal would use it up.
  if (method !== "link") ports.takeSignIn(user);
  call.trail?.annotate(signedInAnnotation, user.name);
  const facts = factsOf(call.exchange);
  const cause = callCause(call, user);
  const earlier = sessionIdIn(facts);
  const known = earlier === undefined ? undefined : await sessions.find(earlier);
  const { id, session } = await sessions.begin({ userName: user.name, method, token, cause });
  if (known !== undefined) await sessions.end(known.name, cause);
  return sessionCookie(facts, id, session.expiresMs - clock.nowMs());
}

export function callCause({ parsed: { ids } }: ConsoleCall, user: UserInfo): Cause {
  const { trace: traceId, correlation: correlationId } = ids;
  return causeOf({ user, surface: surfaceName, traceId, correlationId, warn: () => undefined });
}

/** The origin under which the browser knows this server. Throws request.forbidden. */
export function checkedOrigin({ hosts }: ConsolePorts, { exchange }: ConsoleCall): string {
  const facts = factsOf(exchange);
  const host = hostOf(facts);
  const origin = originOf(facts);
  if (host !== undefined && origin !== undefined && isOwnHost(host, hosts)) return origin;
  const why = "the request names a host that is not this server; add it to hosts";
  throw forbidden({ group: "", resource: "", name: "" }, why);
}

/** For the page: undefined for errors that are not about credentials. */
export function reasonOf(error: unknown): string | undefined {
  return refusalOf(error)?.reason;
}
