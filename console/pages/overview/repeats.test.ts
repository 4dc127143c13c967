import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../api/types.ts";
import { repeatsOf } from "./repeats.ts";

const change = (revision: number, name: string, actor: string): Change => ({
  revision,
  type: "updated",
  time: "2026-11-14T16:49:10Z",
  kind: "networks.shop.example",
  name,
  cause: { actor },
});

test("changes in a row by one actor to one resource are counted, newest first", () => {
  const changes = [
    change(9, "net-1", "engine"),
    change(8, "net-1", "engine"),
    change(7, "net-1", "admin"),
    change(6, "net-2", "engine"),
    change(5, "net-1", "engine"),
  ];
  assert.deepEqual(
    repeatsOf(changes).map(({ change: { revision }, count }) => [revision, count]),
    [
      [9, 2],
      [7, 1],
      [6, 1],
      [5, 1],
    ],
  );
});
