import assert from "node:assert/strict";
import { test } from "node:test";
import { tenantSlots } from "./tenant-slots.ts";

const never = new AbortController().signal;

/** Records who has a slot, in the order in which they got it. */
function recorded(bounds: Parameters<typeof tenantSlots>[0]): {
  readonly got: string[];
  readonly slots: ReturnType<typeof tenantSlots>;
  readonly ask: (tenant: string, signal?: AbortSignal) => Promise<void>;
} {
  const got: string[] = [];
  const slots = tenantSlots(bounds);
  const ask = async (tenant: string, signal = never): Promise<void> => {
    got.push((await slots.take(tenant, signal)) ? tenant : `${tenant} refused`);
  };
  return { got, slots, ask };
}

test("a tenant has no more than its share", async () => {
  const { got, slots, ask } = recorded({ slots: 4, share: 2, queue: 10 });
  const asked = [ask("a"), ask("a"), ask("a"), ask("b")];
  await Promise.all([asked[0], asked[1], asked[3]]);
  assert.deepEqual(got, ["a", "a", "b"]);
  slots.release("a");
  await Promise.all(asked);
  assert.deepEqual(got, ["a", "a", "b", "a"]);
});

test("tenants take turns", async () => {
  const { got, slots, ask } = recorded({ slots: 1, share: 1, queue: 10 });
  const asked = [ask("a"), ask("a"), ask("a"), ask("b")];
  await asked[0];
  slots.release("a");
  await asked[3];
  slots.release("b");
  await asked[1];
  slots.release("a");
  await asked[2];
  assert.deepEqual(got, ["a", "b", "a", "a"]);
});

test("a full line refuses, and an abort leaves it", async () => {
  const { got, slots, ask } = recorded({ slots: 1, share: 1, queue: 1 });
  await ask("a");
  const stop = new AbortController();
  const second = ask("a", stop.signal);
  await ask("a");
  assert.deepEqual(got, ["a", "a refused"]);
  stop.abort(new Error("stopped"));
  await assert.rejects(second, /stopped/);
  const third = ask("a");
  slots.release("a");
  await third;
  assert.deepEqual(got, ["a", "a refused", "a"]);
});
