// The bytes the store keeps for a resource. The revision is not inside them: it is known only at
// commit, after the bytes exist, and is spliced in when they are read. That works without parsing
// because apiVersion, kind and metadata always come first: before `"metadata":{` there are only
// two strings, and inside a JSON string every quote is escaped, so the first match is the real one.

import { hash } from "node:crypto";
import { SetpointError } from "./errors.ts";
import { parseExact } from "./int64.ts";
import { isJsonObject } from "./json.ts";
import type { JsonObject } from "./json.ts";
import type { Resource } from "./resource.ts";

const metadataMark = Buffer.from('"metadata":{');
const statusMark = Buffer.from(',"status":');
const closingBrace = 0x7d;

/** Encodes without metadata.resourceVersion; the hot path of every write. */
export function encodeDocument(resource: Resource): Buffer {
  const { apiVersion, kind, metadata, ...others } = resource;
  const { name, namespace, ...otherMetadata } = metadata;
  // Built from parts, because integer-like keys would otherwise move before apiVersion.
  const head = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)}`;
  const middle = JSON.stringify({ name, namespace, ...otherMetadata, resourceVersion: undefined });
  const tail = JSON.stringify(others);
  const separator = tail === "{}" ? "" : ",";
  return Buffer.from(`${head},"metadata":${middle}${separator}${tail.slice(1)}`);
}

/** Parses stored bytes and sets the revision they were committed at. */
export function decodeDocument(bytes: Uint8Array, revision: number): Resource {
  const text = textOf(bytes);
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (cause) {
    throw corrupt("it is not JSON", cause);
  }
  if (!isJsonObject(value) || !isJsonObject(value["metadata"])) throw corrupt("it has no metadata");
  // The object was made by the parse above, so nobody else sees this assignment.
  (value["metadata"] as { resourceVersion?: string }).resourceVersion = String(revision);
  return value as Resource;
}

/**
 * The status, where a document is the one before it and a status behind that: found without parsing
 * what both have in common. Undefined for any other. What is behind the mark ends with the document
 * only if it is a value of its own, so nothing inside of a spec is taken for it.
 */
export function addedStatus(before: Buffer, bytes: Buffer): JsonObject | undefined {
  const end = before.length - 1;
  const isLonger = bytes.length > before.length;
  if (!isLonger || bytes.compare(before, 0, end, 0, end) !== 0) return undefined;
  if (bytes.indexOf(statusMark, end) !== end) return undefined;
  try {
    const text = bytes.toString("utf8", end + statusMark.length, bytes.length - 1);
    const value: unknown = parseExact(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The same JSON with metadata.resourceVersion, made without parsing. */
export function spliceRevision(bytes: Uint8Array, revision: number): Buffer {
  const source = bufferOf(bytes);
  const { at, inserted } = revisionIn(source, revision);
  const result = Buffer.allocUnsafe(source.length + inserted.length);
  source.copy(result, 0, 0, at);
  result.write(inserted, at, "latin1");
  source.copy(result, at + inserted.length, at);
  return result;
}

/** As `spliceRevision`, in parts that share the memory of the document. */
export function splicedParts(bytes: Uint8Array, revision: number): readonly Buffer[] {
  const source = bufferOf(bytes);
  const { at, inserted } = revisionIn(source, revision);
  return [source.subarray(0, at), Buffer.from(inserted, "latin1"), source.subarray(at)];
}

/** The text of the revision, and where it is inserted. */
function revisionIn(
  source: Buffer,
  revision: number,
): { readonly at: number; readonly inserted: string } {
  const mark = source.indexOf(metadataMark);
  if (mark < 0) throw corrupt("it has no metadata");
  const at = mark + metadataMark.length;
  const comma = source[at] === closingBrace ? "" : ",";
  return { at, inserted: `"resourceVersion":"${revision}"${comma}` };
}

/** Tells whether two documents are the same without comparing them: 16 bytes of SHA-256. */
export function documentDigest(bytes: Uint8Array): Buffer {
  // Through a text, since a buffer that is made by the hash has memory of its own to be freed.
  return Buffer.from(hash("sha256", bytes, "binary").slice(0, 16), "binary");
}

function bufferOf(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("utf8");
}

function corrupt(why: string, cause?: unknown): SetpointError {
  return new SetpointError("store.corrupt", `a stored document is damaged: ${why}`, { cause });
}
