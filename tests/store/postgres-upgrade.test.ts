// A database that the release before made and still uses: this release takes it over as it is, and
// both work on it side by side until the last process of the old one has gone.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Client } from "pg";
import { documentDigest } from "../../src/kernel/document.ts";
import {
  commit,
  draft,
  exists,
  key,
  minuteMs,
  put,
  wake,
  widgets,
} from "../../src/store/contract/samples.ts";
import { keyRing, newSealKey } from "../../src/store/key-ring.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";

let server: Postgres;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

const migrations = new URL("../../src/store/postgres/migrations/", import.meta.url);

/** A connection to a schema of the version, as its release left it: with a writer of its own. */
async function oldSchema(schema: string, version: number): Promise<Client> {
  const client = new Client({ connectionString: server.url() });
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema};
    CREATE TABLE schema_version (version integer PRIMARY KEY, compatible_from integer NOT NULL,
      name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const files = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
  for (const file of files.sort().slice(0, version)) {
    await client.query(readFileSync(new URL(file, migrations), "utf8"));
    await client.query("INSERT INTO schema_version VALUES ($1, 1, $2)", [
      Number(file.slice(0, 4)),
      file.replace(/\.sql$/, ""),
    ]);
  }
  await client.query("INSERT INTO writer (id, batch, at_ms) VALUES ('old', 0, now_v1(0))");
  return client;
}

/** What the release with version 7 sent for the creation of a resource that is due at once. */
async function createAsBefore(client: Client, batch: number, name: string): Promise<void> {
  const document = draft(key(name)).body;
  const { rows } = await client.query<{ answer: string }>(
    `SELECT commit_v2('old', $1, 0, '{1}', '{1}', '{1}', $2, ARRAY['team'], $3, $4,
      '{0}', ARRAY[NULL::bigint], ARRAY[NULL], $5, $6, $7, ARRAY[NULL::bytea], ARRAY['{}'],
      $2, ARRAY['team'], $3, '{}', '{}', '{}', '{1}', '{1}', '{f}', '{0}', '{f}',
      NULL) answer`,
    [
      batch,
      [widgets],
      [name],
      ["u"],
      [documentDigest(document)],
      [document.length],
      [document.toString()],
    ],
  );
  assert.deepEqual((JSON.parse(rows[0]?.answer ?? "{}") as { c?: unknown }).c, [0]);
}

test("a database of the release before is taken over, and both work on it", async () => {
  const old = await oldSchema("upgraded", 7);
  try {
    await createAsBefore(old, 1, "a");
    const keys = keyRing([newSealKey()]);
    await using store = await openPostgresStore({ url: server.url(), schema: "upgraded", keys });
    assert.equal((await store.get(key("a")))?.revision, 1);
    await createAsBefore(old, 2, "b");
    assert.equal(await commit(store, put(key("c"), { due: wake(0) })), 3);
    assert.equal(await commit(store, put(key("c"), { when: exists, content: { spec: 1 } })), 4);

    const claims = await store.claim({
      owner: "new",
      kinds: [widgets],
      limit: 2,
      leaseMs: minuteMs,
    });
    const { rows } = await old.query<{ name: string }>(
      "SELECT name FROM claim_v2('old', $1, 10, 60000, NULL, '{}', NULL, 100, 0)",
      [[widgets]],
    );
    const names = [...claims.map((claim) => claim.key.name), ...rows.map(({ name }) => name)];
    assert.deepEqual(names.sort(), ["a", "b", "c"]);
    assert.equal(claims.length, 2);
    assert.deepEqual(await store.verify(), []);
  } finally {
    await old.end();
  }
});
