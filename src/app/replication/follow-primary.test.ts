import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { timersFrom } from "../../kernel/timers.ts";
import { key, put } from "../../store/contract/samples.ts";
import { newSealKey } from "../../store/key-ring.ts";
import type { ReplicatedStore, Replication } from "../../store/replication.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { logger } from "../../telemetry/log.ts";
import { followPrimary } from "./follow-primary.ts";

const keys = [newSealKey()];
const open = async () => await openSqliteStore({ path: ":memory:", keys });

/** Every wait is over at once. */
const timers = timersFrom((_, run) => {
  const handle = setImmediate(run);
  return () => clearImmediate(handle);
});

type Primary = Pick<ReplicatedStore, "dump" | "replication">;

/** Follows until the secondary has the resource, or until the task ends by itself. */
async function followUntil(
  primary: Primary,
  secondary: ReplicatedStore,
  name: string,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = logger((text) => lines.push(text), manualClock(), "info", "text");
  const stop = new AbortController();
  const { signal } = stop;
  const input = { primary, secondary, primaryName: "first", timers, log, signal };
  const following = followPrimary(input);
  const seen = (async () => {
    while ((await secondary.get(key(name))) === undefined) {
      await nextTurn();
    }
  })();
  await Promise.race([following, seen]);
  stop.abort();
  await following;
  return lines;
}

function failing(store: ReplicatedStore, errors: SetpointError[]): Primary {
  const { replication } = store;
  const ship: Replication["ship"] = async (...args) => {
    const error = errors.shift();
    if (error !== undefined) throw error;
    return await replication.ship(...args);
  };
  return { dump: () => store.dump(), replication: { ...replication, ship } };
}

test("an empty store is filled from the primary, and follows it", async () => {
  await using primary = await open();
  await using secondary = await open();
  await primary.commit([put(key("a"))]);
  await followUntil(primary, secondary, "a");
  await primary.commit([put(key("b"))]);
  const lines = await followUntil(primary, secondary, "b");
  assert.match(lines.join(""), /secondary follows/);
  assert.equal((await secondary.replication.standing()).primary, "first");
});

test("it waits while the primary is away, and logs that once", async () => {
  await using primary = await open();
  await using secondary = await open();
  await primary.commit([put(key("a"))]);
  await followUntil(primary, secondary, "a");
  await primary.commit([put(key("b"))]);
  const away = () => new SetpointError("store.unavailable", "the database does not respond");
  const lines = await followUntil(failing(primary, [away(), away(), away()]), secondary, "b");
  assert.equal(lines.filter((line) => line.includes("replication interrupted")).length, 1);
});

test("a store with data of its own is not made a secondary", async () => {
  await using primary = await open();
  await using other = await open();
  await other.commit([put(key("own"))]);
  await assert.rejects(followUntil(primary, other, "a"), /this store is a primary that holds data/);
  assert.equal((await other.replication.standing()).role, "primary");
});

test("a secondary that the primary has left behind ends with advice", async () => {
  await using primary = await open();
  await using secondary = await open();
  await primary.commit([put(key("a"))]);
  await followUntil(primary, secondary, "a");
  await primary.commit([put(key("b"))]);
  await primary.commit([put(key("c"))]);
  await primary.compact(3);
  await assert.rejects(followUntil(primary, secondary, "c"), (error) => {
    assert(error instanceof SetpointError);
    assert.equal(error.code, "history.gone");
    assert.match(String(error.suggestion), /follow with an empty one/);
    return true;
  });
});
