import assert from "node:assert/strict";
import { test } from "node:test";
import { matchPattern, matchRoute } from "./match.ts";

test("a pattern takes exactly its segments", () => {
  assert.deepEqual(matchPattern("/", "/"), {});
  assert.deepEqual(matchPattern("/x/:kind", "/x/databases.shop.example"), {
    kind: "databases.shop.example",
  });
  assert.equal(matchPattern("/x/:kind", "/x"), undefined);
  assert.equal(matchPattern("/x/:kind", "/x/a/b"), undefined);
  assert.deepEqual(matchPattern("/providers/*", "/providers/a/b%20c"), { rest: "a/b c" });
});

test("the first route that fits is used, and a broken escape is shown as it is", () => {
  const routes = [{ pattern: "/x/:kind/new" }, { pattern: "/x/:kind/:rest" }];
  assert.equal(matchRoute(routes, "/x/a/new")?.route, routes[0]);
  assert.equal(matchRoute(routes, "/x/a/%E0%A4%A")?.params["rest"], "%E0%A4%A");
  assert.equal(matchRoute(routes, "/y"), undefined);
});
