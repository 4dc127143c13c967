/**
 * Fills an empty database from the rows of a dump, inside a transaction that the caller ends. What
 * can be derived is derived again: resources and terms from the log, counters from their uses. A
 * dump whose rows do not fit together is refused (`backup.invalid`) before anything is committed.
 */
import type { DatabaseSync } from "node:sqlite";
import { SetpointError } from "../../kernel/errors.ts";
import { formatReference } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { loadedCause } from "../stored-cause.ts";
import type { DumpRow } from "../port.ts";
import { action, rows } from "./sql.ts";

/** Buffers arrive in the writer's thread as plain byte arrays. */
export type LoadRow = DumpRow;

type Meta = Extract<DumpRow, { row: "meta" }>;
type ChangeRow = Extract<DumpRow, { row: "change" }>;

function statements(db: DatabaseSync) {
  const key = "kind = ? AND namespace = ? AND name = ?";
  return {
    isEmpty: rows<[number]>(db, "SELECT revision FROM head WHERE revision = 0"),
    change: action(
      db,
      "INSERT INTO change VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)",
    ),
    resource: action(db, "INSERT OR REPLACE INTO resource VALUES (?, ?, ?, ?, ?, ?, ?)"),
    remove: action(db, `DELETE FROM resource WHERE ${key}`),
    find: rows<[number, string]>(db, `SELECT revision, uid FROM resource WHERE ${key}`),
    name: action(db, "INSERT INTO unique_name VALUES (?, ?, ?, ?, ?)"),
    use: action(db, "INSERT INTO counter_use VALUES (?, ?, ?, ?, ?)"),
    bound: action(db, "INSERT INTO counter_bound VALUES (?, ?, ?, ?, ?)"),
    due: action(
      db,
      "INSERT INTO due (kind, namespace, name, due_at, attempts) VALUES (?, ?, ?, ?, ?)",
    ),
    terms: action(
      db,
      `INSERT OR IGNORE INTO term SELECT r.kind, t.value, r.namespace, r.name
       FROM resource r, json_each(r.terms) t`,
    ),
    counters: action(
      db,
      `INSERT INTO counter SELECT counter, sum(amount) FROM counter_use
       GROUP BY counter HAVING sum(amount) > 0`,
    ),
    count: rows<[number]>(db, "SELECT count(*) FROM change WHERE revision > ? AND revision <= ?"),
    begin: action(db, "INSERT OR IGNORE INTO not_primary VALUES (1)"),
    end: action(db, "DELETE FROM not_primary"),
    head: action(
      db,
      `UPDATE head SET revision = ?1, compacted = ?2, compacting = ?2, last_token = ?3,
         epoch = ?4, held = ?5, ships_from = ?1, role = 'primary' WHERE id = 1`,
    ),
  };
}

export class Loader {
  readonly #sql: ReturnType<typeof statements>;
  readonly #nowMs: number;
  #meta: Meta | undefined;
  #last = 0;

  constructor(db: DatabaseSync, nowMs: number) {
    this.#sql = statements(db);
    this.#nowMs = nowMs;
    if (this.#sql.isEmpty.get() === undefined) {
      throw new SetpointError("store.not_empty", "the store to restore into holds data");
    }
    this.#sql.begin.run();
  }

  add(loaded: readonly LoadRow[]): void {
    for (const row of loaded) {
      const isFirst = this.#meta === undefined;
      if ((row.row === "meta") !== isFirst) throw invalid("meta comes first, once");
      if (row.row === "meta") this.#meta = row;
      else if (row.row === "change") this.#addChange(row);
      else this.#addHeld(row);
    }
  }

  /** A restored store numbers what is held from the beginning, a seeded one goes on. */
  finish(isSeeded: boolean): void {
    if (this.#meta === undefined) throw invalid("it is empty");
    const { head, compacted, lastToken, epoch = 1, held = 0 } = this.#meta;
    const kept = this.#sql.count.get(compacted, head)?.[0] ?? 0;
    if (kept !== head - compacted) throw invalid(`${head - compacted - kept} changes are missing`);
    if (this.#last > head) throw invalid("it has changes above its head");
    this.#sql.terms.run();
    this.#sql.counters.run();
    this.#sql.end.run();
    this.#sql.head.run(head, compacted, lastToken, epoch, isSeeded ? held : 0);
  }

  #addChange(row: ChangeRow): void {
    const { revision, previous, type, key, uid, atMs, digest, document, sealed } = row;
    if (revision <= this.#last) throw invalid("its revisions do not ascend");
    this.#last = revision;
    const { kind, namespace, name } = key;
    const [current, currentUid] = this.#sql.find.get(kind, namespace, name) ?? [];
    const isChained = (previous ?? undefined) === current && (currentUid ?? uid) === uid;
    // Below the mark the replaced change is gone: what is left there begins a chain.
    const isRoot = current === undefined && revision <= (this.#meta?.compacted ?? 0);
    const isShown = document !== null || type === "deleted";
    if ((!isChained && !isRoot) || !isShown) {
      throw invalid(`revision ${revision} does not match the revision that it replaces`);
    }
    const terms = JSON.stringify(row.terms);
    this.#sql.change.run(
      revision,
      previous,
      type,
      kind,
      namespace,
      name,
      uid,
      atMs,
      terms,
      digest,
      document,
      sealed,
      loadedCause(row.cause),
    );
    if (type === "deleted") this.#sql.remove.run(kind, namespace, name);
    else this.#sql.resource.run(kind, namespace, name, revision, uid, digest, terms);
  }

  #addHeld(row: Exclude<DumpRow, { row: "meta" | "change" }>): void {
    const { kind, namespace, name } = this.#existing(row.key);
    const sql = this.#sql;
    switch (row.row) {
      case "name":
        sql.name.run(row.name.scope, row.name.name, kind, namespace, name);
        return;
      case "use":
        sql.use.run(kind, namespace, name, row.use.counter, row.use.amount);
        return;
      case "bound":
        sql.bound.run(row.bound.counter, row.bound.max, kind, namespace, name);
        return;
      case "due":
        sql.due.run(kind, namespace, name, this.#nowMs + row.afterMs, row.attempts);
        return;
      default:
        row satisfies never;
    }
  }

  #existing(key: ResourceKey): ResourceKey {
    const found = this.#sql.find.get(key.kind, key.namespace, key.name);
    if (found !== undefined) return key;
    throw invalid(`${formatReference(key)} holds a name or quota but does not exist`);
  }
}

function invalid(why: string): SetpointError {
  return new SetpointError("backup.invalid", `the dump cannot be loaded: ${why}`);
}
