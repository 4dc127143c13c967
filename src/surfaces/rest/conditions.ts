// Conditional requests (RFC 9110, section 13). An ETag of Setpoint is a strong one: the revision of
// the resource. If-Match takes one ETag or "*"; If-None-Match takes a list, and compares weakly.

import { invalidRequest } from "./field-problem.ts";

const etagPattern = /^"([\x21\x23-\x7e]{1,128})"$/;

export function etagText(etag: string): string {
  return `"${etag}"`;
}

/** The value of If-Match without its quotes; "*" for any; undefined when there is none. */
export function ifMatchOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (text === "*") return text;
  const etag = etagPattern.exec(text)?.[1];
  if (etag !== undefined) return etag;
  const detail = 'must be one strong ETag in quotes, such as "42", or *';
  throw invalidRequest([{ field: "If-Match", detail }], "send the ETag of an earlier response");
}

/** Whether the client has this answer already. */
export function isNotModified(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false;
  const wanted = etagText(etag);
  return header.split(",").some((part) => {
    const text = part.trim();
    return text === "*" || text.replace(/^W\//, "") === wanted;
  });
}
