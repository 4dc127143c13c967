import assert from "node:assert/strict";
import { test } from "node:test";
import { prefixTable } from "./prefix-table.ts";

const rest = {
  name: "rest",
  prefixes: [
    { path: "/api/v1/environments" },
    { path: "/api/v1/history" },
    { path: "/api/dinosaurs_mgmt/v1" },
  ],
};
const arm = {
  name: "arm",
  prefixes: [
    { path: "/subscriptions", ignoresCase: true },
    { path: "/providers", ignoresCase: true },
    { path: "/swagger" },
  ],
};
const kube = { name: "kube", prefixes: [{ path: "/" }] };

const table = prefixTable([kube, arm, rest]);

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
    ["/api/dinosaurs_mgmt/v1/dinosaurs", "rest"],
    ["/api/dinosaurs_mgmt/v2/dinosaurs", "kube"],
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

test("a prefix that two surfaces have is refused", () => {
  const other = { name: "other", prefixes: [{ path: "/swagger" }] };
  assert.throws(() => prefixTable([kube, arm, other]), /\/swagger belongs to both arm and other/);
});

test("a table without the prefix / is refused", () => {
  assert.throws(() => prefixTable([arm]), /no surface has the URL prefix/);
});
