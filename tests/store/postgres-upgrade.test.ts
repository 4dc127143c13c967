// A database that the release before made and still uses: this release takes it over as it is, and
// both work on it side by side until the last process of the old one has gone.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { documentDigest } from "../../src/kernel/document.ts";
import {
  claimOne,
  claimSome,
  commit,
  draft,
  exists,
  key,
  minuteMs,
  put,
  release,
  schedule,
  someone,
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

/** Longer than any test stands still. */
const longMs = 20 * minuteMs;

/** What the release with version 8 sent, on a connection to a schema that it may have made. */
class OldProcess {
  readonly #client: Client;
  #batch = 100;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The names of what it got, each with its token. */
  async claim(limit = 10): Promise<Map<string, number>> {
    const { rows } = await this.#client.query<{ name: string | null; token: string }>(
      "SELECT name, token FROM claim_v3('old', $1, $2, $3, NULL, '{}', NULL, 100, 0, 0, 0)",
      [[widgets], limit, longMs],
    );
    return new Map(
      rows.flatMap(({ name, token }) => (name === null ? [] : [[name, Number(token)] as const])),
    );
  }

  /** Whether its claim was still live. */
  async renew(name: string, token: number | undefined): Promise<boolean> {
    const { rows } = await this.#client.query(
      `WITH time AS MATERIALIZED (SELECT now_v1($6) AS now),
        locked AS MATERIALIZED (SELECT k.kind, k.namespace, k.name, d.at FROM
          unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
            AS k(kind, namespace, name, token)
          CROSS JOIN LATERAL (SELECT q.ctid AS at FROM due q WHERE q.kind = k.kind
            AND q.namespace = k.namespace AND q.name = k.name AND q.token = k.token
            AND q.due_at > (SELECT now FROM time) FOR UPDATE) d)
        UPDATE due SET due_at = (SELECT now FROM time) + $5
        WHERE ctid = ANY (ARRAY(SELECT at FROM locked))
        RETURNING kind, namespace, name, token, due_at`,
      [[widgets], ["team"], [name], [token], longMs, 0],
    );
    return rows.length === 1;
  }

  /** Whether it was released. */
  async release(name: string, token: number | undefined, afterMs: number): Promise<boolean> {
    const { rows } = await this.#client.query<{ answer: string }>(
      "SELECT release_v2('old', $1, 0, $2, ARRAY['team'], $3, $4, ARRAY['u'], $5, '{t}') answer",
      [(this.#batch += 1), [widgets], [name], [token], [afterMs]],
    );
    const { places } = JSON.parse(rows[0]?.answer ?? "{}") as { readonly places: unknown };
    return isDeepStrictEqual(places, [1]);
  }

  async wake(name: string): Promise<void> {
    const { rows } = await this.#client.query<{ answer: string }>(
      `SELECT commit_v3('old', $1, 0, '{1}', '{1}', '{3}', $2, ARRAY['team'], $3, ARRAY[NULL],
        '{2}', ARRAY[NULL::bigint], ARRAY[NULL], ARRAY[NULL::bytea], '{0}', ARRAY[NULL],
        ARRAY[NULL::bytea], ARRAY['{}'], $2, ARRAY['team'], $3, '{}', '{}', '{1}', '{1}', '{f}',
        '{0}', '{f}', '{}', '{}', '{}', NULL) answer`,
      [(this.#batch += 1), [widgets], [name]],
    );
    assert.deepEqual((JSON.parse(rows[0]?.answer ?? "{}") as { c?: unknown }).c, [1]);
  }

  /** How long until the next is due. */
  async nextDueMs(): Promise<number> {
    const { rows } = await this.#client.query<{ ms: string }>(
      "SELECT due_at - now AS ms FROM next_due_v1($1, 0)",
      [[widgets]],
    );
    return Number(rows[0]?.ms);
  }
}

test("claims of the release before and of this one respect each other", async () => {
  const client = await oldSchema("claimed", 8);
  try {
    const old = new OldProcess(client);
    await createAsBefore(client, 1, "a");
    const held = (await old.claim()).get("a");
    const keys = keyRing([newSealKey()]);
    await using store = await openPostgresStore({ url: server.url(), schema: "claimed", keys });
    await commit(store, put(key("b"), { due: wake(0) }));
    const b = await claimOne(store, { leaseMs: longMs });
    assert.equal(b.key.name, "b");
    assert.deepEqual(await old.claim(), new Map());
    assert.deepEqual(await claimSome(store), []);
    assert((await old.nextDueMs()) > 0, "what is leased is not due");
    assert(((await store.nextDue([widgets])) ?? 0) > 0, "what is leased is not due");

    assert(await old.renew("a", held));
    assert(await old.release("a", held, 0));
    const a = await claimOne(store, { leaseMs: longMs });
    assert.equal(a.key.name, "a");
    assert(!(await old.release("a", held, 0)), "its claim is over");
    // A wake during the claim of another process is kept for its release.
    await old.wake("a");
    await store.commit([schedule(key("a"), release(longMs), { claim: a })]);
    const again = (await old.claim()).get("a");
    assert(again !== undefined && again > a.token, "it was woken");

    // A row that carries what this release left behind is found by both when it is due.
    assert(await old.release("a", again, longMs));
    assert.deepEqual(await claimSome(store), []);
    await old.wake("a");
    await store.commit([schedule(key("b"), release(0), { claim: b })]);
    assert.equal((await old.claim(1)).size, 1);
    assert.equal((await claimSome(store)).length, 1);
    assert.deepEqual(await store.verify(), []);
  } finally {
    await client.end();
  }
});

test("a claim of the release before that expires is taken over", async () => {
  const client = await oldSchema("expired", 8);
  try {
    const old = new OldProcess(client);
    const keys = keyRing([newSealKey()]);
    let skewMs = 0;
    const open = { url: server.url(), schema: "expired", keys, clockSkewMs: () => skewMs };
    await using store = await openPostgresStore(open);
    await createAsBefore(client, 1, "a");
    const ours = await claimOne(store, { leaseMs: longMs });
    await store.commit([schedule(key("a"), release(0), { claim: ours })]);
    const theirs = (await old.claim()).get("a") ?? 0;
    skewMs = longMs / 2;
    assert.deepEqual(await claimSome(store), []);
    skewMs = 2 * longMs;
    const [taken] = await claimSome(store);
    assert(taken !== undefined && taken.token > theirs);
    assert(!(await old.renew("a", theirs)), "its claim is over");
  } finally {
    await client.end();
  }
});

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
    const { changes } = await store.changes(0);
    assert.deepEqual(
      changes.map(({ cause }) => cause),
      [undefined, undefined, someone, someone],
      "a change of the release before has no cause, before and after the migration",
    );

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
