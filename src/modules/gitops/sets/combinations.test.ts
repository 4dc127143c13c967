import assert from "node:assert/strict";
import { test } from "node:test";
import { branchValues, combinationsOf, directoryValues, slugOf } from "./combinations.ts";

const branches = ["feature/a", "feature/b", "main"].map((name) => ({ name, commit: "c" }));

test("branches are chosen by patterns", () => {
  const chosen = (include: readonly string[], exclude: readonly string[] = []): unknown =>
    branchValues(branches, { include: [...include], exclude: [...exclude] }).map(
      ({ value }) => value["name"],
    );
  assert.deepEqual(chosen([]), ["feature/a", "feature/b", "main"]);
  assert.deepEqual(chosen(["feature/*"]), ["feature/a", "feature/b"]);
  assert.deepEqual(chosen(["*"], ["main", "*/b"]), ["feature/a"]);
  const [first] = branchValues(branches, {});
  assert.deepEqual(first?.value, { name: "feature/a", slug: "feature-a", commit: "c" });
});

test("a pattern of a directory matches one name with each star", () => {
  const files = ["apps/shop/a.yaml", "apps/shop/base/b.yaml", "apps/bank/a.yaml", "README.md"];
  const chosen = (include: string, exclude: readonly string[] = []): unknown =>
    directoryValues(files, { include: [include], exclude: [...exclude] }).map(({ value }) => value);
  assert.deepEqual(chosen("apps/*"), [
    { path: "apps/bank", name: "bank", slug: "bank" },
    { path: "apps/shop", name: "shop", slug: "shop" },
  ]);
  assert.deepEqual(chosen("apps/*/*"), [{ path: "apps/shop/base", name: "base", slug: "base" }]);
  assert.deepEqual(chosen("apps/*/", ["apps/bank"]), [
    { path: "apps/shop", name: "shop", slug: "shop" },
  ]);
});

test("lists are combined each with each, up to a bound", () => {
  const list = (...names: readonly string[]): { text: string; value: { name: string } }[] =>
    names.map((name) => ({ text: name, value: { name } }));
  const lists = new Map([
    ["environment", list("east", "west")],
    ["directory", list("shop", "bank")],
  ]);
  const found = combinationsOf(lists, 4);
  assert.deepEqual(
    found?.map(({ text }) => text),
    ["east, shop", "east, bank", "west, shop", "west, bank"],
  );
  assert.deepEqual(found?.[0]?.variables, {
    environment: { name: "east" },
    directory: { name: "shop" },
  });
  assert.equal(combinationsOf(lists, 3), undefined);
  assert.deepEqual(combinationsOf(new Map([["branch", []]]), 3), []);
});

test("a slug is a part of a name", () => {
  assert.equal(slugOf("feature/Cart-9"), "feature-cart-9");
  assert.equal(slugOf("--Ünïcode__x--"), "n-code-x");
  assert.equal(slugOf("a".repeat(39) + "-b"), "a".repeat(39));
});
