/**
 * Long scans (verify, dump): one read-only snapshot on one connection, with the planner's normal
 * freedom and no limit on a single statement's time other than a generous one.
 */
import type { Pool } from "./pool.ts";
import type { Row, Session } from "./session.ts";

const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/** Per statement. On the client too, where the default is that of everyday statements. */
export const scanLimitMs = 600_000;
export const freePlanning = `SET LOCAL enable_seqscan = on; SET LOCAL enable_bitmapscan = on;
  SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL plan_cache_mode = auto; SET LOCAL statement_timeout = ${scanLimitMs};
  SET LOCAL idle_in_transaction_session_timeout = 0`;

export type Scan = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

export async function withScan<T>(pool: Pool, task: (scan: Scan) => Promise<T>): Promise<T> {
  return await pool.use(async (session) => await scanOn(session, task));
}

async function scanOn<T>(session: Session, task: (scan: Scan) => Promise<T>): Promise<T> {
  const scan: Scan = async (text, values) => await session.rows({ text }, values, scanLimitMs);
  return await session.transaction(scan, begin, async () => {
    await scan(freePlanning);
    return await task(scan);
  });
}
