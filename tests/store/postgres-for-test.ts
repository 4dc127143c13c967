/**
 * Stores on a real PostgreSQL for the tests of this folder: one server per file, one schema per
 * test. A schema is made by the migrations in 40 ms; copying a database takes four times as long,
 * and there are two hundred tests.
 */
import { Client } from "pg";
import type { OpenOptions, StoreHarness } from "../../src/store/contract/harness.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { PostgresStore, PostgresStoreOptions } from "../../src/store/postgres/store.ts";
import type { Postgres } from "../peers/postgres.ts";

export interface PostgresHarness extends StoreHarness {
  readonly store: PostgresStore;
  readonly url: string;
  readonly schema: string;
  openAnother(options?: Partial<PostgresStoreOptions>): Promise<PostgresStore>;
  /** Runs SQL on a connection of its own. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

let schemas = 0;

export async function openForTest(
  server: Postgres,
  options: Omit<Partial<PostgresStoreOptions>, "keys"> & OpenOptions = {},
): Promise<PostgresHarness> {
  const url = server.url();
  const schema = `test_${(schemas += 1)}`;
  const { keys: givenKeys, ...rest } = options;
  let keys = givenKeys ?? [newSealKey()];
  let skewMs = 0;
  const open = async (others: Partial<PostgresStoreOptions> = {}): Promise<PostgresStore> =>
    await openPostgresStore({
      url,
      schema,
      keys: keyRing(keys),
      clockSkewMs: () => skewMs,
      ...rest,
      ...others,
    });
  let store = await open();
  const stores = [store];
  return {
    url,
    schema,
    get store() {
      return store;
    },
    async reopen(again) {
      await store.close();
      keys = again?.keys ?? keys;
      store = await open();
      stores.push(store);
      return store;
    },
    async advanceClock(ms) {
      skewMs += ms;
    },
    async openAnother(others) {
      const another = await open(others);
      stores.push(another);
      return another;
    },
    async rawBytes() {
      const rows = await sql(url, `SELECT to_jsonb(c) AS row FROM ${schema}.change c`);
      return Buffer.from(JSON.stringify(rows));
    },
    sql: async (text, values) => await sql(url, text, values),
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map(async (each) => await each.close()));
    },
  };
}

async function sql(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
