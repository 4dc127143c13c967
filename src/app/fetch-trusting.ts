/** `fetch` over HTTPS that also trusts one more certificate authority, for providers inside. */
import { request } from "node:https";
import { rootCertificates } from "node:tls";
import type { OidcOptions } from "../intents/auth/oidc.ts";

const timeoutMs = 10_000;
const maxBytes = 1_048_576;

export function fetchTrusting(authorityPem: string | undefined): OidcOptions["fetch"] {
  if (authorityPem === undefined) return (url, options) => fetch(url, options);
  const ca = [...rootCertificates, authorityPem];
  return (url, { headers, signal }) =>
    new Promise((resolve, reject) => {
      const asked = request(url, { ca, headers: Object.fromEntries(headers), timeout: timeoutMs });
      asked.once("error", reject);
      asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
      signal.addEventListener("abort", () => asked.destroy(new Error("aborted")), { once: true });
      asked.once("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxBytes) asked.destroy(new Error("the answer is too large"));
          else chunks.push(chunk);
        });
        response.once("end", () => {
          const status = response.statusCode ?? 500;
          resolve(new Response(Buffer.concat(chunks), { status }));
        });
      });
      asked.end();
    });
}
