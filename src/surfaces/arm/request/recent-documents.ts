// Documents that were decoded recently, such as the subscription that every write reads.

import { decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";
import { RevisionCache } from "./revision-cache.ts";

const maxBytes = 2_000_000;

export class RecentDocuments {
  readonly #kept = new RevisionCache<Resource>(maxBytes);

  of({ revision, body }: Pick<StoredRecord, "revision" | "body">): Resource {
    const kept = this.#kept.get(revision);
    if (kept !== undefined) return kept;
    const resource = decodeDocument(body, revision);
    this.#kept.set(revision, resource, body.length);
    return resource;
  }
}
