// A document as it goes over the wire, made once and sent many times. The entity tag is a strong
// one over the very bytes, so that two forms of the same document never share a tag.

import { createHash } from "node:crypto";
import type { Json } from "../../../kernel/json.ts";

export interface EncodedDocument {
  readonly bytes: Buffer;
  /** Quoted, as the header wants it. */
  readonly etag: string;
  readonly contentType: string;
}

export function encodedJson(value: Json, contentType = "application/json"): EncodedDocument {
  return encodedBytes(Buffer.from(`${JSON.stringify(value)}\n`), contentType);
}

export function encodedBytes(bytes: Buffer, contentType: string): EncodedDocument {
  return { bytes, etag: `"${sha512Hex(bytes)}"`, contentType };
}

/** Upper-case hexadecimal, the form Kubernetes gives its tags and hashes. */
export function sha512Hex(bytes: Buffer | string): string {
  return createHash("sha512").update(bytes).digest("hex").toUpperCase();
}

/** Runs `make` at the first call only. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
