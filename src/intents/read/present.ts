// Stored documents as a client of some version sees them. In the usual case (the storage version,
// an unchanged schema, nothing hidden) these are the stored bytes with the revision put in, and
// nothing is parsed. Everything else goes through the document.

import { withoutKey } from "../../kernel/without-key.ts";
import { encodeDocument, spliceRevision, splicedParts } from "../../kernel/document.ts";
import { limits } from "../../kernel/limits.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { ServedKind, ServedVersion } from "../kinds/served-kind.ts";
import { withoutHidden } from "../write/hidden-fields.ts";
import { readStored } from "../write/stored.ts";

export interface Presentable {
  /** 0 when it has none yet, as in a dry run. */
  readonly revision: number;
  readonly body: Buffer;
}

export function presentBytes(
  served: ServedKind,
  version: ServedVersion,
  record: Presentable,
): Buffer | Promise<Buffer> {
  if (isShownAsStored(served, version, record)) {
    return record.revision === 0 ? record.body : spliceRevision(record.body, record.revision);
  }
  const resource = presentResource(served, version, record);
  if (resource instanceof Promise) return resource.then((shown) => bytesOf(shown, record.revision));
  return bytesOf(resource, record.revision);
}

/** As `presentBytes`, in parts: a large document that is shown as stored is not copied. */
export function presentParts(
  served: ServedKind,
  version: ServedVersion,
  record: Presentable,
): readonly Buffer[] | Promise<readonly Buffer[]> {
  const { revision, body } = record;
  const isStored = revision !== 0 && isShownAsStored(served, version, record);
  if (isStored && body.length >= limits.minSharedBytes) return splicedParts(body, revision);
  const bytes = presentBytes(served, version, record);
  return bytes instanceof Promise ? bytes.then((shown) => [shown]) : [bytes];
}

export function presentResource(
  served: ServedKind,
  version: ServedVersion,
  record: Presentable,
): Resource | Promise<Resource> {
  const { revision, body } = record;
  const resource = readStored(served, version, { revision, body });
  if (resource instanceof Promise) return resource.then((read) => shownOf(served, read, record));
  return shownOf(served, resource, record);
}

/** Whether the bytes that a client sees are the stored ones, apart from the revision. */
export function isShownAsStored(
  served: ServedKind,
  version: ServedVersion,
  { revision }: Presentable,
): boolean {
  const isClean = revision === 0 || revision >= served.cleanSince;
  return version === served.storage && isClean && !served.hasHidden;
}

function shownOf(served: ServedKind, resource: Resource, { revision }: Presentable): Resource {
  const shown = served.hasHidden ? withoutHidden(served.kind, resource) : resource;
  if (revision !== 0) return shown;
  return { ...shown, metadata: withoutKey(shown.metadata, "resourceVersion") };
}

function bytesOf(resource: Resource, revision: number): Buffer {
  const bytes = encodeDocument(resource);
  return revision === 0 ? bytes : spliceRevision(bytes, revision);
}
