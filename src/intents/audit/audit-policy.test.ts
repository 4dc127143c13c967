import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditPolicy } from "./audit-policy.ts";
import type { AuditSubject } from "./audit-policy.ts";

const everything = auditPolicy({
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  rules: [{ level: "RequestResponse" }],
});

const subject: AuditSubject = {
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
    assert.equal(everything(subject).level, "RequestResponse");
  });

  it("does not get the content of kinds with hidden fields, nor of secrets", () => {
    assert.equal(everything({ ...subject, hasHidden: true }).level, "Metadata");
    const secrets = { ...subject, group: "", resource: "secrets" };
    assert.equal(everything(secrets).level, "Metadata");
  });
});
