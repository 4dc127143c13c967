// Documents that were decoded a moment ago, by their revisions, for what every write asks for.
// Bounded in bytes; the oldest goes first.

import { decodeDocument } from "../../../kernel/document.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { StoredRecord } from "../../../store/port.ts";

const maxBytes = 2_000_000;

export class RecentDocuments {
  readonly #kept = new Map<number, { readonly resource: Resource; readonly bytes: number }>();
  #bytes = 0;

  of({ revision, body }: Pick<StoredRecord, "revision" | "body">): Resource {
    const kept = this.#kept.get(revision);
    if (kept !== undefined) return kept.resource;
    const resource = decodeDocument(body, revision);
    const bytes = body.length;
    if (bytes > maxBytes / 10) return resource;
    this.#kept.set(revision, { resource, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: gone }] of this.#kept) {
      if (this.#bytes <= maxBytes) break;
      this.#kept.delete(oldest);
      this.#bytes -= gone;
    }
    return resource;
  }
}
