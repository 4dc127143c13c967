/** Replaces the content of earlier changes (../erasure.ts); the current change of a key stays. */
import type { DatabaseSync } from "node:sqlite";
import type { ErasedChange } from "../erasure.ts";
import { erasedDocument, erasedValues } from "../seal.ts";
import { action } from "./sql.ts";

const isNotCurrent = `NOT EXISTS (SELECT 1 FROM resource r
  WHERE r.kind = change.kind AND r.namespace = change.namespace AND r.name = change.name
    AND r.revision = change.revision)`;

function statements(db: DatabaseSync) {
  return {
    secrets: action(
      db,
      `UPDATE change SET sealed = ?1
       WHERE revision = ?2 AND length(sealed) > 1 AND ${isNotCurrent}`,
    ),
    // A deletion without a document shows the one of the change that it replaced.
    document: action(
      db,
      `UPDATE change SET sealed = ?1, document = ?3
       WHERE revision = ?2 AND document IS NOT NULL
         AND (document <> ?3 OR sealed IS NOT ?1) AND ${isNotCurrent}`,
    ),
  };
}

export class Erasing {
  readonly #sql: ReturnType<typeof statements>;

  constructor(db: DatabaseSync) {
    this.#sql = statements(db);
  }

  run(changes: readonly ErasedChange[]): number {
    let erased = 0;
    for (const { revision, document } of changes) {
      const done =
        document === undefined
          ? this.#sql.secrets.run(erasedValues, revision)
          : this.#sql.document.run(erasedDocument, revision, Buffer.from(document).toString());
      erased += Number(done.changes);
    }
    return erased;
  }
}
