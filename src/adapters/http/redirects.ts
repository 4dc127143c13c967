// Whether an answer is a redirect that may be followed: a decision without effects.

import type { HttpRequest } from "./port.ts";

export type RedirectDecision =
  | { readonly kind: "none" }
  | { readonly kind: "follow"; readonly target: string }
  | { readonly kind: "tooMany" }
  | { readonly kind: "otherOrigin"; readonly origin: string };

export function decideRedirect(
  { place, method, target, maxRedirects = 0 }: HttpRequest,
  status: number,
  location: string | undefined,
  followed: number,
): RedirectDecision {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined;
  const isRead = method === "GET" || method === "HEAD";
  if (!isRedirect || !isRead || maxRedirects === 0) return { kind: "none" };
  const origin = place.kind === "socket" ? "http://localhost" : new URL(place.origin).origin;
  if (!URL.canParse(location, `${origin}${target}`)) return { kind: "none" };
  const next = new URL(location, `${origin}${target}`);
  if (next.origin !== origin) return { kind: "otherOrigin", origin: next.origin };
  if (followed >= maxRedirects) return { kind: "tooMany" };
  return { kind: "follow", target: `${next.pathname}${next.search}` };
}
