// The REST API: the client of `setpoint/client`, with the types of all routes. The cookie of the
// session authenticates it, and refusals are the errors of the console.

import { createClient } from "../../src/client/client.ts";
import { checked } from "./client.ts";

export const rest = createClient({
  // Unit tests have no location.
  server: typeof location === "undefined" ? "http://console" : location.origin,
  fetch: async (input, init) => await checked(withoutEmpty(input), init),
});

/** A filter of a page that is not set is the empty text. */
function withoutEmpty(input: string | URL | Request): string {
  const url = new URL(input instanceof Request ? input.url : input);
  const given = [...url.searchParams].filter(([, value]) => value !== "");
  url.search = new URLSearchParams(given).toString();
  return url.href;
}

/** The part of an input that ends a request. */
export function endedBy(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** A repeat of the request has the outcome of the first one. */
export function onceOnly(): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { "idempotency-key": crypto.randomUUID() } };
}
