import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../kernel/json.ts";
import { builtinServedKinds } from "../kinds/builtin-served.ts";
import { kindRegistry } from "../kinds/registry.ts";
import type { LiveView } from "../live-view.ts";
import { matchRules, resourceRulesOf } from "./resource-rules.ts";

const live = { all: () => [] } as unknown as LiveView;
const kinds = kindRegistry(builtinServedKinds({ live: () => live, clock: { nowMs: () => 0 } }));

interface Asked {
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly policy?: string;
  readonly name?: string;
}

/** The version and kind that the rule is found to be about. */
function match(rule: Json, asked: Asked): string | undefined {
  const { group = "", resource, subresource = "", policy = "Equivalent", name } = asked;
  const found = kinds.find(group, "v1", resource);
  assert.ok(found !== undefined);
  const target = { ...found, namespace: "", name: "", subresource };
  const rules = resourceRulesOf({ matchPolicy: policy, rules: [rule] }, "rules");
  const matched = matchRules(rules, { operation: "CREATE", target }, kinds, name);
  return matched?.version.apiVersion;
}

const rule = (changes: Json): Json => ({
  operations: ["CREATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["*"],
  scope: "*",
  ...(changes as object),
});

test("stars stand for everything but subresources", () => {
  assert.equal(match(rule({}), { resource: "secrets" }), "v1");
  assert.equal(match(rule({}), { resource: "namespaces", subresource: "status" }), undefined);
  const all = rule({ resources: ["*/*"] });
  assert.equal(match(all, { resource: "namespaces", subresource: "status" }), "v1");
  const status = rule({ resources: ["*/status"] });
  assert.equal(match(status, { resource: "namespaces", subresource: "status" }), "v1");
  assert.equal(match(status, { resource: "namespaces" }), undefined);
});

test("operations and groups must be named", () => {
  assert.equal(match(rule({ operations: ["DELETE"] }), { resource: "secrets" }), undefined);
  assert.equal(match(rule({ apiGroups: ["apps"] }), { resource: "secrets" }), undefined);
});

test("a namespace is cluster-wide", () => {
  assert.equal(match(rule({ scope: "Cluster" }), { resource: "namespaces" }), "v1");
  assert.equal(match(rule({ scope: "Namespaced" }), { resource: "namespaces" }), undefined);
  assert.equal(match(rule({ scope: "Cluster" }), { resource: "secrets" }), undefined);
});

test("the other face of the same resource counts, unless matches must be exact", () => {
  const events = { group: "events.k8s.io", resource: "events" };
  assert.equal(match(rule({ resources: ["events"] }), events), "v1");
  const exact = { ...events, policy: "Exact" };
  assert.equal(match(rule({ resources: ["events"] }), exact), undefined);
});

test("rules of policies may name the objects they are about", () => {
  const named = rule({ resourceNames: ["a"] });
  assert.equal(match(named, { resource: "secrets", name: "a" }), "v1");
  assert.equal(match(named, { resource: "secrets", name: "b" }), undefined);
});
