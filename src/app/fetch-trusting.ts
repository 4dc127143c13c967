/** `fetch` over HTTPS for OpenID providers; may trust one more certificate authority. */
import { httpWith } from "../adapters/http/client.ts";
import type { OidcOptions } from "../intents/auth/oidc.ts";
import { limits } from "../kernel/limits.ts";
import { systemTimers } from "../kernel/timers.ts";

const maxBytes = 1_048_576;
const maxConnections = 4;

export function fetchTrusting(authorityPem: string | undefined): OidcOptions["fetch"] {
  const tls = authorityPem === undefined ? {} : { ca: authorityPem, isPublicTrusted: true };
  const http = httpWith(systemTimers)({ tls, maxConnections });
  return async (url, { headers, signal }) => {
    const { origin, pathname, search } = new URL(url);
    const result = await http.send({
      place: { kind: "origin", origin },
      method: "GET",
      target: `${pathname}${search}`,
      headers: Object.fromEntries(headers),
      timeouts: { totalMs: limits.openidTimeoutMs },
      maxBytes,
      signal,
    });
    if (result.kind === "answer") {
      const { status, body } = result;
      return new Response(body.length === 0 ? null : new Uint8Array(body), { status });
    }
    signal.throwIfAborted();
    throw result.cause ?? new Error(result.message);
  };
}
