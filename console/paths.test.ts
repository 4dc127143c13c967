import assert from "node:assert/strict";
import { test } from "node:test";
import { paths, withQuery } from "./paths.ts";

const orders = { kind: "databases.shop.example", namespace: "shop", name: "orders" };

test("a path names the resource, with a minus sign for the namespace of a cluster-wide one", () => {
  assert.equal(paths.overview(), "/console/");
  assert.equal(paths.resource(orders), "/console/x/databases.shop.example/shop/orders");
  assert.equal(
    paths.resource({ kind: "namespaces", namespace: "", name: "shop" }, "yaml", { line: 3 }),
    "/console/x/namespaces/-/shop/yaml?line=3",
  );
});

test("a name from a user cannot leave its place in the path", () => {
  const hostile = { ...orders, name: "../../?a=b#c" };
  assert.equal(
    paths.resource(hostile),
    "/console/x/databases.shop.example/shop/..%2F..%2F%3Fa%3Db%23c",
  );
  assert.equal(paths.kind("a/b", { q: "x&y=1" }), "/console/x/a%2Fb?q=x%26y%3D1");
});

test("changing one value of the query keeps the others and removes empty ones", () => {
  const href = "/console/x/configmaps?ns=shop&q=web";
  assert.equal(withQuery(href, { q: undefined }), "/console/x/configmaps?ns=shop");
  assert.equal(withQuery(href, { ns: "", q: "" }), "/console/x/configmaps");
  assert.equal(withQuery(href, { sort: "-name" }), `${href}&sort=-name`);
});
