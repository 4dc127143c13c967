// Between the store and the write path: stored documents are read into the version of a request,
// and finished ones are brought back to the storage version as drafts.

import { decodeDocument } from "../../kernel/document.ts";
import { slicedDraft } from "../../kernel/draft.ts";
import type { Draft } from "../../kernel/draft.ts";
import { noPause } from "../../kernel/pauses.ts";
import type { Pause } from "../../kernel/pauses.ts";
import type { Resource } from "../../kernel/resource.ts";
import { withPauses } from "../../kernel/sliced.ts";
import type { ServedKind, ServedVersion } from "../kinds/served-kind.ts";
import { withoutHiddenCopy } from "./hidden-fields.ts";

interface Stored {
  readonly revision: number;
  readonly body: Buffer;
  readonly unopened?: Error;
}

/**
 * As a client of the version would see it, but with hidden fields and with its revision. Nobody
 * may act on blanks where secrets are: what was read without its keys is refused.
 */
export function readStored(
  served: ServedKind,
  version: ServedVersion,
  { body, revision, unopened }: Stored,
): Resource | Promise<Resource> {
  if (unopened !== undefined) throw unopened;
  const document = decodeDocument(body, revision);
  const known = revision >= served.cleanSince ? document : cleanedAsStored(served, document);
  if (document.apiVersion === version.apiVersion) return known;
  return served.convert([known], version).then(([converted]) => {
    if (converted === undefined) throw new Error("a conversion answers each document");
    return version.type.prune(converted).resource;
  });
}

/**
 * As in Kubernetes, a read sets the defaults of the version that the document is stored in, and
 * not those of the version that is shown.
 */
function cleanedAsStored(served: ServedKind, document: Resource): Resource {
  for (const version of served.versions.values()) {
    if (version.apiVersion === document.apiVersion) return cleaned(version, document);
  }
  return document;
}

/** Documents from before a change of the schema are brought up to it when they are read. */
function cleaned(version: ServedVersion, document: Resource): Resource {
  return version.type.withDefaults(version.type.prune(document).resource);
}

export function draftFor(
  served: ServedKind,
  given: Resource,
  pause: Pause = noPause,
): Draft | Promise<Draft> {
  const { storage, storedKind, hasHidden } = served;
  const resource = hasHidden ? withoutHiddenCopy(served.kind, given) : given;
  if (resource.apiVersion === storage.apiVersion) {
    return withPauses(slicedDraft(storedKind, resource), pause);
  }
  return served.convert([resource], storage).then(([converted]) => {
    if (converted === undefined) throw new Error("a conversion answers each document");
    return withPauses(slicedDraft(storedKind, cleaned(storage, converted)), pause);
  });
}
