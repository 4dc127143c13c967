/**
 * The raw limit of SQLite: node:sqlite alone, on the caller's thread, fully durable. One current
 * row and one event row per write, each with the 1 KiB document; nothing is checked.
 */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { documentText } from "./documents.ts";

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
      CREATE TABLE queue (id INTEGER PRIMARY KEY, due INTEGER, token INTEGER, owner TEXT);
      CREATE INDEX queue_due ON queue (due);`);
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
  write(names: readonly string[], size: number): number {
    for (let at = 0; at < names.length; at += size) {
      this.#db.exec("BEGIN IMMEDIATE");
      for (const name of names.slice(at, at + size)) {
        const document = documentText(name);
        this.#revision += 1;
        this.#current.run(name, this.#revision, document);
        this.#event.run(this.#revision, name, document);
      }
      this.#db.exec("COMMIT");
    }
    return names.length;
  }

  get(names: readonly string[]): number {
    for (const name of names) this.#get.get(name);
    return names.length;
  }

  list(count: number): number {
    return this.#list.all(count).length;
  }

  fillQueue(count: number): void {
    this.#db.exec("BEGIN; DELETE FROM queue");
    const insert = this.#db.prepare("INSERT INTO queue VALUES (?, 0, NULL, NULL)");
    for (let id = 1; id <= count; id += 1) insert.run(id);
    this.#db.exec("COMMIT");
  }

  /** Claims everything in batches: look, mark, commit. */
  claimAll(batch: number): number {
    const look = this.#db.prepare("SELECT id FROM queue WHERE due <= 1 ORDER BY due LIMIT ?");
    const mark = this.#db.prepare("UPDATE queue SET due = 9e12, token = ?, owner = 'w' WHERE id=?");
    let claimed = 0;
    for (;;) {
      this.#db.exec("BEGIN IMMEDIATE");
      const rows = look.all(batch);
      for (const row of rows) mark.run((claimed += 1), row["id"] ?? null);
      this.#db.exec("COMMIT");
      if (rows.length === 0) return claimed;
    }
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
