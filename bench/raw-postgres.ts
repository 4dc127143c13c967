/**
 * The raw limit of PostgreSQL: the `pg` client on one connection, arrays through unnest, one
 * current row and one event row per write, each with the 1 KiB document; nothing is checked.
 */
import { Client } from "pg";
import type { RawDocument, RawQueue } from "./store.ts";

export class RawPostgres implements AsyncDisposable {
  readonly #connection: Client;
  #revision: number;

  private constructor(connection: Client, revision: number) {
    this.#connection = connection;
    this.#revision = revision;
  }

  /** @param revision Where its revisions begin: two processes must not give the same ones. */
  static async open(url: string, revision = 0): Promise<RawPostgres> {
    const connection = new Client({ connectionString: url });
    await connection.connect();
    await connection.query(`
      CREATE TABLE IF NOT EXISTS raw_current (kind text, namespace text, name text, revision bigint,
        document text, PRIMARY KEY (kind, namespace, name));
      CREATE TABLE IF NOT EXISTS raw_event (revision bigint PRIMARY KEY, kind text, namespace text,
        name text, document text);
      CREATE TABLE IF NOT EXISTS raw_queue (kind text, namespace text, name text, due bigint,
        token bigint, owner text, PRIMARY KEY (kind, namespace, name));
      CREATE INDEX IF NOT EXISTS raw_queue_due ON raw_queue (kind, due);`);
    return new RawPostgres(connection, revision);
  }

  /** Durable transactions of `size` writes each. */
  async write(documents: readonly RawDocument[], size: number): Promise<number> {
    for (let at = 0; at < documents.length; at += size) {
      const batch = documents.slice(at, at + size);
      const revisions = batch.map(() => (this.#revision += 1));
      await this.#connection.query({
        name: "raw-write",
        text: `WITH input AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])
                 AS t(name, revision, document)),
               event AS (INSERT INTO raw_event SELECT revision, 'widgets', 'bench', name, document
                 FROM input)
               INSERT INTO raw_current SELECT 'widgets', 'bench', name, revision, document
                 FROM input`,
        values: [batch.map(({ name }) => name), revisions, batch.map(({ text }) => text)],
      });
    }
    return documents.length;
  }

  async get(names: readonly string[]): Promise<number> {
    for (const name of names) {
      await this.#connection.query({
        name: "raw-get",
        text: `SELECT revision, document FROM raw_current
               WHERE kind = 'widgets' AND namespace = 'bench' AND name = $1`,
        values: [name],
      });
    }
    return names.length;
  }

  async list(count: number): Promise<number> {
    const { rows } = await this.#connection.query({
      name: "raw-list",
      text: `SELECT name, revision, document FROM raw_current
             WHERE kind = 'widgets' AND namespace = 'bench' ORDER BY name LIMIT $1`,
      values: [count],
    });
    return rows.length;
  }

  async fillQueue({ kind, namespace, names, dueAtMs }: RawQueue): Promise<void> {
    await this.#connection.query("TRUNCATE raw_queue");
    await this.#connection.query(
      "INSERT INTO raw_queue SELECT $1, $2, name, $4 FROM unnest($3::text[]) name",
      [kind, namespace, names, dueAtMs],
    );
    await this.#connection.query("ANALYZE raw_queue");
  }

  async claimAll(batch: number, { kind }: RawQueue): Promise<number> {
    let claimed = 0;
    for (;;) {
      const nowMs = Date.now();
      const { rowCount } = await this.#connection.query({
        name: "raw-claim",
        text: `UPDATE raw_queue SET due = $3, token = coalesce(token, 0) + 1, owner = 'bench'
               WHERE (kind, namespace, name) IN (
                 SELECT kind, namespace, name FROM raw_queue WHERE kind = $1 AND due <= $2
                 ORDER BY due LIMIT $4 FOR UPDATE SKIP LOCKED) RETURNING name`,
        values: [kind, nowMs, nowMs + 600_000, batch],
      });
      if (rowCount === null || rowCount === 0) return claimed;
      claimed += rowCount;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.end();
  }
}
