/**
 * What takes long and only reads, or moves pages from the log into the file: it runs in a thread
 * of its own, so that neither callers nor the writer wait for it. Sealed documents come back with
 * their envelopes, since keys never leave the main thread.
 */
import type { DatabaseSync } from "node:sqlite";
import { keyText } from "../../kernel/resource.ts";
import type { ListQuery, Page } from "../port.ts";
import { list } from "./list.ts";
import { Reader } from "./reader.ts";
import { rows } from "./sql.ts";
import { verify } from "./verify.ts";

export interface SealedPage {
  readonly page: Page;
  /** Envelopes of the documents that have one, by keyText. */
  readonly envelopes: ReadonlyMap<string, Uint8Array>;
}

export interface Counts {
  readonly resources: number;
  readonly changes: number;
  readonly due: number;
}

export class Background {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  list(query: ListQuery): SealedPage {
    const envelopes = new Map<string, Uint8Array>();
    const reader = new Reader(this.#db, ({ key }, document, sealed) => {
      if (sealed !== null) envelopes.set(keyText(key), sealed);
      return document;
    });
    return { page: list(reader, query), envelopes };
  }

  counts(nowMs: number): Counts {
    const [resources = 0, changes = 0, due = 0] =
      rows<[number, number, number]>(
        this.#db,
        `SELECT (SELECT count(*) FROM resource), (SELECT count(*) FROM change),
           (SELECT count(*) FROM due WHERE due_at <= ?)`,
      ).get(nowMs) ?? [];
    return { resources, changes, due };
  }

  verify(limit: number): readonly string[] {
    return verify(this.#db, limit);
  }

  /** Copies what it can without making anybody wait; says how long the log was when it began. */
  checkpoint(): number {
    const row = rows<[busy: number, log: number]>(this.#db, "PRAGMA wal_checkpoint(PASSIVE)").get();
    return row?.[1] ?? 0;
  }

  close(): void {
    this.#db.close();
  }
}
