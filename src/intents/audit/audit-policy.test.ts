import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { auditPolicy } from "./audit-policy.ts";
import type { AuditSubject } from "./audit-policy.ts";
import type { Json } from "../../kernel/json.ts";

const subject: AuditSubject = {
  user: { name: "ann", groups: ["devs"], extra: {} },
  verb: "get",
  isResource: true,
  path: "/api/v1/namespaces/default/configmaps/a",
  group: "",
  resource: "configmaps",
  subresource: "",
  namespace: "default",
  name: "a",
};

function level(rules: readonly Json[], changes: Partial<AuditSubject> = {}): string {
  const decide = auditPolicy({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules });
  return decide({ ...subject, ...changes }).level;
}

const request = "Request";

test("the first rule that fits decides, and nothing is recorded without one", () => {
  assert.equal(level([{ level: "None", verbs: ["get"] }, { level: request }]), "None");
  assert.equal(level([{ level: request, verbs: ["list"] }]), "None");
});

test("rules look at users, groups, verbs and namespaces", () => {
  assert.equal(level([{ level: request, users: ["ann"] }]), request);
  assert.equal(level([{ level: request, users: ["bob"] }]), "None");
  assert.equal(level([{ level: request, userGroups: ["ops", "devs"] }]), request);
  assert.equal(level([{ level: request, namespaces: ["kube-system"] }]), "None");
  assert.equal(level([{ level: request, namespaces: [""] }], { namespace: "" }), request);
});

test("resources are named with their subresources", () => {
  const rule = (...resources: readonly string[]): Json => ({
    level: request,
    resources: [{ group: "", resources }],
  });
  const status = { subresource: "status" };
  assert.equal(level([rule("configmaps")]), request);
  assert.equal(level([rule("configmaps")], status), "None");
  assert.equal(level([rule("configmaps/status")], status), request);
  assert.equal(level([rule("*/status")], status), request);
  assert.equal(level([rule("configmaps/*")], status), request);
  assert.equal(level([rule("*")], status), request);
  assert.equal(level([rule("*")], { group: "example.dev" }), "None");
  const named = { group: "", resources: ["configmaps"], resourceNames: ["b"] };
  assert.equal(level([{ level: request, resources: [named] }]), "None");
});

test("paths match as a whole or by their beginning", () => {
  const path = { isResource: false, path: "/healthz/ping" };
  const rule = (pattern: string): Json => ({ level: request, nonResourceURLs: [pattern] });
  assert.equal(level([rule("/healthz*")], path), request);
  assert.equal(level([rule("/healthz")], path), "None");
  assert.equal(level([rule("/healthz*")]), "None");
});

test("secrets and tokens are never recorded with their content", () => {
  const rules = [{ level: "RequestResponse" }];
  assert.equal(level(rules, { resource: "secrets" }), "Metadata");
  assert.equal(level(rules, { resource: "serviceaccounts", subresource: "token" }), "Metadata");
  const reviews = { group: "authentication.k8s.io", resource: "tokenreviews" };
  assert.equal(level(rules, reviews), "Metadata");
  assert.equal(level(rules, { resource: "serviceaccounts" }), "RequestResponse");
});

test("stages are left out by the policy and by the rule", () => {
  const decide = auditPolicy({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [{ level: "Metadata", omitStages: ["ResponseStarted"] }],
  });
  assert.deepEqual([...decide(subject).omitStages], ["RequestReceived", "ResponseStarted"]);
});

test("a policy that cannot be meant is refused", () => {
  assert.throws(() => auditPolicy({ kind: "Policy" }), /Policy of audit.k8s.io\/v1/);
  assert.throws(() => level([{ level: "All" }]), /rules\[0\]\.level must be one of/);
  assert.throws(() => level([]), /rules is missing or empty/);
  assert.throws(() => level([{ level: "None", omitStages: ["Never"] }]), /unknown stage Never/);
});

const everything = auditPolicy({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "RequestResponse" }],
});

const databases: AuditSubject = {
  user: { name: "ada", groups: [], extra: {} },
  verb: "create",
  isResource: true,
  path: "/apis/shop.example/v1/databases",
  group: "shop.example",
  resource: "databases",
  subresource: "",
  namespace: "default",
  name: "",
};

describe("an audit policy that wants everything", () => {
  it("gets the content of documents that hide nothing", () => {
    assert.equal(everything(databases).level, "RequestResponse");
  });

  it("does not get the content of kinds with hidden fields, nor of secrets", () => {
    assert.equal(everything({ ...databases, hasHidden: true }).level, "Metadata");
    const secrets = { ...databases, group: "", resource: "secrets" };
    assert.equal(everything(secrets).level, "Metadata");
  });
});
