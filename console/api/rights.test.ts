import assert from "node:assert/strict";
import { test } from "node:test";
import { allows } from "./rights.ts";

const databases = { verb: "delete", group: "shop.example", resource: "databases" };

test("a rule allows its verbs, groups and resources, and a star any", () => {
  const rule = { verbs: ["get", "delete"], apiGroups: ["shop.example"], resources: ["databases"] };
  assert.equal(allows(rule, databases), true);
  assert.equal(allows(rule, { ...databases, verb: "patch" }), false);
  assert.equal(allows(rule, { ...databases, group: "" }), false);
  assert.equal(allows({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }, databases), true);
});

test("a rule with names allows only these", () => {
  const rule = {
    verbs: ["*"],
    apiGroups: ["*"],
    resources: ["databases"],
    resourceNames: ["orders"],
  };
  assert.equal(allows(rule, databases), false);
  assert.equal(allows(rule, { ...databases, name: "orders" }), true);
  assert.equal(allows(rule, { ...databases, name: "ledger" }), false);
});

test("a subresource needs a rule of its own", () => {
  const status = { ...databases, resource: "databases/status" };
  assert.equal(allows({ verbs: ["*"], apiGroups: ["*"], resources: ["databases"] }, status), false);
  assert.equal(allows({ verbs: ["*"], apiGroups: ["*"], resources: ["*/status"] }, status), true);
});
