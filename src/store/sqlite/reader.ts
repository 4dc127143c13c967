/**
 * Everything that only reads, synchronously, on one connection. It runs on the main thread, where
 * a get costs a few microseconds; the slow questions are asked of a copy of it in a background
 * thread. Whatever takes several statements is one read transaction, so that it sees one moment;
 * the mark of compaction is looked at inside it, so that nothing forgotten is ever passed off as
 * history.
 */
import type { DatabaseSync } from "node:sqlite";
import { assert } from "../../kernel/assert.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { readLimits } from "../arguments.ts";
import type { ChangesQuery } from "../arguments.ts";
import { decodeCause } from "../stored-cause.ts";
import type {
  Change,
  ChangePage,
  CounterState,
  Head,
  HistoryOptions,
  StoredRecord,
  UniqueName,
} from "../port.ts";
import { isUnopened } from "../seal.ts";
import { claimQueries } from "./claims.ts";
import { bufferOf, bytesOf, causeOrNull, documentSize, rows, textColumn } from "./sql.ts";
import type { Rows, TextValue, Value } from "./sql.ts";

/** How many sealed changes an erasure looks at in one read. */
const erasureRows = 500;

/** Opens what is stored of a document: see seal.ts. */
export type OpenBody = (
  identity: { readonly key: ResourceKey; readonly uid: string },
  document: Buffer,
  sealed: Buffer | null,
) => Buffer;

type ChangeRow = [
  ...[revision: number, previous: number | null, type: Change["type"]],
  ...[kind: string, namespace: string, name: string, uid: string, atMs: number, terms: string],
  ...[document: TextValue | null, sealed: Uint8Array | null],
  ...[oldTerms: string | null, oldDocument: TextValue | null, oldSealed: Uint8Array | null],
  cause: Uint8Array | null,
];

/** A change with the one it replaced: its terms, and its document for a deletion without one. */
const changeColumns = `c.revision, c.previous, c.type, c.kind, c.namespace, c.name, c.uid, c.at_ms,
  c.terms, ${textColumn("c.document")}, c.sealed, p.terms,
  CASE WHEN c.document IS NULL THEN ${textColumn("p.document")} END,
  CASE WHEN c.document IS NULL THEN p.sealed END, c.cause`;

export const readQueries = {
  get: `SELECT r.revision, r.uid, ${textColumn("c.document")}, c.sealed
    FROM resource r CROSS JOIN change c ON c.revision = r.revision
    WHERE r.kind = ? AND r.namespace = ? AND r.name = ?`,
  /** Null when the document is larger than the second number. */
  document: `SELECT iif(${documentSize} > ?2, NULL, ${textColumn("c.document")}),
      iif(${documentSize} > ?2, NULL, c.sealed)
    FROM change c WHERE c.revision = ?1`,
  changes: `SELECT ${changeColumns} FROM change c LEFT JOIN change p ON p.revision = c.previous
    WHERE c.revision > ? ORDER BY c.revision LIMIT ?`,
  changesOfKinds: `SELECT revision FROM change
    WHERE revision > ? AND revision <= ? AND +kind IN (SELECT value FROM json_each(?))
    ORDER BY revision LIMIT ?`,
  change: `SELECT ${changeColumns} FROM change c LEFT JOIN change p ON p.revision = c.previous
    WHERE c.revision = ?`,
  current: "SELECT revision FROM resource WHERE kind = ? AND namespace = ? AND name = ?",
  deletion: `SELECT revision FROM change
    WHERE kind = ? AND namespace = ? AND name = ? AND revision < ? AND type = 'deleted'
    ORDER BY revision DESC LIMIT 1`,
  /** The end of the life that is the last one, or goes on, at a revision. */
  endOfLife: `SELECT revision FROM change
    WHERE kind = ? AND namespace = ? AND name = ? AND revision >= ? AND type = 'deleted'
    ORDER BY revision LIMIT 1`,
  /** Follows the changes of a life down to the first below a revision, without documents. */
  below: `WITH RECURSIVE walk(revision) AS (
      SELECT ?1
      UNION ALL
      SELECT c.previous FROM walk CROSS JOIN change c ON c.revision = walk.revision
      WHERE walk.revision >= ?2 AND c.previous IS NOT NULL
    )
    SELECT revision FROM walk WHERE revision < ?2`,
};

function statements(db: DatabaseSync) {
  const changes = causeOrNull(db, readQueries.changes);
  const change = causeOrNull(db, readQueries.change);
  return {
    get: rows<[number, string, TextValue, Uint8Array | null]>(db, readQueries.get),
    document: rows<[TextValue | null, Uint8Array | null]>(db, readQueries.document),
    head: rows<[number, number]>(db, "SELECT revision, compacted FROM head"),
    changes: rows<ChangeRow>(db, changes),
    changesOfKinds: rows<[number]>(db, readQueries.changesOfKinds),
    change: rows<ChangeRow>(db, change),
    current: rows<[number]>(db, readQueries.current),
    deletion: rows<[number]>(db, readQueries.deletion),
    endOfLife: rows<[number]>(db, readQueries.endOfLife),
    below: rows<[number]>(db, readQueries.below),
    nextDue: rows<[number]>(db, claimQueries.nextDue),
    nextEnd: rows<[number]>(db, claimQueries.nextEnd),
    nameHolder: rows<[string, string, string]>(
      db,
      `SELECT holder_kind, holder_namespace, holder_name FROM unique_name
       WHERE scope = ? AND name = ?`,
    ),
    otherName: rows<[number]>(
      db,
      `SELECT 1 FROM unique_name
       WHERE holder_kind = ? AND holder_namespace = ? AND holder_name = ? AND scope = ? LIMIT 1`,
    ),
    counterValue: rows<[number]>(db, "SELECT value FROM counter WHERE counter = ?"),
    counterBound: rows<[number]>(db, "SELECT max FROM counter_bound WHERE counter = ?"),
    sealed: rows<[number, string, string, string, string, Uint8Array]>(
      db,
      `SELECT revision, kind, namespace, name, uid, sealed FROM change
       WHERE revision > ? AND sealed IS NOT NULL ORDER BY revision LIMIT ?`,
    ),
    sealedOfDeleted: rows<[revision: number, isDeleted: number, namespace: string]>(
      db,
      `WITH page AS MATERIALIZED (
         SELECT revision, kind, namespace, name, uid, length(sealed) > 1 AS has_content
         FROM change WHERE revision > ? AND sealed IS NOT NULL ORDER BY revision LIMIT ?)
       SELECT revision, has_content AND EXISTS (
         SELECT 1 FROM change d WHERE d.type = 'deleted' AND d.kind = page.kind
           AND d.namespace = page.namespace AND d.name = page.name
           AND d.uid = page.uid AND d.at_ms <= ?), namespace
       FROM page ORDER BY revision`,
    ),
  };
}

export class Reader {
  readonly db: DatabaseSync;
  readonly #open: OpenBody;
  readonly #sql: ReturnType<typeof statements>;
  readonly #listStatements = new Map<string, Rows<readonly Value[]>>();

  constructor(db: DatabaseSync, open: OpenBody) {
    this.db = db;
    this.#open = open;
    this.#sql = statements(db);
  }

  get(key: ResourceKey): StoredRecord | undefined {
    const row = this.#sql.get.get(key.kind, key.namespace, key.name);
    if (row === undefined) return undefined;
    const [revision, uid, document, sealed] = row;
    return this.record(key, uid, revision, document, sealed);
  }

  getMany(keys: readonly ResourceKey[]): readonly (StoredRecord | undefined)[] {
    return this.snapshot(() =>
      keys.map((key) => {
        const row = this.#sql.get.get(key.kind, key.namespace, key.name);
        if (row === undefined) return undefined;
        const [revision, uid, document, sealed] = row;
        return this.shown(key, uid, revision, document, sealed);
      }),
    );
  }

  /** The record of a change; undefined if its document is larger than the bytes. */
  recordWithin(
    key: ResourceKey,
    uid: string,
    revision: number,
    maxBytes: number,
  ): StoredRecord | undefined {
    const row = this.#sql.document.get(revision, maxBytes);
    assert(row !== undefined, `change ${revision} of the snapshot is there`);
    const [document, sealed] = row;
    return document === null ? undefined : this.shown(key, uid, revision, document, sealed);
  }

  record(
    key: ResourceKey,
    uid: string,
    revision: number,
    document: TextValue,
    sealed: Uint8Array | null,
  ): StoredRecord {
    const body = bytesOf(document);
    if (sealed === null) return { key, uid, revision, body };
    return { key, uid, revision, body: this.#open({ key, uid }, body, bufferOf(sealed)) };
  }

  /** As `record`, for where others are shown too: it may be `unopened`. */
  shown(
    key: ResourceKey,
    uid: string,
    revision: number,
    document: TextValue,
    sealed: Uint8Array | null,
  ): StoredRecord {
    try {
      return this.record(key, uid, revision, document, sealed);
    } catch (error) {
      if (!isUnopened(error)) throw error;
      return { key, uid, revision, body: bytesOf(document), unopened: error };
    }
  }

  head(): Head {
    const [revision = 0, compacted = 0] = this.#sql.head.get() ?? [];
    return { revision, compacted };
  }

  /** The head, when this revision lies between it and the mark. */
  checkReadable(revision: number): Head {
    const head = this.head();
    checkReadable(revision, head);
    return head;
  }

  changes({ after, limit, kinds }: ChangesQuery): ChangePage {
    return this.snapshot(() => {
      const head = this.checkReadable(after);
      const end = kinds === undefined ? head.revision : after + readLimits.searchedChanges;
      const upTo = Math.min(end, head.revision);
      const found =
        kinds === undefined
          ? this.#sql.changes.iterate(after, limit)
          : this.#changesOf(kinds, after, upTo, limit);
      const changes: Change[] = [];
      let bytes = 0;
      for (const row of found) {
        const change = this.#change(row);
        bytes += change.body.length;
        if (bytes > limits.maxPageBytes && changes.length > 0) return pageOf(head, changes);
        changes.push(change);
      }
      return changes.length < limit ? { ...head, changes, through: upTo } : pageOf(head, changes);
    });
  }

  /** Looks at the kinds alone; a document is read when it is wanted. */
  *#changesOf(
    kinds: readonly string[],
    after: number,
    upTo: number,
    limit: number,
  ): Iterable<ChangeRow> {
    const wanted = JSON.stringify(kinds);
    for (const [revision] of this.#sql.changesOfKinds.all(after, upTo, wanted, limit)) {
      const row = this.#sql.change.get(revision);
      if (row !== undefined) yield row;
    }
  }

  history(key: ResourceKey, options: HistoryOptions): readonly Change[] {
    const { limit = limits.defaultPageItems, before = Number.MAX_SAFE_INTEGER } = options;
    return this.snapshot(() => {
      const { compacted } = this.head();
      const { kind, namespace, name } = key;
      const changes: Change[] = [];
      let bytes = 0;
      let next = this.#newestBelow(key, before);
      while (next !== undefined && next > compacted && changes.length < limit) {
        const row = this.#sql.change.get(next);
        if (row === undefined) break;
        const [revision, previous] = row;
        const change = this.#change(row);
        bytes += change.body.length;
        if (bytes > limits.maxPageBytes && changes.length > 0) break;
        changes.push(change);
        next = previous ?? this.#sql.deletion.get(kind, namespace, name, revision)?.[0];
      }
      return changes;
    });
  }

  /** The newest change of a key below a revision; changes above it are passed over unread. */
  #newestBelow({ kind, namespace, name }: ResourceKey, before: number): number | undefined {
    const deletion = this.#sql.endOfLife.get(kind, namespace, name, before)?.[0];
    const end = deletion ?? this.#sql.current.get(kind, namespace, name)?.[0];
    const found = end === undefined ? undefined : this.#sql.below.get(end, before)?.[0];
    return found ?? this.#sql.deletion.get(kind, namespace, name, before)?.[0];
  }

  /** The earliest due time or end of a lease of these kinds, in the database's milliseconds. */
  nextDueAtMs(kinds: readonly string[]): number | undefined {
    return this.snapshot(() => {
      let earliest: number | undefined;
      for (const kind of kinds) {
        for (const next of [this.#sql.nextDue, this.#sql.nextEnd]) {
          const atMs = next.get(kind)?.[0];
          if (atMs !== undefined && atMs < (earliest ?? Infinity)) earliest = atMs;
        }
      }
      return earliest;
    });
  }

  /** Who is at home and has the row of no other name of the scope holds it: see holdings.ts. */
  nameHolder({ scope, name: held, home }: UniqueName): ResourceKey | undefined {
    return this.snapshot(() => {
      const row = this.#sql.nameHolder.get(scope, held);
      if (row !== undefined) return { kind: row[0], namespace: row[1], name: row[2] };
      if (home === undefined) return undefined;
      const { kind, namespace, name } = home;
      if (this.#sql.current.get(kind, namespace, name) === undefined) return undefined;
      const isAway = this.#sql.otherName.get(kind, namespace, name, scope) !== undefined;
      return isAway ? undefined : home;
    });
  }

  counter(counter: string): CounterState {
    return this.snapshot(() => {
      const value = this.#sql.counterValue.get(counter)?.[0] ?? 0;
      return { value, max: this.#sql.counterBound.get(counter)?.[0] };
    });
  }

  /** The oldest and the newest envelope, if there is any. */
  sealedEnds() {
    const columns = "SELECT revision, kind, namespace, name, uid, sealed FROM change";
    return ["ASC", "DESC"].flatMap((order) => {
      const end = this.statement<[number, string, string, string, string, Uint8Array]>(
        `${columns} WHERE sealed IS NOT NULL AND length(sealed) > 1
         ORDER BY revision ${order} LIMIT 1`,
      );
      return end.all().map(([, kind, namespace, name, uid, sealed]) => {
        return { key: { kind, namespace, name }, uid, sealed: bufferOf(sealed) };
      });
    });
  }

  /** See ErasureParts of erasure.ts; the number of rows that are looked at is limited. */
  sealedOfDeleted(after: number, deletedUntilMs: number, namespace: string | undefined) {
    const found = this.#sql.sealedOfDeleted.all(after, erasureRows, deletedUntilMs);
    const wanted = found.filter(
      ([, isDeleted, home]) => isDeleted === 1 && (namespace ?? home) === home,
    );
    const next = found.length < erasureRows ? undefined : found.at(-1)?.[0];
    return { revisions: wanted.map(([revision]) => revision), next };
  }

  /** Envelopes in the order of revisions, for sealing them again. */
  sealedAfter(after: number, limit: number) {
    return this.#sql.sealed.all(after, limit).map((row) => {
      const [revision, kind, namespace, name, uid, sealed] = row;
      return { revision, key: { kind, namespace, name }, uid, sealed: bufferOf(sealed) };
    });
  }

  /** Lists have many shapes; each is prepared once. */
  statement<Row extends readonly (Value | undefined)[]>(sql: string): Rows<Row> {
    let found = this.#listStatements.get(sql);
    if (found === undefined) {
      if (this.#listStatements.size >= 256) this.#listStatements.clear();
      found = rows(this.db, sql);
      this.#listStatements.set(sql, found);
    }
    return found as unknown as Rows<Row>;
  }

  /** Runs on one moment of the database. */
  snapshot<T>(read: () => T): T {
    if (this.db.isTransaction) return read();
    this.db.exec("BEGIN");
    try {
      return read();
    } finally {
      this.db.exec("COMMIT");
    }
  }

  #change(row: ChangeRow): Change {
    const [revision, previous, type, kind, namespace, name, uid, atMs, terms] = row;
    const [, , , , , , , , , own, ownSealed, oldTerms, oldDocument, oldSealed, cause] = row;
    const key = { kind, namespace, name };
    const document = own ?? oldDocument;
    if (document === null) {
      throw new SetpointError("store.corrupt", `change ${revision} has no document`);
    }
    const sealed = own === null ? oldSealed : ownSealed;
    const { body, unopened } = this.shown(key, uid, revision, document, sealed);
    return {
      revision,
      type,
      key,
      uid,
      previous: previous ?? undefined,
      atMs,
      ...(cause !== null && { cause: decodeCause(cause) }),
      body,
      ...(unopened !== undefined && { unopened }),
      terms: JSON.parse(terms) as readonly string[],
      ...(oldTerms === null || oldTerms === terms
        ? {}
        : { previousTerms: JSON.parse(oldTerms) as readonly string[] }),
    };
  }
}

/** A page that ends before the log does. */
function pageOf(head: Head, changes: readonly Change[]): ChangePage {
  return { ...head, changes, through: changes.at(-1)?.revision ?? head.revision };
}

export function checkReadable(revision: number, head: Head): void {
  if (revision < head.compacted) {
    throw new SetpointError("history.gone", `revision ${revision} has been compacted`, {
      details: { revision, compacted: head.compacted },
    });
  }
  if (revision > head.revision) {
    throw new SetpointError("revision.future", `revision ${revision} has not been reached`, {
      details: { revision, head: head.revision },
    });
  }
}
