/**
 * One execution of a prepared statement, in as few messages and with as little work as the protocol
 * allows: a statement is parsed and described once per connection, and from then on only its
 * parameters travel. The driver's own query describes the result again each time, and copies and
 * wraps more than the small statements of a store cost (measured: 20 to 60 microseconds each).
 */
import type { Connection, Submittable } from "pg";
import { assert } from "../../kernel/assert.ts";
import { PackedBytes } from "./packed-bytes.ts";

export type Row = readonly unknown[];

/** Bytes that are kept go into the pack of their answer. */
export type Parser = (text: string, pack: PackedBytes) => unknown;

/** What a connection knows of a statement that it has executed. */
interface Described {
  readonly text: string;
  readonly parsers: readonly Parser[];
}

/** The statements of one connection, by name. */
export type Statements = Map<string, Described>;

export interface PreparedQueryOptions {
  readonly statement: { readonly name: string; readonly text: string };
  readonly values: readonly unknown[];
  readonly statements: Statements;
  readonly parserOf: (type: number) => Parser;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The driver calls these by name. */
export class PreparedQuery implements Submittable {
  readonly #options: PreparedQueryOptions;
  readonly #values: (string | Buffer | null)[];
  readonly #rows: Row[] = [];
  readonly #pack = new PackedBytes();
  #parsers: readonly Parser[];
  #failure: unknown;

  constructor(options: PreparedQueryOptions) {
    this.#options = options;
    this.#values = options.values.map(textOrBytes);
    const { name, text } = options.statement;
    const described = options.statements.get(name);
    assert(described === undefined || described.text === text, `${name} has two texts`);
    this.#parsers = described?.parsers ?? [];
  }

  submit(connection: Connection): void {
    const { statement, statements } = this.#options;
    const { name, text } = statement;
    const isNew = !statements.has(name);
    // All messages in one write.
    connection.stream.cork();
    try {
      if (isNew) {
        // An attempt that failed may have left it behind; to close what is not there is no error.
        connection.close({ type: "S", name }, true);
        connection.parse({ name, text, types: [] }, true);
      }
      connection.bind({ statement: name, values: this.#values }, true);
      if (isNew) connection.describe({ type: "P", name: "" }, true);
      connection.execute(null, true);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { readonly fields: readonly { dataTypeID: number }[] }): void {
    const { statement, statements, parserOf } = this.#options;
    this.#parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
    statements.set(statement.name, { text: statement.text, parsers: this.#parsers });
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#failure !== undefined) return;
    try {
      // Into the driver's own array, and without an iterator: a list has ten thousand fields.
      const row: unknown[] = fields as unknown[];
      for (let index = 0; index < fields.length; index += 1) {
        const text = fields[index];
        if (typeof text === "string") row[index] = this.#parsers[index]?.(text, this.#pack);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#failure = error;
    }
  }

  handleCommandComplete(): void {
    // The end is said by handleReadyForQuery.
  }

  handleEmptyQuery(): void {
    // As above.
  }

  handleReadyForQuery(): void {
    const { resolve, reject } = this.#options;
    if (this.#failure === undefined) resolve(this.#rows);
    else reject(this.#failure);
  }

  handleError(error: unknown): void {
    this.#options.reject(error);
  }
}

function textOrBytes(value: unknown): string | Buffer | null {
  if (value === null || typeof value === "string" || value instanceof Buffer) return value;
  assert(typeof value === "number", "a parameter is a text, a number or bytes");
  return String(value);
}
