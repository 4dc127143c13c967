import assert from "node:assert/strict";
import { test } from "node:test";
import { shownOf } from "./palette-search.ts";
import type { FoundResource } from "./palette-search.ts";

function databases(count: number): readonly FoundResource[] {
  return Array.from({ length: count }, (_, at) => {
    const state = at % 2 === 0 ? "Ready" : "Failed";
    const kind = { kind: "databases.shop.example", kindName: "Database" };
    return { ...kind, name: `orders-${at}`, uid: String(at), state } as const;
  });
}

test("a search says how much it does not show", () => {
  assert.deepEqual(shownOf(databases(2), 2, undefined), { items: databases(2) });
  const { items, note } = shownOf(databases(12), 40, undefined);
  assert.equal(items.length, 12);
  assert.equal(note, "28 more. Write more of the name, or add kind: or ns:.");
});

test("a search for a state says when it has not compared all", () => {
  const all = shownOf(databases(4), 4, "Failed");
  assert.deepEqual(
    all.items.map(({ name }) => name),
    ["orders-1", "orders-3"],
  );
  assert.equal(all.note, undefined);
  const { note = "" } = shownOf(databases(100), 250, "Failed");
  assert.match(note, /^Of 250 resources with this name, the first 100 were searched/);
});
