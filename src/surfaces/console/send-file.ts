// Sends a file of the console: the smallest form that the client accepts, with an ETag. Files
// whose name contains a hash are cached for a year, the others are checked on each load.

import type { Exchange, Headers } from "../http/exchange.ts";
import { pageHeaders } from "./page-headers.ts";
import type { SiteFile } from "./site.ts";

export function sendFile(exchange: Exchange, file: SiteFile): void {
  const { encoding, body } = acceptedForm(exchange.headers["accept-encoding"], file);
  const etag = `"${encoding === "" ? file.digest : `${file.digest}-${encoding}`}"`;
  const headers: Headers = {
    ...pageHeaders,
    etag,
    vary: "accept-encoding",
    "cache-control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
  if (isKnown(exchange.headers["if-none-match"], etag)) {
    exchange.send(304, headers);
    return;
  }
  const type = { "content-type": file.contentType };
  const coded = encoding === "" ? {} : { "content-encoding": encoding };
  exchange.send(200, { ...headers, ...type, ...coded }, body);
}

interface Form {
  /** Empty for the file as it is. */
  readonly encoding: string;
  readonly body: Buffer;
}

function acceptedForm(header: string | readonly string[] | undefined, file: SiteFile): Form {
  const accepted = acceptedEncodings(typeof header === "string" ? header : "");
  const forms = { br: file.brotli, gzip: file.gzip };
  for (const [encoding, body] of Object.entries(forms)) {
    if (body !== undefined && accepted(encoding)) return { encoding, body };
  }
  return { encoding: "", body: file.plain };
}

/** "*" is ignored: every browser names what it accepts. */
function acceptedEncodings(header: string): (encoding: string) => boolean {
  const names = header.split(",").flatMap((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const isRefused = parameters.some((text) => /^q=0(?:\.0*)?$/.test(text));
    return isRefused ? [] : [name];
  });
  const known = new Set(names);
  return (encoding) => known.has(encoding);
}

/** Caches on the way may have marked the tag as weak. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = new Set(header.split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  return tags.has("*") || tags.has(etag);
}
