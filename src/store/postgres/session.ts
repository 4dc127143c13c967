/**
 * One connection to the database. Every statement ends in bounded time: with its rows, with the
 * server's error, or, when no answer comes (a paused server, a network that drops everything), with
 * the connection destroyed. What a statement may do is bounded on the server too.
 *
 * Plans are kept within bounds: with no sequential scan, no hash or merge join and generic plans,
 * an index is used whatever the statistics say. Which one, and in which order tables are joined, is
 * still the planner's choice, and on a table that was never analysed a blind one; so statements
 * leave it no choice there (migrations/0002_functions.sql says how).
 */
import { Client, escapeIdentifier } from "pg";
import { SetpointError } from "../../kernel/errors.ts";
import type { Timers } from "../../kernel/timers.ts";
import { refusedLater } from "./failures.ts";
import { PreparedQuery } from "./prepared-query.ts";
import { PackedBytes } from "./packed-bytes.ts";
import type { Parser, Row, Statements } from "./prepared-query.ts";
import type { Reach } from "./reach.ts";

export type { Row } from "./prepared-query.ts";

export interface SessionConfig {
  readonly url: string;
  readonly schema: string;
  readonly timers: Timers;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly readOnly: boolean;
  /** Told of every try to connect, and of every answer. */
  readonly reach: Reach;
}

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name?: string;
  readonly text: string;
}

/** A process id alone may have gone to another process meanwhile. */
interface Backend {
  readonly pid: number;
  readonly startedAt: string;
}

const lockTimeoutShare = 0.9;
/** How much longer than the server's own limit the client waits for its answer. */
const graceMs = 500;

const settings = [
  "enable_seqscan=off",
  "enable_bitmapscan=off",
  "enable_hashjoin=off",
  "enable_mergejoin=off",
  "jit=off",
  "plan_cache_mode=force_generic_plan",
  "default_transaction_isolation=read\\ committed",
  "client_min_messages=warning",
  "idle_in_transaction_session_timeout=30000",
  "timezone=UTC",
];

/**
 * An answer means that the commit is on the disk, and on the standby that the server waits for, if
 * any. A server, a database or a role may have a weaker default; a stronger one is kept. It is set
 * in any case: new settings of the server do not change it while the connection lasts.
 */
const durableStatement: Statement = {
  text: `SELECT set_config('synchronous_commit', CASE WHEN s.now IN ('off', 'local') THEN 'on'
    ELSE s.now END, false) FROM current_setting('synchronous_commit') AS s(now)`,
};

export class Session {
  readonly #client: Client;
  readonly #config: SessionConfig;
  readonly #statements: Statements = new Map();
  #isBroken = false;
  #backend: Backend | undefined;

  private constructor(client: Client, config: SessionConfig) {
    this.#client = client;
    this.#config = config;
    // Without a listener a lost idle connection would end the process. Statements that are under
    // way are rejected by the driver itself.
    client.on("error", () => this.#break());
    client.on("end", () => this.#break());
  }

  static async open(config: SessionConfig): Promise<Session> {
    const lockTimeoutMs = Math.floor(config.statementTimeoutMs * lockTimeoutShare);
    const client = new Client({
      connectionString: config.url,
      application_name: "setpoint",
      connectionTimeoutMillis: config.connectTimeoutMs,
      statement_timeout: config.statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      options: [
        `search_path=${escapeIdentifier(config.schema)}`,
        ...settings,
        ...(config.readOnly ? ["default_transaction_read_only=on"] : []),
      ]
        .map((setting) => `-c ${setting}`)
        .join(" "),
      types: { getTypeParser: plainParserOf },
    });
    const session = new Session(client, config);
    try {
      await client.connect();
    } catch (error) {
      config.reach.failed();
      throw config.reach.wasReached ? refusedLater(error) : error;
    }
    if (!config.readOnly) await session.#demandDurability();
    config.reach.answered();
    return session;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  async #demandDurability(): Promise<void> {
    try {
      await this.rows(durableStatement, [], this.#config.connectTimeoutMs);
    } catch (error) {
      this.#break();
      throw error;
    }
  }

  /** Asks which process of the server serves this connection, so that another one can end it. */
  async identify(limitMs: number): Promise<void> {
    const text = `SELECT pid, backend_start::text FROM pg_stat_get_activity(pg_backend_pid())`;
    const [row] = await this.rows({ text }, [], limitMs);
    if (row !== undefined) this.#backend = { pid: row[0] as number, startedAt: row[1] as string };
  }

  /**
   * Ends what the server still does for a connection that was given up here: without an answer to
   * read, it would not notice for a long time, and might hold locks. Best effort.
   */
  async endOther(other: Session, limitMs: number): Promise<void> {
    const backend = other.#backend;
    if (backend === undefined) return;
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_get_activity($1)
      WHERE backend_start = $2::text::timestamptz`;
    await this.rows({ text }, [backend.pid, backend.startedAt], limitMs).catch(() => undefined);
  }

  /** Runs on the event; used by the listener. */
  onNotification(run: (payload: string) => void): void {
    this.#client.on("notification", ({ payload }) => run(payload ?? ""));
  }

  onEnd(run: () => void): void {
    this.#client.on("end", run);
  }

  async rows(
    statement: Statement,
    values: readonly unknown[] = [],
    limitMs: number = this.#config.statementTimeoutMs + graceMs,
  ): Promise<readonly Row[]> {
    let cancel: () => void = () => undefined;
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#config.timers.after(limitMs, () => {
        this.#break();
        reject(new Error(`no response from the database within ${limitMs} ms`));
      });
    });
    try {
      const answer = this.#send(statement, values);
      // A statement that loses the race rejects later, when its connection is gone.
      answer.catch(() => undefined);
      const rows = await Promise.race([answer, timeout]);
      this.#config.reach.answered();
      return rows;
    } finally {
      cancel();
    }
  }

  async #send({ name, text }: Statement, values: readonly unknown[]): Promise<readonly Row[]> {
    if (name === undefined) {
      const query = { text, values: [...values], rowMode: "array" } as const;
      return (await this.#client.query<unknown[]>(query)).rows;
    }
    const statement = { name, text };
    const statements = this.#statements;
    return await new Promise((resolve, reject) => {
      const parts = { statement, values, statements, parserOf, resolve, reject };
      this.#client.query(new PreparedQuery(parts));
    });
  }

  /** All statements of the task in one transaction; any failure ends the connection with it. */
  async transaction<T>(
    run: (text: string) => Promise<unknown>,
    begin: string,
    task: () => Promise<T>,
  ): Promise<T> {
    try {
      await run(begin);
      const result = await task();
      await run("COMMIT");
      return result;
    } catch (error) {
      this.#break();
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#isBroken) return;
    this.#isBroken = true;
    await this.#client.end();
  }

  /** As `close`, for who does not wait: the server may not answer. */
  drop(): void {
    this.#break();
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    // With a statement under way this destroys the socket instead of saying goodbye.
    this.#client.end().catch(() => undefined);
  }
}

/** It is also the name of the channel, and part of a connection's options. */
export function checkSchemaName(schema: string | undefined): void {
  if (schema === undefined || /^[a-z_][a-z0-9_]{0,50}$/.test(schema)) return;
  throw new SetpointError("config.invalid", `"${schema}" cannot be the name of a schema`, {
    suggestion:
      "use at most 51 lower-case letters, digits and underscores; do not start with a digit",
  });
}

const asIs: Parser = (text) => text;
const asNumber: Parser = (text) => Number(text);
const parsers: Readonly<Record<number, Parser>> = {
  16: (text) => text === "t",
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: asNumber,
  21: asNumber,
  23: asNumber,
  114: (text) => JSON.parse(text) as unknown,
  // Documents, and nothing else. As bytes outside of the heap they do not burden the collector
  // while the other rows of a page arrive; as texts they took half of the time of a large list.
  1043: (text, pack) => pack.bytesOf(text),
};

function parserOf(type: number): Parser {
  return parsers[type] ?? asIs;
}

/** For statements without a name, of which the driver reads the rows. */
function plainParserOf(type: number): (text: string) => unknown {
  const parser = parserOf(type);
  const pack = new PackedBytes();
  return (text) => parser(text, pack);
}
