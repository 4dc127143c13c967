/**
 * Brings the database to this release's schema. Migrations are numbered files, each applied once,
 * in its own transaction, under a lock that lets one process do it while the others wait. A
 * database that is ahead is used when the newer schema says that this release still can, since old
 * and new processes run side by side during an upgrade. Processes that run hear of each migration,
 * and stop when it is one that they cannot work with. Which version of a function is current, and
 * where it stands, is in the README of this folder.
 */
import { readFileSync } from "node:fs";
import { SetpointError } from "../../kernel/errors.ts";
import type { Pool } from "./pool.ts";
import { typedFailure } from "./failures.ts";
import { Session } from "./session.ts";
import type { SessionConfig } from "./session.ts";

interface Migration {
  readonly version: number;
  /** The oldest release's newest version that can work with this one. */
  readonly compatibleFrom: number;
  readonly name: string;
}

const migrations: readonly Migration[] = [
  { version: 1, compatibleFrom: 1, name: "0001_store" },
  { version: 2, compatibleFrom: 1, name: "0002_functions" },
  { version: 3, compatibleFrom: 1, name: "0003_hold" },
  { version: 4, compatibleFrom: 1, name: "0004_commit" },
  { version: 5, compatibleFrom: 1, name: "0005_work" },
  { version: 6, compatibleFrom: 1, name: "0006_once" },
  { version: 7, compatibleFrom: 1, name: "0007_release" },
  { version: 8, compatibleFrom: 1, name: "0008_small" },
  { version: 9, compatibleFrom: 1, name: "0009_ready" },
  { version: 10, compatibleFrom: 1, name: "0010_place" },
  { version: 11, compatibleFrom: 1, name: "0011_create" },
  { version: 12, compatibleFrom: 1, name: "0012_cause" },
  { version: 13, compatibleFrom: 1, name: "0013_replication" },
  { version: 14, compatibleFrom: 1, name: "0014_promotion" },
];
const newestVersion = migrations.length;

/** What the listeners of running processes are told. */
export const schemaNews = "schema";

/** An arbitrary number that every release uses for this lock. */
const lockId = 7_370_001;

/** For one statement of a migration, and for waiting until another process is done with it. */
const limitMs = 600_000;

/** On a connection of its own: the limits of everyday statements are none for a migration. */
export async function migrate(pool: Pool, config: SessionConfig): Promise<void> {
  const { schema } = config;
  if (isUsable(await pool.use(async (session) => await readVersion(session, schema)))) return;
  try {
    const session = await Session.open({ ...config, statementTimeoutMs: limitMs });
    try {
      await createSchema(session, schema);
      for (const migration of migrations) await apply(session, migration, schema);
      isUsable(await readVersion(session, schema));
    } finally {
      await session.close();
    }
  } catch (error) {
    throw typedFailure(error);
  }
}

/** For who may not change it: the schema has to be there already. */
export async function checkSchema(pool: Pool, schema: string): Promise<void> {
  const found = await pool.use(async (session) => await readVersion(session, schema));
  if (isUsable(found)) return;
  throw new SetpointError("store.read_only", "the database does not have this release's schema", {
    details: { schema: found.version, known: newestVersion },
    suggestion: "start a server of this release once; it migrates the schema",
  });
}

export interface Version {
  readonly version: number;
  readonly compatibleFrom: number;
}

/** Whether nothing has to be done to use it; throws when it cannot be used at all. */
export function isUsable(found: Version): boolean {
  if (found.version > newestVersion && found.compatibleFrom > newestVersion) {
    const message =
      `the schema has version ${found.version}, created by a newer release; ` +
      `this release supports versions up to ${newestVersion}`;
    throw new SetpointError("store.schema_too_new", message, {
      details: { schema: found.version, needs: found.compatibleFrom, known: newestVersion },
    });
  }
  return found.version >= newestVersion;
}

async function readVersion(session: Session, schema: string): Promise<Version> {
  const [exists] = await session.rows(
    { text: "SELECT to_regclass(format('%I.schema_version', $1::text)) IS NOT NULL" },
    [schema],
  );
  if (exists?.[0] !== true) return { version: 0, compatibleFrom: 0 };
  const [row] = await session.rows({
    text: "SELECT coalesce(max(version), 0), coalesce(max(compatible_from), 0) FROM schema_version",
  });
  return { version: row?.[0] as number, compatibleFrom: row?.[1] as number };
}

async function createSchema(session: Session, schema: string): Promise<void> {
  const name = `"${schema.replaceAll('"', '""')}"`;
  await session.transaction(runOn(session), "BEGIN", async () => {
    await lock(session);
    await session.rows({ text: `CREATE SCHEMA IF NOT EXISTS ${name}` });
    await session.rows({
      text: `CREATE TABLE IF NOT EXISTS ${name}.schema_version (
        version integer PRIMARY KEY,
        compatible_from integer NOT NULL,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`,
    });
  });
}

async function apply(
  session: Session,
  { version, compatibleFrom, name }: Migration,
  schema: string,
): Promise<void> {
  await session.transaction(runOn(session), "BEGIN", async () => {
    await lock(session);
    const text = "SELECT 1 FROM schema_version WHERE version = $1";
    if ((await session.rows({ text }, [version])).length > 0) return;
    const file = new URL(`./migrations/${name}.sql`, import.meta.url);
    await session.rows({ text: readFileSync(file, "utf8") });
    await session.rows(
      { text: "INSERT INTO schema_version (version, compatible_from, name) VALUES ($1, $2, $3)" },
      [version, compatibleFrom, name],
    );
    await session.rows({ text: "SELECT pg_notify($1, $2)" }, [schema, schemaNews]);
  });
}

function runOn(session: Session): (text: string) => Promise<unknown> {
  return async (text) => await session.rows({ text });
}

async function lock(session: Session): Promise<void> {
  await session.rows({ text: `SELECT pg_advisory_xact_lock(${lockId})` });
}
