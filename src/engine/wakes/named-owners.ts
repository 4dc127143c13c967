// The owners that a stored document names, found without parsing the whole of it: the follower of
// the log asks this of every owned resource that changes. The list is looked for by its mark and
// has to name the very owners that the terms of the document name; if not, all of it is parsed.

import { decodeDocument } from "../../kernel/document.ts";
import { parseExact } from "../../kernel/int64.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import type { OwnerReference } from "../../kernel/resource.ts";
import { ownerTerm } from "../../kernel/terms.ts";

const ownerPrefix = ownerTerm("");
const mark = Buffer.from('"ownerReferences":[');
const endMark = 0x5d;

interface OwnerList {
  readonly owners: readonly OwnerReference[];
  readonly uids: ReadonlySet<unknown>;
}

/** By their very text: all children of an owner name it in the same way. */
const readLists = new Map<string, OwnerList>();
const mostReadLists = 4_096;
/** Lists with more owners than a few are not worth their memory. */
const longestReadList = 2_048;

export function namedOwners(body: Buffer, terms: readonly string[]): readonly OwnerReference[] {
  const wanted = terms.filter((term) => term.startsWith(ownerPrefix));
  if (wanted.length === 0) return [];
  const found = markedList(body);
  if (found !== undefined && namesAll(found, wanted)) return found.owners;
  return decodeDocument(body, 0).metadata.ownerReferences ?? [];
}

function markedList(body: Buffer): OwnerList | undefined {
  const at = body.indexOf(mark);
  if (at < 0) return undefined;
  const start = at + mark.length - 1;
  const end = body.indexOf(endMark, start) + 1;
  const text = body.toString("utf8", start, end);
  const known = readLists.get(text);
  if (known !== undefined) return known;
  const list = listIn(text);
  if (list === undefined) return undefined;
  if (text.length > longestReadList) return list;
  if (readLists.size >= mostReadLists) readLists.clear();
  readLists.set(text, list);
  return list;
}

/** Undefined when the text ends within something, as it does when a name has a bracket in it. */
function listIn(text: string): OwnerList | undefined {
  let owners: unknown;
  try {
    owners = parseExact(text);
  } catch {
    return undefined;
  }
  if (!isJsonArray(owners) || !owners.every(isJsonObject)) return undefined;
  const uids = new Set(owners.map((owner) => owner["uid"]));
  return { owners: owners as readonly OwnerReference[], uids };
}

function namesAll({ uids }: OwnerList, wanted: readonly string[]): boolean {
  if (uids.size !== wanted.length) return false;
  return wanted.every((term) => uids.has(term.slice(ownerPrefix.length)));
}
