import assert from "node:assert/strict";
import { test } from "node:test";
import { prefixTable } from "./prefix-table.ts";

const rest = {
  name: "rest",
  prefixes: [{ path: "/api/v1/environments" }, { path: "/api/v1/history" }],
};
const arm = {
  name: "arm",
  prefixes: [
    { path: "/subscriptions", ignoresCase: true },
    { path: "/providers", ignoresCase: true },
    { path: "/swagger" },
  ],
};
const fleet = { name: "fleet", prefixes: [{ path: "/api/*_mgmt" }] };
const kube = { name: "kube", prefixes: [{ path: "/" }] };

const table = prefixTable([kube, arm, rest, fleet]);

test("every URL belongs to the surface with the longest prefix of its path", () => {
  const expected: readonly (readonly [url: string, surface: string])[] = [
    ["/api/v1/namespaces", "kube"],
    ["/api/v1/namespaces/team/environments", "kube"],
    ["/api/v1", "kube"],
    ["/api", "kube"],
    ["/apis/apps/v1/deployments", "kube"],
    ["/api/v1/environments", "rest"],
    ["/api/v1/environments/blue?watch=1", "rest"],
    ["/api/v1/environments?limit=5", "rest"],
    ["/api/v1/environmentsx", "kube"],
    ["/api/v1/Environments", "kube"],
    ["/api/v1?path=/environments", "kube"],
    ["/api/v2/environments", "kube"],
    ["/api/dinosaurs_mgmt/v1/dinosaurs", "fleet"],
    ["/api/dinosaurs_mgmt/v2/dinosaurs?page=2", "fleet"],
    ["/api/dinosaurs_mgmt", "fleet"],
    ["/api/dinosaurs_mgmt?x", "fleet"],
    ["/api/_mgmt/v1", "kube"],
    ["/api/dinosaurs_mgmtx/v1", "kube"],
    ["/api/dinosaurs_Mgmt/v1", "kube"],
    ["/api/v1/dinosaurs_mgmt", "kube"],
    ["/apis/dinosaurs_mgmt", "kube"],
    ["/dinosaurs_mgmt", "kube"],
    ["/subscriptions/1/resourceGroups/g", "arm"],
    ["/Subscriptions/1", "arm"],
    ["//subscriptions/1", "arm"],
    ["/subscriptions", "arm"],
    ["/subscriptions?api-version=2.0", "arm"],
    ["/subscriptionsx", "kube"],
    ["/providers/Example.Shop/operations", "arm"],
    ["/PROVIDERS", "arm"],
    ["/swagger/shop.json", "arm"],
    ["/Swagger", "kube"],
    ["/livez", "kube"],
    ["/", "kube"],
    ["", "kube"],
    ["*", "kube"],
    ["/%73ubscriptions/1", "kube"],
    ["/api//v1/environments", "kube"],
  ];
  for (const [url, surface] of expected) assert.equal(table.find(url).name, surface, url);
});

test("a longer prefix wins over a shorter one of another surface, in any order", () => {
  const outer = { name: "outer", prefixes: [{ path: "/a" }] };
  const inner = { name: "inner", prefixes: [{ path: "/a/b/c" }] };
  for (const owners of [
    [kube, outer, inner],
    [inner, outer, kube],
  ]) {
    const found = prefixTable(owners);
    assert.equal(found.find("/a/b/c/d").name, "inner");
    assert.equal(found.find("/a/b/d").name, "outer");
    assert.equal(found.find("/b").name, "kube");
  }
});

test("a literal segment wins over a pattern, and the longer pattern over the shorter", () => {
  const of = (name: string, ...paths: readonly string[]) => ({
    name,
    prefixes: paths.map((path) => ({ path })),
  });
  const literal = of("literal", "/api/x_mgmt/v1", "/api/y_mgmt");
  const short = of("short", "/api/*_mgmt", "/api/*_mgmt/v1/admin");
  const long = of("long", "/api/*_new_mgmt/v1");
  for (const owners of [
    [kube, literal, short, long],
    [long, short, literal, kube],
  ]) {
    const found = prefixTable(owners);
    const expected = [
      ["/api/x_mgmt/v1/admin", "literal"],
      ["/api/x_mgmt/v2", "short"],
      ["/api/y_mgmt/v1/admin", "literal"],
      ["/api/z_mgmt/v1/admin", "short"],
      ["/api/z_new_mgmt/v1/admin", "long"],
      ["/api/z_new_mgmt/v2", "short"],
      ["/api/new_mgmt/v1", "short"],
      ["/api/z", "kube"],
    ] as const;
    for (const [url, owner] of expected) assert.equal(found.find(url).name, owner, url);
  }
});

test("a pattern that two surfaces have is refused", () => {
  const other = { name: "other", prefixes: [{ path: "/api/*_mgmt" }] };
  assert.throws(() => prefixTable([kube, fleet, other]), /belongs to both fleet and other/);
});

test("a prefix that two surfaces have is refused", () => {
  const other = { name: "other", prefixes: [{ path: "/swagger" }] };
  assert.throws(() => prefixTable([kube, arm, other]), /\/swagger belongs to both arm and other/);
});

test("a table without the prefix / is refused", () => {
  assert.throws(() => prefixTable([arm]), /no surface has the URL prefix/);
});
