// The base URL is the border: an address that a service names, in Location, for the next page or
// for an operation, is used only when it has the origin of the connection. Anything else could send
// our credentials to a stranger.

import type { BaseAddress } from "./connection.ts";

export type Resolved =
  /** After the origin, with the query. */
  | { readonly kind: "target"; readonly target: string }
  | { readonly kind: "outside"; readonly origin: string };

/** `from` is the target of the request whose answer named the address. */
export function resolveAddress(base: BaseAddress, address: string, from: string): Resolved {
  const origin = originOf(base);
  if (!URL.canParse(address, `${origin}${from}`)) return { kind: "outside", origin: "no address" };
  const url = new URL(address, `${origin}${from}`);
  if (url.origin !== origin) return { kind: "outside", origin: url.origin };
  return { kind: "target", target: `${url.pathname}${url.search}` };
}

/** Where a path below the base is, after the origin. */
export function targetBelow(base: BaseAddress, path: string): string {
  const prefix = base.kind === "socket" ? base.prefix : base.url.pathname.replace(/\/$/, "");
  return `${prefix}${path}`;
}

/** The path below the base of a target; undefined when it is not below it. */
export function pathBelow(base: BaseAddress, target: string): string | undefined {
  const prefix = targetBelow(base, "");
  return target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : undefined;
}

function originOf(base: BaseAddress): string {
  return base.kind === "socket" ? "http://localhost" : base.url.origin;
}
