/**
 * The raw limit of SQLite: node:sqlite alone, on the caller's thread, fully durable. One current
 * row and one event row per write, each with the 1 KiB document; nothing is checked.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import type { RawDocument, RawQueue } from "./store.ts";

export class RawSqlite implements Disposable {
  readonly #db: DatabaseSync;
  readonly #current: StatementSync;
  readonly #event: StatementSync;
  readonly #get: StatementSync;
  readonly #list: StatementSync;
  #revision = 0;

  constructor(folder: string, name = "raw.db") {
    this.#db = new DatabaseSync(join(folder, name));
    this.#db.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE current (kind TEXT, namespace TEXT, name TEXT, revision INTEGER, document TEXT,
        PRIMARY KEY (kind, namespace, name));
      CREATE TABLE event (revision INTEGER PRIMARY KEY, kind TEXT, namespace TEXT, name TEXT,
        document TEXT);
      CREATE TABLE queue (kind TEXT, namespace TEXT, name TEXT, due INTEGER, token INTEGER,
        owner TEXT, PRIMARY KEY (kind, namespace, name)) WITHOUT ROWID;
      CREATE INDEX queue_due ON queue (kind, due);`);
    this.#current = this.#db.prepare("INSERT INTO current VALUES ('widgets','bench',?,?,?)");
    this.#event = this.#db.prepare("INSERT INTO event VALUES (?,'widgets','bench',?,?)");
    this.#get = this.#db.prepare(
      `SELECT revision, document FROM current
       WHERE kind='widgets' AND namespace='bench' AND name=?`,
    );
    this.#list = this.#db.prepare(
      `SELECT name, revision, document FROM current WHERE kind='widgets' AND namespace='bench'
       ORDER BY name LIMIT ?`,
    );
  }

  /** Durable transactions of `size` writes each. */
  write(documents: readonly RawDocument[], size: number): number {
    for (let at = 0; at < documents.length; at += size) {
      this.#db.exec("BEGIN IMMEDIATE");
      for (const { name, text } of documents.slice(at, at + size)) {
        this.#revision += 1;
        this.#current.run(name, this.#revision, text);
        this.#event.run(this.#revision, name, text);
      }
      this.#db.exec("COMMIT");
    }
    return documents.length;
  }

  get(names: readonly string[]): number {
    for (const name of names) this.#get.get(name);
    return names.length;
  }

  list(count: number): number {
    return this.#list.all(count).length;
  }

  fillQueue({ kind, namespace, names, dueAtMs }: RawQueue): void {
    this.#db.exec("BEGIN; DELETE FROM queue");
    const insert = this.#db.prepare("INSERT INTO queue VALUES (?, ?, ?, ?, NULL, NULL)");
    for (const name of names) insert.run(kind, namespace, name, dueAtMs);
    this.#db.exec("COMMIT");
  }

  /** Claims everything in batches: look, mark, commit. */
  claimAll(batch: number, { kind, namespace }: RawQueue): number {
    const look = this.#db.prepare(
      "SELECT name FROM queue WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?",
    );
    const mark = this.#db.prepare(
      `UPDATE queue SET due = ?, token = ?, owner = 'bench'
       WHERE kind = ? AND namespace = ? AND name = ?`,
    );
    let claimed = 0;
    for (;;) {
      const nowMs = Date.now();
      this.#db.exec("BEGIN IMMEDIATE");
      const rows = look.all(kind, nowMs, batch);
      for (const row of rows) {
        mark.run(nowMs + 600_000, (claimed += 1), kind, namespace, row["name"] ?? null);
      }
      this.#db.exec("COMMIT");
      if (rows.length === 0) return claimed;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
