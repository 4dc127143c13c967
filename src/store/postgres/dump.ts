/**
 * Everything, on one snapshot, page by page on a connection of its own, while writers go on. Sealed
 * values stay sealed: a dump is as safe to keep as the database.
 */
import { limits } from "../../kernel/limits.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import { decodeCause } from "../stored-cause.ts";
import type { DumpRow } from "../port.ts";
import { typedFailure } from "./failures.ts";
import { openOwnSession } from "./own-session.ts";
import { changeType, sizeOf } from "./rows.ts";
import { freePlanning, scanLimitMs } from "./scan.ts";
import type { Row, Session, SessionConfig } from "./session.ts";

const pageItems = 1_000;

/** The columns of `changeRow`: a secret stays sealed. */
export const storedColumns = `c.revision, c.previous, c.type, c.kind, c.namespace, c.name, c.uid,
  c.at_ms, to_json(c.terms), c.digest, c.document, c.sealed, c.cause`;

const changePage = `SELECT ${storedColumns}
  FROM (SELECT s.*, sum(s.size) OVER (ORDER BY s.revision ROWS UNBOUNDED PRECEDING) AS total
    FROM (SELECT q.*, ${sizeOf("q")} AS size FROM change q
      WHERE q.revision > $1 ORDER BY q.revision LIMIT ${pageItems}) s) c
  WHERE c.total <= ${limits.maxPageBytes} OR c.total = c.size ORDER BY c.revision`;

export async function* dumpRows(
  config: SessionConfig,
  clockSkewMs: number,
): AsyncGenerator<DumpRow> {
  const session = await openOwnSession(config);
  try {
    yield* rowsOn(session, clockSkewMs);
  } catch (error) {
    throw typedFailure(error);
  } finally {
    await session.close();
  }
}

async function* rowsOn(session: Session, clockSkewMs: number): AsyncGenerator<DumpRow> {
  const rows = async (text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    await session.rows({ text }, values, scanLimitMs);
  await rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await session.rows({ text: freePlanning });
  const [meta] = await rows(`SELECT h.revision, h.compacted,
    CASE WHEN t.is_called THEN t.last_value ELSE 0 END, h.epoch,
    greatest(h.held, (SELECT max(q.id) FROM held q)) FROM head h, claim_token t`);
  const [head = 0, compacted = 0, lastToken = 0, epoch = 1, held = 0] = (meta ?? []) as number[];
  yield { row: "meta", head, compacted, lastToken, epoch, held };
  for (let after = 0; ;) {
    const page = await rows(changePage, [after]);
    for (const row of page) yield changeRow(row);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last[0] as number;
  }
  yield* heldRows(rows);
  yield* dueRows(rows, clockSkewMs);
  await rows("COMMIT");
}

type Rows = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

async function* heldRows(rows: Rows): AsyncGenerator<DumpRow> {
  const names = paged(rows, "SELECT scope, label, kind, namespace, name FROM unique_name", [
    "scope",
    "label",
  ]);
  for await (const row of names) {
    const name = { scope: row[0] as string, name: row[1] as string };
    yield { row: "name", name, key: keyAt(row, 2) };
  }
  const uses = paged(rows, "SELECT kind, namespace, name, counter, amount FROM usage", [
    "kind",
    "namespace",
    "name",
    "counter",
  ]);
  for await (const row of uses) {
    const use = { counter: row[3] as string, amount: row[4] as number };
    yield { row: "use", use, key: keyAt(row, 0) };
  }
  const bounds = paged(
    rows,
    `SELECT counter, max, kind, namespace, name FROM (SELECT * FROM counter
      WHERE max IS NOT NULL) bound`,
    ["counter"],
  );
  for await (const row of bounds) {
    const bound = { counter: row[0] as string, max: row[1] as number };
    yield { row: "bound", bound, key: keyAt(row, 2) };
  }
}

async function* dueRows(rows: Rows, clockSkewMs: number): AsyncGenerator<DumpRow> {
  const waiting = paged(
    rows,
    `SELECT kind, namespace, name, greatest(0, least(due_at, wake_at) - now_v1(${clockSkewMs})),
      attempts FROM (SELECT * FROM due WHERE due_at IS NOT NULL) due`,
    ["kind", "namespace", "name"],
  );
  for await (const row of waiting) {
    const [afterMs, attempts] = [row[3] as number, row[4] as number];
    yield { row: "due", key: keyAt(row, 0), afterMs, attempts };
  }
}

/** By key, never by offset. The key columns are the first ones selected. */
async function* paged(rows: Rows, select: string, key: readonly string[]): AsyncGenerator<Row> {
  const columns = key.join(", ");
  const places = key.map((_, index) => `$${index + 1}`).join(", ");
  let after: readonly unknown[] = [];
  for (;;) {
    const beyond = after.length === 0 ? "" : ` WHERE (${columns}) > (${places})`;
    const page = await rows(`${select}${beyond} ORDER BY ${columns} LIMIT ${pageItems}`, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageItems) return;
    after = last.slice(0, key.length);
  }
}

export function changeRow(row: Row): Extract<DumpRow, { row: "change" }> {
  const document = row[10] as string | null;
  const cause = row[12] as Buffer | null;
  return {
    row: "change",
    revision: row[0] as number,
    previous: row[1] as number | null,
    type: changeType(row[2] as number),
    key: keyAt(row, 3),
    uid: row[6] as string,
    atMs: row[7] as number,
    terms: row[8] as readonly string[],
    digest: row[9] as Buffer,
    document: document === null ? null : Buffer.from(document),
    sealed: row[11] as Buffer | null,
    ...(cause !== null && { cause: decodeCause(cause) }),
  };
}

function keyAt(row: Row, at: number): ResourceKey {
  return {
    kind: row[at] as string,
    namespace: row[at + 1] as string,
    name: row[at + 2] as string,
  };
}
