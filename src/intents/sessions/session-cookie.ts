// The cookie of a session. Over TLS its prefix makes browsers refuse one that another host or a
// page without TLS has set. Without TLS (a listener on loopback) its name contains the port,
// because browsers share the cookies of a host between its ports.

import { headerValues } from "../auth/request-facts.ts";
import type { RequestFacts } from "../auth/request-facts.ts";
import { hostOf } from "./same-origin.ts";

type Facts = Pick<RequestFacts, "headers" | "isSecure">;

/** The id in the cookie; undefined without a cookie, or with several of its name. */
export function sessionIdIn(facts: Facts): string | undefined {
  const ids = cookieValues(facts, cookieName(facts));
  return ids.length === 1 ? ids[0] : undefined;
}

/** The header that stores the cookie in the browser. */
export function sessionCookie(facts: Facts, id: string, maxAgeMs: number): string {
  const attributes = ["Path=/", `Max-Age=${Math.ceil(maxAgeMs / 1_000)}`, "HttpOnly"];
  return [`${cookieName(facts)}=${id}`, ...attributes, "SameSite=Strict", ...secure(facts)].join(
    "; ",
  );
}

/** The header that removes it. */
export function endedSessionCookie(facts: Facts): string {
  return sessionCookie(facts, "", 0);
}

/** Of all cookie headers; HTTP/2 may send one for each cookie. */
export function cookieValues({ headers }: Pick<Facts, "headers">, name: string): string[] {
  return headerValues(headers, "cookie")
    .flatMap((header) => header.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The attribute of every cookie that is sent over TLS only. */
export function secure({ isSecure = true }: Facts): readonly string[] {
  return isSecure ? ["Secure"] : [];
}

function cookieName(facts: Facts): string {
  if (facts.isSecure ?? true) return "__Host-setpoint-session";
  return `setpoint-session-${hostOf(facts)?.port ?? ""}`;
}
