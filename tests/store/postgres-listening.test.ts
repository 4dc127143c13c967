/**
 * A process that commits all the time does not listen for notifications: the answers to its own
 * batches tell it of others' commits, and who waits for work looks often (listener.ts).
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { manualClock } from "../../src/kernel/clock.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import type { Timers } from "../../src/kernel/timers.ts";
import {
  answer,
  claimSome,
  commit,
  key,
  put,
  release,
  schedule,
  soon,
  wake,
} from "../../src/store/contract/samples.ts";
import { ringNewsMs } from "../../src/store/key-care.ts";
import type { Store } from "../../src/store/port.ts";
import { startPostgres } from "../peers/postgres.ts";
import type { Postgres } from "../peers/postgres.ts";
import { waitUntil } from "../peers/wait.ts";
import { endConnections, load, openForTest, until } from "./postgres-for-test.ts";
import type { PostgresHarness } from "./postgres-for-test.ts";

let server: Postgres;
/** What is not heard by then is not heard at all. */
const limitMs = 20_000;

before(async () => {
  server = await startPostgres();
});
after(async () => {
  await server[Symbol.asyncDispose]();
});

async function deafConnections(h: PostgresHarness): Promise<number> {
  const rows = await h.sql("SELECT FROM pg_stat_activity WHERE query = 'UNLISTEN *'");
  return rows.length;
}

let bursts = 0;

/** Meanwhile the store of the harness commits all the time and does not listen any more. */
async function whileBusy(h: PostgresHarness, task: () => Promise<void>): Promise<void> {
  const work = load(h.store, `own-${(bursts += 1)}`, 2);
  try {
    await until(async () => (await deafConnections(h)) > 0);
    await task();
  } finally {
    await work.stop();
  }
}

/** Reads along until the change of this key comes by. */
async function seesChange(store: Store, from: number, name: string): Promise<void> {
  const limit = soon();
  for (let seen = from; ;) {
    const page = await store.changes(seen);
    if (page.changes.some((change) => change.key.name === name)) return;
    seen = page.changes.at(-1)?.revision ?? seen;
    await store.advancedBeyond(seen, limit);
  }
}

test("a busy process does not listen, and sees what others commit in its place", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await whileBusy(h, async () => {
    for (const name of ["a", "b", "c"]) {
      const { revision } = await h.store.head();
      await Promise.all([
        seesChange(h.store, revision, name),
        seesChange(other, revision, name),
        commit(other, put(key(name))),
      ]);
    }
  });
});

interface Steered {
  readonly timers: Timers;
  /** How often it looked whether to listen again. */
  readonly looks: () => number;
  /** Resolves when it is about to look, and keeps it from doing so. */
  hold(): Promise<void>;
  goOn(): void;
}

/**
 * Timers without the two nets that catch what is missed, the slow poll and the end of not listening
 * after a second: what is not heard by itself is never heard.
 */
function steered(): Steered {
  const now = { looks: 0, isHeld: false, isWaiting: false };
  const isNet = (ms: number): boolean => ms === 1_000 || ms === ringNewsMs;
  const never = 600_000;
  return {
    timers: {
      after: (ms, run) => systemTimers.after(isNet(ms) ? never : ms, run),
      sleep: async (ms, signal) => {
        if (ms > 10) return await systemTimers.sleep(isNet(ms) ? never : ms, signal);
        now.looks += 1;
        now.isWaiting = now.isHeld;
        while (now.isHeld) await systemTimers.sleep(1, signal);
        await systemTimers.sleep(ms, signal);
      },
    },
    looks: () => now.looks,
    async hold() {
      now.isHeld = true;
      await until(() => now.isWaiting);
    },
    goOn() {
      now.isHeld = false;
      now.isWaiting = false;
    },
  };
}

/** Claims the resource of this name as soon as the store is told that there may be work. */
async function takes(store: Store, name: string): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  for (;;) {
    const tick = store.workTick();
    const [claim] = await claimSome(store);
    if (claim !== undefined) return assert.equal(claim.key.name, name);
    await store.workArrived(tick, limit);
  }
}

test("news of the schema that come many at once are asked for one after the other", async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", onWarning);
  try {
    await using h = await openForTest(server);
    // Each is a commit of its own: within one they would be told once.
    await h.sql(`DO $$ BEGIN
      FOR i IN 1..200 LOOP PERFORM pg_notify('${h.schema}', 'schema'); COMMIT; END LOOP;
    END $$`);
    await commit(h.store, put(key("after")));
    assert.deepEqual(warnings, [], "the driver warns of statements that wait for others");
  } finally {
    process.off("warning", onWarning);
  }
});

test("a busy process is woken in milliseconds by what others make due", async () => {
  const { timers } = steered();
  await using h = await openForTest(server, { timers });
  const other = await h.openAnother();
  const names = Array.from({ length: 10 }, (_, index) => `a${index}`);
  for (const name of names) await commit(other, put(key(name)));
  let tookMs = 0;
  await whileBusy(h, async () => {
    for (const name of names) {
      const startMs = performance.now();
      // It has no revision, so no answer to a batch of the busy process tells of it.
      await Promise.all([takes(h.store, name), answer(other, schedule(key(name), wake()))]);
      tookMs += performance.now() - startMs;
    }
  });
  assert.ok(tookMs < 3_000, `${Math.round(tookMs)} ms for ${names.length}`);
});

test("a busy process is woken by a release", async () => {
  await using h = await openForTest(server);
  const other = await h.openAnother();
  await commit(other, put(key("a"), { due: wake() }));
  const [claim] = await claimSome(other);
  assert(claim !== undefined);
  await whileBusy(h, async () => {
    await Promise.all([
      takes(h.store, "a"),
      answer(other, schedule(key("a"), release(0), { claim })),
    ]);
  });
});

test("a process that is too busy to look listens again by the clock", async () => {
  const slow: Timers = {
    ...systemTimers,
    sleep: async (ms, signal) => await systemTimers.sleep(ms <= 10 ? 400 : ms, signal),
  };
  // By a clock that stands still every pace is a burst.
  await using h = await openForTest(server, { timers: slow, clock: manualClock() });
  const other = await h.openAnother();
  await commit(other, put(key("a")));
  await whileBusy(h, async () => {
    await other.compact(1);
    const isTold = async (): Promise<boolean> => (await h.store.head()).compacted === 1;
    await waitUntil("the mark to be told", isTold, { limitMs });
  });
});

test("a process that rests listens again, and is told at once", async () => {
  const { timers, looks } = steered();
  await using h = await openForTest(server, { timers });
  const other = await h.openAnother();
  await whileBusy(h, async () => undefined);
  const seen = looks();
  const isListening = async (): Promise<boolean> => (await deafConnections(h)) === 0;
  await waitUntil("it to listen again", isListening, { limitMs });
  assert.ok(looks() - seen < 50, "it did not wait for a second to pass");
  const { revision } = await h.store.head();
  const heard = h.store.advancedBeyond(revision, soon());
  const woken = h.store.workArrived(h.store.workTick(), soon());
  assert.equal(await commit(other, put(key("a"), { due: wake() })), revision + 1);
  assert.equal(await heard, revision + 1);
  await woken;
});

test("what others did after the last own answer is found when it listens again", async () => {
  const steering = steered();
  await using h = await openForTest(server, { timers: steering.timers });
  const other = await h.openAnother();
  await whileBusy(h, async () => await steering.hold());
  // So long that it is no burst any more at the next look.
  const restedMs = performance.now() + 100;
  await until(() => performance.now() > restedMs);
  const { revision } = await h.store.head();
  const limit = AbortSignal.timeout(limitMs);
  const heard = h.store.advancedBeyond(revision, limit);
  const woken = h.store.workArrived(h.store.workTick(), limit);
  assert.equal(await commit(other, put(key("a"), { due: wake() })), revision + 1);
  assert.equal((await h.store.head()).revision, revision);
  steering.goOn();
  await Promise.all([heard, woken]);
});

test("a commit is heard however soon it follows on a burst", async () => {
  const { timers } = steered();
  await using h = await openForTest(server, { timers });
  const other = await h.openAnother();
  for (let pauseMs = 0; pauseMs < 60; pauseMs += 4) {
    await whileBusy(h, async () => undefined);
    const restedMs = performance.now() + pauseMs;
    await until(() => performance.now() >= restedMs);
    const revision = await commit(other, put(key(`after-${pauseMs}`)));
    await h.store.advancedBeyond(revision - 1, AbortSignal.timeout(limitMs));
  }
});

test("a busy process that loses its connections hears on", async () => {
  await using h = await openForTest(server, { commitPatienceMs: 60_000, readPatienceMs: 60_000 });
  const other = await h.openAnother();
  await whileBusy(h, async () => {
    await endConnections(h);
    await until(async () => (await deafConnections(h)) > 0);
    const { revision } = await h.store.head();
    await Promise.all([seesChange(h.store, revision, "a"), commit(other, put(key("a")))]);
  });
});
