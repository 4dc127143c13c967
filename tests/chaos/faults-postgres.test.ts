// Faults between the store and PostgreSQL, under load: connections that are cut, a server that is
// paused, stopped, restarted, full of other clients, or out of disk. The store is one object that
// lives through all of it: answers are exact, errors are typed, and nothing needs a restart.
import assert from "node:assert/strict";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { Puts } from "./acknowledged.ts";
import { openDisk, startPostgresOn } from "./disk.ts";
import { codeOf } from "./evidence.ts";
import { openTarget } from "./target.ts";

const callers = 16;
const typed = /^store\.(unavailable|outcome_unknown|overloaded)$/;

let server: Postgres;
before(async () => {
  server = await startPostgres({ settings: { max_connections: "40" } });
});
after(async () => await server[Symbol.asyncDispose]());

interface Loaded {
  readonly store: Store;
  readonly puts: Puts;
  /** Waits until a number of further puts were acknowledged. */
  readonly more: (count: number) => Promise<void>;
}

/** Runs a fault while callers put without end; checks that what was acknowledged is there. */
async function underLoad(url: string, fault: (loaded: Loaded) => Promise<void>): Promise<Puts> {
  const puts = new Puts();
  const stopping = new AbortController();
  // Longer than any of these faults lasts, also on a busy machine.
  await using store = await openTarget(url, { patienceMs: 60_000 });
  const putting = puts.keepPutting(store, callers, stopping.signal);
  const more = async (count: number): Promise<void> => {
    const wanted = puts.acknowledged.size + count;
    const isReached = (): boolean => puts.acknowledged.size >= wanted;
    await waitUntil(`${count} more answers`, isReached, { limitMs: 120_000 });
  };
  try {
    await more(100);
    await fault({ store, puts, more });
    await more(100);
  } finally {
    stopping.abort();
    await putting;
  }
  for (const code of puts.codes) assert.match(code, typed);
  await puts.check(store);
  return puts;
}

async function ask(url: string, statement: string): Promise<number> {
  const adminClient = new Client({ connectionString: url });
  await adminClient.connect();
  try {
    return (await adminClient.query(statement)).rowCount ?? 0;
  } finally {
    await adminClient.end();
  }
}

test("connections cut under load cost no answer: every put is acknowledged once", async () => {
  const url = server.url(await server.createDatabase());
  const puts = await underLoad(url, async ({ more }) => {
    for (let i = 0; i < 8; i += 1) {
      const cut = await ask(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
      assert.ok(cut > 0);
      await more(30);
    }
  });
  assert.deepEqual(puts.codes, [], "no call failed");
});

test("a server paused for two seconds costs two seconds, and no answer", async () => {
  const url = server.url(await server.createDatabase());
  const puts = await underLoad(url, async () => {
    server.pause();
    await delay(2_000);
    server.resume();
  });
  assert.deepEqual(puts.codes, [], "no call failed");
});

test("a server that is stopped and started again is waited for", async () => {
  const url = server.url(await server.createDatabase());
  await underLoad(url, async () => {
    await server.stop();
    await server.start();
  });
});

test("a server that crashes and starts again is waited for", async () => {
  const url = server.url(await server.createDatabase());
  await underLoad(url, async () => {
    await server.kill9();
    await server.start();
  });
});

test("a server away for longer than the patience is a typed error in bounded time", async () => {
  const url = server.url(await server.createDatabase());
  const puts = new Puts();
  await using store = await openTarget(url, { patienceMs: 1_000 });
  const isPut = async (): Promise<boolean> => (await puts.put(store)) === "committed";
  await waitUntil("the first put", isPut);
  await server.stop();
  const startedAt = performance.now();
  const codes = await Promise.all(Array.from({ length: 20 }, async () => await puts.put(store)));
  const read = await store.get({ kind: "puts.chaos", namespace: "chaos", name: "x" }).then(
    () => "answered",
    (error: unknown) => codeOf(error),
  );
  const tookMs = performance.now() - startedAt;
  await server.start();
  for (const code of codes) assert.match(code, typed);
  assert.equal(read, "store.unavailable");
  assert.ok(tookMs < 60_000, `took ${Math.round(tookMs)} ms`);
  await waitUntil("the store to come back", isPut);
  await puts.check(store);
});

test("a server without a free connection is waited for, and a typed error in the end", async () => {
  const url = server.url(await server.createDatabase());
  const puts = new Puts();
  await using first = await openTarget(url, { patienceMs: 60_000 });
  assert.equal(await puts.put(first), "committed");
  const hogs: Client[] = [];
  try {
    for (let i = 0; i < 60; i += 1) {
      const hog = new Client({ connectionString: url });
      hog.on("error", () => undefined); // It is refused, or cut at the end: both are meant.
      const isIn = await hog.connect().then(
        () => true,
        () => false,
      );
      if (!isIn) break;
      hogs.push(hog);
    }
    assert.ok(hogs.length > 5 && hogs.length < 60, `${hogs.length} connections`);
    // The one that has its connections goes on; another one is told why it cannot come in.
    assert.equal(await puts.put(first), "committed");
    const code = await openTarget(url, { patienceMs: 1_500 }).then(
      async (store) => {
        await store.close();
        return "opened";
      },
      (error: unknown) => codeOf(error),
    );
    assert.equal(code, "store.unavailable");
  } finally {
    await Promise.all(hogs.map(async (hog) => await hog.end()));
  }
  await using second = await openTarget(url);
  assert.equal(await puts.put(second), "committed");
  await puts.check(second);
});

test("a full disk under PostgreSQL loses nothing, and is over when there is room", async (t) => {
  const tell = (why: string): void => t.diagnostic(`NOT TESTED: full disk: ${why}`);
  await using disk = await openDisk(256, tell);
  if (disk === undefined) return;
  await using own = await startPostgresOn(disk);
  const url = own.url(await own.createDatabase());
  const puts = new Puts();
  await using store = await openTarget(url, { patienceMs: 5_000 });
  await waitUntil("the first put", async () => (await puts.put(store)) === "committed");
  const ballast = join(disk.path, "ballast");
  await fill(ballast);
  let code = "committed";
  for (let i = 0; i < 2_000 && code === "committed"; i += 1) {
    const codes = await Promise.all(
      Array.from({ length: 8 }, async () => await puts.put(store, 20_000)),
    );
    code = codes.find((other) => other !== "committed") ?? "committed";
  }
  t.diagnostic(`a full disk under PostgreSQL: ${puts.codes.join()}`);
  assert.match(code, /^store\.(full|unavailable|outcome_unknown)$/);
  await rm(ballast);
  const isBack = async (): Promise<boolean> => (await puts.put(store)) === "committed";
  await waitUntil("the store to come back", isBack, { limitMs: 120_000 }).catch(async () => {
    // A server that panicked for want of room has to be started by its operator.
    t.diagnostic("the server ended itself, and was started again");
    await own.stop("immediate");
    await own.start();
    await waitUntil("the store to come back", isBack, { limitMs: 120_000 });
  });
  await puts.check(store);
});

async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    const chunk = Buffer.alloc(262_144, "b");
    for (;;) await file.write(chunk);
  } catch (error) {
    assert.match(String(error), /ENOSPC/);
  } finally {
    await file.close();
  }
}
