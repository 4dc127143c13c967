/**
 * Stores on a real PostgreSQL for the tests of this folder: one server per file, one schema per
 * test. A schema is made by the migrations in 40 ms; copying a database takes four times as long,
 * and there are two hundred tests.
 */
import { setImmediate } from "node:timers/promises";
import { Client } from "pg";
import type { OpenOptions, StoreHarness } from "../../src/store/contract/harness.ts";
import { key, put, soon } from "../../src/store/contract/samples.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import type { Answer, Store } from "../../src/store/port.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { PostgresStore } from "../../src/store/postgres/store.ts";
import type { PostgresStoreOptions } from "../../src/store/postgres/store-options.ts";
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

/** Creates keys from several callers until told to stop; every answer is kept. */
export function load(store: Store, prefix: string, callers = 8) {
  const answers = new Map<string, Answer>();
  const failures: unknown[] = [];
  const over = new AbortController();
  const caller = async (id: number): Promise<void> => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const name = `${prefix}-${id}-${turn}`;
      try {
        const [answer] = await store.commit([put(key(name))]);
        if (answer !== undefined) answers.set(name, answer);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const running = Promise.all(Array.from({ length: callers }, (_, id) => caller(id)));
  const stop = async () => {
    over.abort();
    await running;
    return { answers, failures };
  };
  return { answers, stop };
}

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const limit = soon();
  while (!(await condition())) {
    limit.throwIfAborted();
    await setImmediate();
  }
}

/** Ends every connection of the store under test but not the one that asks. */
export async function endConnections(h: PostgresHarness): Promise<number> {
  const rows = await h.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'setpoint'`);
  return rows.length;
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
