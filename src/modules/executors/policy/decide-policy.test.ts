import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { decidePolicy } from "./decide-policy.ts";

const resource = (kind: string, name: string, spec: JsonObject): Resource =>
  ({ apiVersion: "v1", kind, metadata: { name, uid: name }, spec }) as unknown as Resource;
const namespace = resource("Namespace", "shop", {});
const policy = (name: string, spec: JsonObject): Resource =>
  resource("ExecutorPolicy", name, { allow: { namespaces: { names: ["shop"] } }, ...spec });

describe("a policy", () => {
  it("is needed for every program", () => {
    const decision = decidePolicy([], namespace, { executor: "terraform", program: undefined });
    assert.match(
      decision.kind === "denied" ? decision.message : "",
      /^no ExecutorPolicy allows Terraform in the namespace shop: ask an administrator/,
    );
  });

  it("allows only the namespaces and the programs that it names", () => {
    const policies = [
      policy("b", { command: { programs: ["/bin/ls"] }, maxTimeoutSeconds: 5 }),
      policy("a", { command: { programs: ["/bin/cat"] }, runAs: { uid: 7, gid: 8 } }),
    ];
    const wanted = { executor: "command", program: "/bin/ls" } as const;
    const found = decidePolicy(policies, namespace, wanted);
    assert.deepEqual([found.kind, found.kind === "allowed" && found.policy], ["allowed", "b"]);
    assert.equal(found.kind === "allowed" && found.maxTimeoutMs, 5_000);
    const other = resource("Namespace", "other", {});
    assert.equal(decidePolicy(policies, other, wanted).kind, "denied");
    const sh = decidePolicy(policies, namespace, { executor: "command", program: "/bin/sh" });
    assert.match(sh.kind === "denied" ? sh.message : "", /allows \/bin\/sh in the namespace shop/);
    const none = decidePolicy(policies, namespace, { executor: "terraform", program: "terraform" });
    assert.equal(none.kind, "denied");
  });
});
