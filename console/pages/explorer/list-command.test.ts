import assert from "node:assert/strict";
import { test } from "node:test";
import { listCommand } from "./list-command.ts";

test("a list is copied as a kubectl command, with labels as one word", () => {
  const kind = { id: "databases.shop.example", isNamespaced: true };
  assert.equal(
    listCommand(kind, "", undefined),
    "kubectl get databases.shop.example --all-namespaces",
  );
  assert.equal(
    listCommand(kind, "shop", "tier in (gold)"),
    "kubectl get databases.shop.example -n shop -l 'tier in (gold)'",
  );
  assert.equal(
    listCommand({ id: "namespaces", isNamespaced: false }, "shop", "a=b"),
    "kubectl get namespaces -l a=b",
  );
});
