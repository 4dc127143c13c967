/**
 * Fills an empty store from a dump in one transaction: all of it or nothing. The dump is checked as
 * it goes in, since it may have been cut or edited, and the indexes are made from the log, so they
 * cannot disagree with it. The planner is told about the tables as they fill: plans made for empty
 * ones would read the whole of them for each row.
 */
import { isSetpointError, SetpointError } from "../../kernel/errors.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { loadFindings, unsoundDump } from "../load-check.ts";
import type { DumpRow } from "../port.ts";
import { keyArrays } from "./batch.ts";
import { int4Array, int8Array, textArray } from "./binary-array.ts";
import { insertChanges } from "./load-changes.ts";
import { sizeOf } from "./rows.ts";
import { typedFailure } from "./failures.ts";
import { freePlanning } from "./scan.ts";
import { endOwnSession, openOwnSession } from "./own-session.ts";
import type { Row, Session, SessionConfig } from "./session.ts";
import { violations } from "./verify.ts";

type RowOf<Kind extends DumpRow["row"]> = Extract<DumpRow, { row: Kind }>;
type Rows = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

const chunkItems = 500;
const chunkBytes = 4 * 1024 * 1024;
const termSliceItems = 20_000;
/** For one statement: the index of resources is made from the whole log by one of them. */
const loadLimitMs = 3_600_000;

interface Loaded {
  readonly head: number;
  readonly compacted: number;
}

interface LoadOptions {
  readonly clockSkewMs: number;
  /** Its primary: the store becomes a secondary. */
  readonly primary?: string | undefined;
}

/** Returns the head and the mark of the loaded store. */
export async function loadRows(
  config: SessionConfig,
  rows: AsyncIterable<DumpRow>,
  options: LoadOptions,
): Promise<Loaded> {
  const session = await openOwnSession(config);
  try {
    return await loadOn(session, rows, options);
  } catch (error) {
    await endOwnSession(config, session);
    throw error;
  } finally {
    await session.close();
  }
}

async function loadOn(
  session: Session,
  rows: AsyncIterable<DumpRow>,
  { clockSkewMs, primary }: LoadOptions,
): Promise<Loaded> {
  let isComplete = false;
  const run: Rows = async (text, values = []) => {
    try {
      return await session.rows({ text }, values, loadLimitMs);
    } catch (error) {
      if (isBroken(error)) throw invalid("its rows contradict each other", error);
      throw isComplete ? typedFailure(error, "store.outcome_unknown") : typedFailure(error);
    }
  };
  return await session.transaction(run, "BEGIN", async () => {
    await run(`${freePlanning}; SET LOCAL statement_timeout = ${loadLimitMs}`);
    await run("SELECT pg_advisory_xact_lock(hashtextextended(current_schema(), 7370002))");
    const [state] = await run(`SELECT revision = 0 AND compacted = 0
      AND NOT EXISTS (SELECT 1 FROM change) FROM head FOR UPDATE`);
    if (state?.[0] !== true) {
      throw new SetpointError("store.not_empty", "the store already holds data");
    }
    await run("UPDATE head SET role = 'loading' WHERE one");
    const loaded = await new Loader(run, clockSkewMs).load(rows);
    // A store that is restored numbers what is held from the beginning.
    if (primary === undefined) await run("UPDATE head SET held = 0 WHERE one");
    if (primary !== undefined) await run("SELECT demote_v1($1)", [primary]);
    const problems = await violations(run, loadFindings);
    if (problems.length > 0) throw unsoundDump(problems);
    isComplete = true;
    return loaded;
  });
}

class Loader {
  readonly #run: Rows;
  readonly #clockSkewMs: number;
  #meta: RowOf<"meta"> | undefined;
  #lastRevision = 0;
  #isLogComplete = false;
  #chunk: DumpRow[] = [];
  #bytes = 0;

  constructor(run: Rows, clockSkewMs: number) {
    this.#run = run;
    this.#clockSkewMs = clockSkewMs;
  }

  async load(rows: AsyncIterable<DumpRow>): Promise<{ head: number; compacted: number }> {
    for await (const row of rows) await this.#add(row);
    await this.#flush();
    const meta = this.#meta;
    if (meta === undefined) throw invalid("it is empty");
    await this.#completeLog(meta);
    await this.#finish(meta);
    return { head: meta.head, compacted: meta.compacted };
  }

  async #add(row: DumpRow): Promise<void> {
    if (row.row === "meta") {
      if (this.#meta !== undefined) throw invalid("meta is repeated");
      this.#meta = row;
      return;
    }
    if (this.#meta === undefined) throw invalid("meta must come first");
    if (row.row === "change") {
      if (row.revision <= this.#lastRevision) throw invalid("revisions do not ascend");
      this.#lastRevision = row.revision;
      this.#bytes += (row.document?.length ?? 0) + (row.sealed?.length ?? 0);
    }
    const isFull = this.#chunk.length >= chunkItems || this.#bytes > chunkBytes;
    if (isFull || (this.#chunk[0] !== undefined && this.#chunk[0].row !== row.row)) {
      await this.#flush();
    }
    if (row.row !== "change") await this.#completeLog(this.#meta);
    else if (this.#isLogComplete) throw invalid("a change comes after the log");
    this.#chunk.push(row);
  }

  async #flush(): Promise<void> {
    const chunk = this.#chunk;
    this.#chunk = [];
    this.#bytes = 0;
    const only = <Kind extends DumpRow["row"]>(kind: Kind): readonly RowOf<Kind>[] =>
      chunk.filter((row): row is RowOf<Kind> => row.row === kind);
    switch (chunk[0]?.row) {
      case "change":
        return await insertChanges(this.#run, only("change"));
      case "name":
        return await this.#insertNames(only("name"));
      case "use":
        return await this.#insertUses(only("use"));
      case "bound":
        return await this.#insertBounds(only("bound"));
      case "due":
        return await this.#insertDue(only("due"));
      case "meta":
      case undefined:
      default:
        return undefined;
    }
  }

  async #insertNames(rows: readonly RowOf<"name">[]): Promise<void> {
    await this.#run(
      `INSERT INTO unique_name (kind, namespace, name, scope, label)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`,
      [
        ...keysOf(rows),
        textArray(rows.map(({ name }) => name.scope)),
        textArray(rows.map(({ name }) => name.name)),
      ],
    );
  }

  async #insertUses(rows: readonly RowOf<"use">[]): Promise<void> {
    const counters = textArray(rows.map(({ use }) => use.counter));
    const amounts = int8Array(rows.map(({ use }) => use.amount));
    await this.#run(
      `INSERT INTO usage (kind, namespace, name, counter, amount)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`,
      [...keysOf(rows), counters, amounts],
    );
    await this.#run("SELECT count_v1($1, $2)", [counters, amounts]);
  }

  async #insertBounds(rows: readonly RowOf<"bound">[]): Promise<void> {
    await this.#run(
      `INSERT INTO counter AS c (kind, namespace, name, counter, max, value)
      SELECT w.*, 0 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) w
      ON CONFLICT (counter) DO UPDATE SET kind = excluded.kind, namespace = excluded.namespace,
        name = excluded.name, max = excluded.max`,
      [
        ...keysOf(rows),
        textArray(rows.map(({ bound }) => bound.counter)),
        int8Array(rows.map(({ bound }) => bound.max)),
      ],
    );
  }

  async #insertDue(rows: readonly RowOf<"due">[]): Promise<void> {
    await this.#run(
      `INSERT INTO due (kind, namespace, name, due_at, attempts)
      SELECT w.kind, w.namespace, w.name, n.now + w.after, w.attempts
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[])
        AS w(kind, namespace, name, after, attempts), (SELECT now_v1($6) AS now OFFSET 0) n`,
      [
        ...keysOf(rows),
        int8Array(rows.map(({ afterMs }) => Math.round(afterMs))),
        int4Array(rows.map(({ attempts }) => attempts)),
        this.#clockSkewMs,
      ],
    );
  }

  /** Once, when no more changes come: checks the log and makes the indexes over it. */
  async #completeLog({ head, compacted }: RowOf<"meta">): Promise<void> {
    if (this.#isLogComplete) return;
    await this.#flush();
    this.#isLogComplete = true;
    if (this.#lastRevision > head || compacted > head) {
      throw invalid("it has changes above its head");
    }
    await this.#run("ANALYZE change");
    // A dump may have been made in the middle of a compaction; what it had left to remove goes now.
    await this.#run(
      `DELETE FROM change c WHERE c.revision <= $1 AND (c.type = 3 OR EXISTS
        (SELECT 1 FROM change n WHERE n.previous = c.revision AND n.revision <= $1))`,
      [compacted],
    );
    const [checked] = await this.#run(
      `SELECT (SELECT count(*) FROM change WHERE revision > $1) = $2::bigint - $1::bigint,
        NOT EXISTS (SELECT 1 FROM change c LEFT JOIN change p ON p.revision = c.previous
          WHERE c.document IS NULL AND p.document IS NULL)`,
      [compacted, head],
    );
    if (checked?.[0] !== true) throw invalid("changes are missing");
    if (checked[1] !== true) throw invalid("a document is missing");
    await this.#run(`INSERT INTO resource
        (kind, namespace, name, revision, size, uid, digest, terms)
      SELECT c.kind, c.namespace, c.name, c.revision, ${sizeOf("c")}, c.uid, c.digest, c.terms
      FROM change c
      WHERE c.type <> 3 AND NOT EXISTS (SELECT 1 FROM change n WHERE n.previous = c.revision)`);
    await this.#run("ANALYZE resource");
    await this.#fillTerms();
  }

  async #fillTerms(): Promise<void> {
    const slice = `SELECT * FROM resource r WHERE (r.kind, r.namespace, r.name) > ($1, $2, $3)
      ORDER BY r.kind, r.namespace, r.name LIMIT ${termSliceItems}`;
    for (let after: Row = ["", "", ""]; ;) {
      await this.#run(
        `INSERT INTO term (kind, term, namespace, name)
        SELECT DISTINCT r.kind, t.term, r.namespace, r.name
        FROM (${slice}) r, unnest(r.terms) t(term)`,
        after,
      );
      const [last] = await this.#run(
        `SELECT s.kind, s.namespace, s.name FROM (${slice}) s
        OFFSET ${termSliceItems - 1} LIMIT 1`,
        after,
      );
      if (last === undefined) return;
      after = last;
    }
  }

  async #finish(meta: RowOf<"meta">): Promise<void> {
    const { head, compacted, lastToken, epoch = 1, held = 0 } = meta;
    const holders = ["unique_name", "usage", "due"].map(
      (table) => `SELECT kind, namespace, name FROM ${table}`,
    );
    const [orphan] = await this.#run(
      `SELECT h.name FROM (${holders.join(" UNION ALL ")} UNION ALL
        SELECT kind, namespace, name FROM counter WHERE max IS NOT NULL) h
      LEFT JOIN resource r ON r.kind = h.kind AND r.namespace = h.namespace AND r.name = h.name
      WHERE r.name IS NULL LIMIT 1`,
    );
    if (orphan !== undefined) {
      throw invalid("a name or quota belongs to a resource that does not exist");
    }
    await this.#run(
      `UPDATE head SET revision = $1, compacted = $2, epoch = $3, held = $4, ships_from = $1,
         role = 'primary' WHERE one`,
      [head, compacted, epoch, held],
    );
    await this.#run("UPDATE compaction SET done = $1 WHERE one", [compacted]);
    if (lastToken > 0) {
      await this.#run(
        "SELECT setval('claim_token', greatest($1::bigint, (SELECT last_value FROM claim_token)))",
        [lastToken],
      );
    }
    await this.#run("ANALYZE change, resource, term, due, unique_name, usage, counter");
    await this.#run(
      "SELECT pg_notify(current_schema(), concat_ws(' ', 'load', $1::bigint, 1, $2::bigint))",
      [head, compacted],
    );
  }
}

function keysOf(rows: readonly { readonly key: ResourceKey }[]): readonly Buffer[] {
  return keyArrays(rows.map(({ key }) => key));
}

/** Constraint violations and values out of range: the rows are at fault, not the database. */
function isBroken(error: unknown): boolean {
  if (isSetpointError(error)) return false;
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code);
}

function invalid(why: string, cause?: unknown): SetpointError {
  return new SetpointError("backup.invalid", `the dump cannot be loaded: ${why}`, { cause });
}
