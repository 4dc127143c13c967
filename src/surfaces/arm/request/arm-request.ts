// One request to this surface: who asks, what for, and under which ids. Headers that only the
// resource manager may set are believed from it alone; ids of clients are kept for the record and
// are never used as keys.

import type { AuditTrail } from "../../../intents/audit/audit-trail.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import type { Caller } from "../../../intents/request.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { RequestIds } from "../../http/trace.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ParsedUrl } from "./parsed-urls.ts";

export interface ArmRequest {
  readonly exchange: Exchange;
  readonly parsedUrl: ParsedUrl;
  readonly query: ReadonlyMap<string, string>;
  readonly user: UserInfo;
  /** The resource manager itself, which has asked its own users. */
  readonly isManager: boolean;
  readonly caller: Caller;
  readonly ids: RequestIds;
  /** Its record in the audit log, where there is one. */
  readonly trail?: AuditTrail | undefined;
}

/**
 * "https://host", as the caller of our caller knows it where that is told. Throws for a host that
 * is none, since links that are made with it would lead anywhere.
 */
export function baseUrl({
  exchange,
  isManager,
}: Pick<ArmRequest, "exchange" | "isManager">): string {
  const { referer, host } = exchange.headers;
  if (isManager && typeof referer === "string" && URL.canParse(referer)) {
    const { protocol, host: place } = new URL(referer);
    if (protocol === "https:" || protocol === "http:") return `${protocol}//${place}`;
  }
  const authority = String(exchange.headers[":authority"] ?? host ?? "localhost");
  const base = `https://${authority}`;
  if (authority === lastHost) return base;
  if (hostPattern.test(authority) && URL.canParse(base)) {
    lastHost = authority;
    return base;
  }
  const message = "The header Host is not the name or address of a host.";
  throw armRefusal(400, { code: "InvalidHeaderValue", message, target: "Host" });
}

/** Found good; nearly all requests name the same. */
let lastHost = "localhost";

const hostPattern = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** What a client sent as an id, where it looks like one. */
export function idHeader({ headers }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined;
}
