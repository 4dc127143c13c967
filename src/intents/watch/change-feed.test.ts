import assert from "node:assert/strict";
import { test } from "node:test";
import { systemTimers } from "../../kernel/timers.ts";
import type { Change, Store } from "../../store/port.ts";
import { openChangeFeed } from "./change-feed.ts";

test("a listener that throws is reported, and the others are told all the same", async () => {
  const change = { revision: 1 } as Change;
  let isWritten = false;
  const woken = Promise.withResolvers<void>();
  const store = {
    head: async () => ({ revision: 0 }),
    changes: async (after: number) => ({ changes: isWritten && after < 1 ? [change] : [] }),
    advancedBeyond: async (_: number, signal?: AbortSignal) => {
      signal?.addEventListener("abort", () => woken.resolve());
      await woken.promise;
      signal?.throwIfAborted();
    },
  } as unknown as Store;
  const errors: unknown[] = [];
  const feed = await openChangeFeed(store, {
    timers: systemTimers,
    onError: (error) => errors.push(error),
  });
  const told: string[] = [];
  feed.subscribe(() => told.push("first"));
  feed.subscribe(() => {
    throw new Error("broken");
  });
  feed.subscribe((_, through) => told.push(`last ${through} at ${feed.position}`));
  isWritten = true;
  const reached = feed.reached(1);
  woken.resolve();
  await reached;
  assert.deepEqual(told, ["first", "last 1 at 0"]);
  assert.equal(errors.length, 1);
  await feed[Symbol.asyncDispose]();
});
