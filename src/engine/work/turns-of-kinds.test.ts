// The limit of a kind is shared as well: who hangs on all of it leaves a place for others.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "./turns.ts";
import type { Contender } from "./turns.ts";

const turnsOf = (concurrency: number): Turns<Contender> =>
  new Turns({
    slots: 64,
    perNamespace: 64,
    weightOf: () => 1,
    concurrencyOf: () => concurrency,
  });

const item = (namespace: string, kind = "a"): Contender => ({
  key: { kind, namespace },
  startedMs: 0,
});

function started(turns: Turns<Contender>): readonly string[] {
  const names: string[] = [];
  let next = turns.next(0);
  for (; next !== undefined; next = turns.next(0)) names.push(next.key.namespace);
  return names;
}

test("a tenant that hangs on a kind leaves a place of it to the next", () => {
  const turns = turnsOf(4);
  for (let i = 0; i < 10; i++) turns.add(item("mob"));
  assert.deepEqual(started(turns), ["mob", "mob", "mob"]);
  turns.add(item("other"));
  assert.deepEqual(started(turns), ["other"]);
});

test("more of a tenant that waits for others of its kind is not asked for", () => {
  const turns = turnsOf(2);
  for (let i = 0; i < 3; i++) turns.add(item("mob"));
  assert.deepEqual(started(turns), ["mob"]);
  const { fullNamespaces, fullKinds } = turns.survey(60_000);
  assert.deepEqual(fullNamespaces, ["mob"]);
  assert.deepEqual([...fullKinds], []);
});

test("a kind of which one runs at a time runs, and a kind without a limit is not held back", () => {
  const single = turnsOf(1);
  single.add(item("one"));
  assert.deepEqual(started(single), ["one"]);
  const free = turnsOf(Infinity);
  for (let i = 0; i < 20; i++) free.add(item("one"));
  assert.equal(started(free).length, 20);
});

test("a place of a kind comes back when what ran is over", () => {
  const turns = turnsOf(2);
  const first = item("one");
  turns.add(first);
  turns.add(item("one"));
  assert.deepEqual(started(turns), ["one"]);
  turns.done(first, 0);
  assert.deepEqual(started(turns), ["one"]);
});
