// The owners that a stored document names, found without parsing the whole of it: the follower of
// the log asks this of every owned resource that changes. The list is looked for by its mark and
// has to name the very owners that the terms of the document name; if not, all of it is parsed.

import { decodeDocument } from "../kernel/document.ts";
import { isJsonArray, isJsonObject } from "../kernel/json.ts";
import type { OwnerReference } from "../kernel/resource.ts";
import { ownerTerm } from "../kernel/terms.ts";

const ownerPrefix = ownerTerm("");
const mark = Buffer.from('"ownerReferences":[');
const [quote, backslash, open, close] = Buffer.from('"\\[]');

export function namedOwners(body: Buffer, terms: readonly string[]): readonly OwnerReference[] {
  const wanted = terms.filter((term) => term.startsWith(ownerPrefix));
  if (wanted.length === 0) return [];
  const found = markedList(body);
  if (found !== undefined && areOwners(found, wanted)) return found;
  return decodeDocument(body, 0).metadata.ownerReferences ?? [];
}

function markedList(body: Buffer): unknown {
  const at = body.indexOf(mark);
  if (at < 0) return undefined;
  const start = at + mark.length - 1;
  const end = endOfList(body, start);
  if (end === undefined) return undefined;
  try {
    return JSON.parse(body.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}

function areOwners(list: unknown, wanted: readonly string[]): list is readonly OwnerReference[] {
  if (!isJsonArray(list)) return false;
  const uids = new Set<unknown>(list.map((item) => (isJsonObject(item) ? item["uid"] : undefined)));
  return (
    uids.size === wanted.length && wanted.every((term) => uids.has(term.slice(ownerPrefix.length)))
  );
}

function endOfList(body: Buffer, start: number): number | undefined {
  let depth = 0;
  let isText = false;
  for (let index = start; index < body.length; index += 1) {
    const byte = body[index];
    if (isText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === open) depth += 1;
    else if (byte === close) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
