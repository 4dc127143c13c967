import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { decidePolicy, nothingAllowed } from "./decide-policy.ts";
import type { EffectivePolicy } from "./effective-policy.ts";

const resource = (kind: string, name: string, spec: JsonObject, labels = {}): Resource =>
  ({ apiVersion: "v1", kind, metadata: { name, uid: name, labels }, spec }) as unknown as Resource;
const jane = resource("Namespace", "jane", {}, { team: "shop" });
const policyOf = (...specs: readonly JsonObject[]): EffectivePolicy =>
  decidePolicy(
    specs.map((spec, index) =>
      resource("GitOpsPolicy", `policy-${index}`, { namespaces: { selector: {} }, ...spec }),
    ),
    jane,
  );
const at = (namespace: string): Parameters<EffectivePolicy["objectRefusal"]>[0] => ({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  namespace,
  name: "a",
});

describe("the policy of a namespace", () => {
  it("without any: public repositories, all kinds, the own namespace", () => {
    const policy = policyOf();
    assert.equal(policy.repositoryRefusal("https://git.example/jane"), undefined);
    assert.equal(policy.serverRefusal("https://api.example:6443"), undefined);
    assert.equal(policy.addressRefusal("93.184.215.14", "git.example"), undefined);
    assert.match(policy.addressRefusal("10.0.0.1", "git.example") ?? "", /allowPrivate/);
    assert.equal(policy.kindRefusal("apps", "Deployment"), undefined);
    assert.equal(policy.objectRefusal(at("jane"), true), undefined);
    assert.match(
      policy.objectRefusal(at("bob"), true) ?? "",
      /^deployments of the namespace jane may not write the namespace bob: /,
    );
    assert.match(policy.objectRefusal(at(""), false) ?? "", /objects without a namespace/);
    assert.deepEqual(
      [policy.helm, policy.remoteBases, policy.requiresSignature, policy.maxDeployments],
      [true, false, false, undefined],
    );
  });

  it("allows local repositories that a policy grants", () => {
    const refusal = (url: string, ...specs: readonly JsonObject[]): string | undefined =>
      policyOf(...specs).repositoryRefusal(url);
    const granted = { repositories: { allowLocal: ["platform", "{namespace}/*"] } };
    assert.match(refusal("local://platform") ?? "", /spec\.repositories\.allowLocal/);
    assert.match(
      refusal("local://platform", { repositories: { allow: ["*"] } }) ?? "",
      /allowLocal/,
    );
    assert.equal(refusal("local://platform", {}, granted), undefined);
    assert.equal(refusal("local://jane/shop", granted), undefined);
    assert.match(refusal("local://bob/shop", granted) ?? "", /"bob\/shop" is not allowed/);
    const denied = { repositories: { deny: ["local://*"] } };
    assert.match(refusal("local://platform", granted, denied) ?? "", /denies it/);
  });

  it("of a namespace that does not exist allows nothing", () => {
    const policy = nothingAllowed("gone");
    assert.match(policy.repositoryRefusal("https://git.example/a") ?? "", /does not exist/);
    assert.equal(policy.maxDeployments, 0);
  });

  it("uses the policies that name it or select its labels", () => {
    const spec = { repositories: { allow: ["https://git.example/*"] } };
    const other = { selector: { matchLabels: { team: "bank" } } };
    const own = { selector: { matchLabels: { team: "shop" } } };
    const refusal = (namespaces: JsonObject): string | undefined =>
      policyOf({ ...spec, namespaces }).repositoryRefusal("https://other.example/a");
    assert.equal(refusal(other), undefined);
    assert.match(refusal(own) ?? "", /GitOpsPolicy policy-0 does not allow it/);
    assert.match(refusal({ names: ["jane"] }) ?? "", /spec\.repositories\.allow/);
  });

  it("keeps the restrictions of all policies", () => {
    const policy = policyOf(
      { repositories: { allow: ["https://git.example/*"] }, maxDeployments: 5 },
      { repositories: { allow: ["https://*/{namespace}/*"] }, maxDeployments: 3 },
      { repositories: { deny: ["https://git.example/jane/old"], requireSignature: true } },
      { render: { helm: false }, kinds: { deny: [{ group: "", kind: "Secret" }] } },
      { kinds: { allow: [{ kind: "ConfigMap" }, { group: "apps", kind: "*" }] } },
    );
    assert.equal(policy.repositoryRefusal("https://git.example/jane/new"), undefined);
    assert.match(policy.repositoryRefusal("https://git.example/bob/a") ?? "", /policy-1/);
    assert.match(policy.repositoryRefusal("https://hub.example/jane/a") ?? "", /policy-0/);
    assert.match(policy.repositoryRefusal("https://git.example/jane/OLD.git") ?? "", /denies/);
    assert.deepEqual([policy.requiresSignature, policy.helm], [true, false]);
    assert.equal(policy.maxDeployments, 3);
    assert.match(policy.kindRefusal("", "Secret") ?? "", /denies the kind Secret/);
    assert.equal(policy.kindRefusal("apps", "Deployment"), undefined);
    assert.match(policy.kindRefusal("batch", "Job") ?? "", /does not allow the kind Job\.batch/);
  });

  it("has the grants of any policy", () => {
    const policy = policyOf(
      { destinations: { namespaces: ["{namespace}-*"] } },
      { destinations: { clusterScoped: true }, render: { remoteBases: true } },
      { repositories: { allowPrivate: { cidrs: ["10.1.0.0/16"], hosts: ["Git.Internal"] } } },
    );
    assert.equal(policy.objectRefusal(at("jane-test"), true), undefined);
    assert.notEqual(policy.objectRefusal(at("bob-test"), true), undefined);
    assert.equal(policy.objectRefusal(at(""), false), undefined);
    assert.equal(policy.remoteBases, true);
    assert.equal(policy.addressRefusal("10.1.2.3", "a.example"), undefined);
    assert.equal(policy.addressRefusal("127.0.0.1", "git.internal"), undefined);
    assert.notEqual(policy.addressRefusal("10.2.0.1", "a.example"), undefined);
  });

  it("has an empty list where none may be used", () => {
    const policy = policyOf({ destinations: { servers: [] } });
    assert.match(policy.serverRefusal("https://api.example") ?? "", /spec\.destinations\.servers/);
  });

  it("grants clusters that pull, with their namespaces", () => {
    const none = policyOf({ destinations: { servers: ["*"] } });
    assert.match(none.clusterRefusal("east-1") ?? "", /may not use the data-plane cluster east-1/);
    const policy = policyOf(
      { destinations: { clusters: [{ name: "east-*" }] } },
      {
        destinations: { clusters: [{ name: "east-2", namespaces: ["a-*"], clusterScoped: true }] },
      },
    );
    assert.equal(policy.clusterRefusal("east-1"), undefined);
    assert.notEqual(policy.clusterRefusal("west-1"), undefined);
    const may = (cluster: string, namespace: string): boolean => {
      return policy.clusterObjectRefusal(cluster, at(namespace), namespace !== "") === undefined;
    };
    assert.deepEqual([may("east-1", "jane"), may("east-1", "bob")], [true, false]);
    assert.deepEqual([may("east-1", "a-1"), may("east-2", "a-1")], [false, true]);
    assert.deepEqual([may("east-1", ""), may("east-2", "")], [false, true]);
  });

  it("has the windows of all policies", () => {
    const window = { kind: "deny", schedule: "0 1 * * *", durationSeconds: 60 };
    const policy = policyOf({ windows: [window] }, { windows: [{ ...window, kind: "allow" }] });
    assert.deepEqual(
      policy.windows.flat().map(({ kind, timeZone }) => [kind, timeZone]),
      [
        ["deny", "UTC"],
        ["allow", "UTC"],
      ],
    );
  });
});
