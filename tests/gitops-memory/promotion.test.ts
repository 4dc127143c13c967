import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../src/kernel/json-read.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { openPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { apiVersion, tenant } from "./rig.ts";

const url = "https://git.example/jane/shop.git";

function settings(name: string, data: JsonObject = { of: name }): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

async function statusOf(platform: Platform, kind: string, name: string): Promise<JsonObject> {
  return objectAt((await platform.read(kind, name)) ?? {}, "status");
}

function conditionOf(status: JsonObject, type: string, list = "conditions"): string {
  const found = objectsAt(status, list).find((each) => textAt(each, "type") === type);
  return `${textAt(found, "status")} ${textAt(found, "reason")}`;
}

async function environment(platform: Platform, name: string, more: JsonObject = {}): Promise<void> {
  const spec = { displayName: name, deploymentStrategy: "Manual", ...more };
  await platform.create("Environment", name, spec);
}

async function snapshot(platform: Platform, name: string, ...names: readonly string[]) {
  const git = { url, context: "${component.name}/${environment.name}" };
  const components = names.map((each) => ({ name: each, source: { git } }));
  await platform.create("Snapshot", name, { application: "shop", components });
}

async function mapOf({ memory }: Platform, name: string): Promise<Resource | undefined> {
  const at = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name };
  return await memory.read(at);
}

async function children(platform: Platform): Promise<readonly string[]> {
  const all = await platform.list("gitopsdeployments.gitops.setpoint.dev");
  return all.map(({ metadata }) => metadata.name).toSorted();
}

const binding = (name: string, more: JsonObject = {}): JsonObject => ({
  application: "shop",
  environment: name,
  snapshot: "v1",
  components: [{ name: "web" }, { name: "api" }],
  ...more,
});

test("a binding has one deployment for each component, with labels and their number", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  await environment(platform, "dev");
  await platform.create("Snapshot", "v1", {
    application: "shop",
    components: [{ name: "web", containerImage: "registry.example/web:1" }, { name: "api" }],
  });
  await platform.create("SnapshotEnvironmentBinding", "shop", binding("dev"));
  await platform.pass(3_000);
  const waiting = await statusOf(platform, "SnapshotEnvironmentBinding", "shop");
  assert.equal(conditionOf(waiting, "Reconciled"), "False WaitingForComponentStatus");
  assert.equal(conditionOf(waiting, "ErrorOccurred"), "False NoError");

  // A service that creates repositories for components reports them.
  for (const name of ["web", "api"]) platform.commit(name, [settings(name)]);
  const components = ["web", "api"].map((name) => ({
    name,
    gitOpsRepository: { url, branch: "main", path: name },
  }));
  const at = { apiVersion, kind: "SnapshotEnvironmentBinding", namespace: tenant, name: "shop" };
  await platform.memory.patch(
    { ...at, subresource: "status" },
    {
      status: { components },
    },
  );
  await platform.patch("SnapshotEnvironmentBinding", "shop", { metadata: { labels: { w: "1" } } });
  await platform.pass(10_000);
  assert.deepEqual(await children(platform), ["shop-shop-dev-api", "shop-shop-dev-web"]);
  const web = await platform.read("GitOpsDeployment", "shop-shop-dev-web");
  assert.deepEqual(
    ["application", "component", "environment"].map((each) =>
      textAt(web, "metadata", "labels", `gitops.setpoint.dev/${each}`),
    ),
    ["shop", "web", "dev"],
  );
  assert.deepEqual(textsAt(web, "spec", "source", "kustomize", "images"), [
    "web=registry.example/web:1",
  ]);
  const status = await statusOf(platform, "SnapshotEnvironmentBinding", "shop");
  const list = "componentDeploymentConditions";
  assert.equal(conditionOf(status, "AllComponentsDeployed", list), "True CommitsSynced");
  assert.equal(textAt(objectsAt(status, list)[0], "message"), "2 of 2 components deployed");
  assert.equal(textAt(objectsAt(status, "gitopsDeployments")[0], "syncStatus"), "Synced");

  await platform.patch("GitOpsDeployment", "shop-shop-dev-web", { spec: { type: "manual" } });
  await platform.remove("GitOpsDeployment", "shop-shop-dev-api");
  await platform.pass(5_000);
  assert.equal((await children(platform)).length, 2, "a deleted child is created again");
  const again = await platform.read("GitOpsDeployment", "shop-shop-dev-web");
  assert.equal(textAt(again?.spec, "type"), "automated", "an edit of a child is reverted");
});

test("a second binding of a pair, and changes of a version, are refused", async () => {
  await using platform = await openPlatform();
  await platform.create("SnapshotEnvironmentBinding", "one", binding("dev"));
  await assert.rejects(
    platform.create("SnapshotEnvironmentBinding", "two", binding("dev")),
    /spec\.environment.*the SnapshotEnvironmentBinding one is for this application and environment/,
  );
  await platform.create("SnapshotEnvironmentBinding", "other", binding("prod"));
  await assert.rejects(
    platform.patch("SnapshotEnvironmentBinding", "one", { spec: { environment: "prod" } }),
    /spec\.environment/,
  );
  await platform.remove("SnapshotEnvironmentBinding", "one");
  await platform.pass(2_000);
  await platform.create("SnapshotEnvironmentBinding", "two", binding("dev"));
  await snapshot(platform, "v1", "web");
  await assert.rejects(
    platform.patch("Snapshot", "v1", { spec: { components: [{ name: "other" }] } }),
    /spec\.components/,
  );
});

test("problems of a binding have a reason, and a fixed one is resolved", async () => {
  await using platform = await openPlatform();
  const stateOf = async (): Promise<readonly string[]> => {
    await platform.pass(2_000);
    const status = await statusOf(platform, "SnapshotEnvironmentBinding", "shop");
    return [conditionOf(status, "ErrorOccurred"), conditionOf(status, "Reconciled")];
  };
  const repeated = [{ name: "web" }, { name: "web" }];
  await platform.create(
    "SnapshotEnvironmentBinding",
    "shop",
    binding("dev", { components: repeated }),
  );
  assert.deepEqual(await stateOf(), ["True EnvironmentNotFound", "False EnvironmentNotFound"]);
  await environment(platform, "dev");
  assert.deepEqual(await stateOf(), ["True SnapshotNotFound", "False SnapshotNotFound"]);
  await snapshot(platform, "v1", "web");
  assert.deepEqual(await stateOf(), ["True DuplicateComponents", "False DuplicateComponents"]);
  const components = [{ name: "none" }];
  await platform.patch("SnapshotEnvironmentBinding", "shop", { spec: { components } });
  assert.match((await stateOf()).join(), /True ErrorGeneratingGitOpsDeployment/);
  await platform.patch("SnapshotEnvironmentBinding", "shop", {
    spec: { components: [{ name: "web" }] },
  });
  assert.deepEqual(await stateOf(), [
    "False ErrorGeneratingGitOpsDeploymentResolved",
    "True Reconciled",
  ]);
});

test("an Environment states why it has no target, and a fixed one is resolved", async () => {
  await using platform = await openPlatform();
  const credentials = { apiURL: "https://api.example:6443", clusterCredentialsSecret: "cluster" };
  const cluster = { unstableConfigurationFields: { kubernetesCredentials: credentials } };
  const claimed = { configuration: { target: { deploymentTargetClaim: { claimName: "one" } } } };
  const stateOf = async (): Promise<readonly string[]> => {
    await platform.pass(2_000);
    const status = await statusOf(platform, "Environment", "prod");
    return [conditionOf(status, "ErrorOccurred"), conditionOf(status, "Reconciled")];
  };
  await environment(platform, "prod", { ...cluster, ...claimed });
  assert.deepEqual(await stateOf(), ["True InvalidEnvironment", "False InvalidEnvironment"]);
  await platform.patch("Environment", "prod", { spec: { unstableConfigurationFields: null } });
  assert.match((await stateOf()).join(), /^True DeploymentTargetClaimNotFound/);
  await platform.patch("Environment", "prod", { spec: { configuration: null, ...cluster } });
  assert.match((await stateOf()).join(), /^True SecretNotFound/);
  const metadata = { name: "cluster", namespace: tenant };
  const data = { kubeconfig: "apiVersion: v1" };
  await platform.memory.create({ apiVersion: "v1", kind: "Secret", metadata, stringData: data });
  const [error] = await stateOf();
  assert.match(error ?? "", /^False SecretNotFoundResolved|^True /);
  const managed = await platform.read("GitOpsDeploymentManagedEnvironment", "environment-prod");
  assert.equal(textAt(managed?.spec, "apiURL"), "https://api.example:6443");
  const at = { apiVersion: "v1", kind: "Secret", namespace: tenant, name: "environment-prod" };
  const copy = await platform.memory.read(at);
  assert.equal(textAt(copy, "type"), "gitops.setpoint.dev/managed-environment");
  await platform.remove("Environment", "prod");
  await platform.pass(3_000);
  assert.equal(await platform.memory.read(at), undefined, "the copy is deleted");
});

test("a claim takes one target, which no other claim ever gets", async () => {
  await using platform = await openPlatform();
  const spec = { deploymentTargetClassName: "small" };
  const kubernetesCredentials = { apiURL: "https://a.example", clusterCredentialsSecret: "a" };
  await platform.memory.create({
    apiVersion,
    kind: "DeploymentTargetClass",
    metadata: { name: "small" },
    spec: { provisioner: "vendor.example/clusters", reclaimPolicy: "Delete" },
  });
  await platform.create("DeploymentTargetClaim", "one", spec);
  await platform.create("DeploymentTargetClaim", "two", spec);
  await platform.pass(2_000);
  const pending = await statusOf(platform, "DeploymentTargetClaim", "one");
  assert.deepEqual(
    [textAt(pending, "phase"), textAt(pending, "provisioner")],
    ["Pending", "vendor.example/clusters"],
  );
  await platform.create("DeploymentTarget", "a", { ...spec, kubernetesCredentials });
  await platform.pass(3_000);
  const phases = async (): Promise<readonly string[]> =>
    await Promise.all(
      ["one", "two"].map(async (name) =>
        textAt(await statusOf(platform, "DeploymentTargetClaim", name), "phase"),
      ),
    );
  assert.deepEqual((await phases()).toSorted(), ["Bound", "Pending"]);
  const target = await statusOf(platform, "DeploymentTarget", "a");
  assert.equal(textAt(target, "phase"), "Bound");
  const holder = textAt(target, "claim", "name");
  await platform.remove("DeploymentTargetClaim", holder);
  await platform.pass(5_000);
  assert.equal(await platform.read("DeploymentTarget", "a"), undefined, "reclaimPolicy Delete");
  const other = holder === "one" ? "two" : "one";
  await platform.create("DeploymentTarget", "b", { ...spec, kubernetesCredentials });
  await platform.pass(3_000);
  assert.equal(textAt(await statusOf(platform, "DeploymentTargetClaim", other), "targetName"), "b");
  await platform.remove("DeploymentTarget", "b");
  await platform.pass(3_000);
  assert.equal(textAt(await statusOf(platform, "DeploymentTargetClaim", other), "phase"), "Lost");
});

async function runPhase(platform: Platform, name: string): Promise<string> {
  return textAt(await statusOf(platform, "PromotionRun", name), "phase");
}

test("a version is promoted through environments; a failed verification is repeated", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  const expression = "deployments.all(d, d.resources.exists(r, r.name == 'web-ok'))";
  const verification = { checks: [{ name: "web-ok", expression }], timeoutSeconds: 5 };
  await environment(platform, "dev", { verification });
  const gate = { parentEnvironment: "dev", promoteFrom: "Parent" };
  await environment(platform, "prod", { ...gate, deploymentStrategy: "Automated" });
  for (const path of ["web/dev", "web/prod"]) platform.commit(path, [settings(path.slice(4))]);
  await snapshot(platform, "v1", "web");
  const run = { application: "shop", snapshot: "v1" };
  const automatedPromotion = { initialEnvironment: "dev" };
  await platform.create("PromotionRun", "all", { ...run, automatedPromotion, timeoutSeconds: 600 });
  await platform.create("PromotionRun", "next", {
    ...run,
    manualPromotion: { targetEnvironment: "prod" },
  });
  await platform.pass(30_000);
  assert.ok(await mapOf(platform, "dev"), "it is deployed in dev");
  assert.equal(await mapOf(platform, "prod"), undefined, "it is not verified");
  const failed = await statusOf(platform, "SnapshotEnvironmentBinding", "shop-dev");
  assert.equal(textAt(failed, "verification", "phase"), "Failed");
  assert.equal(await runPhase(platform, "all"), "Active");
  assert.equal(await runPhase(platform, "next"), "Waiting", "one run of an application at a time");

  platform.commit("web/dev", [settings("dev"), settings("web-ok")]);
  const dev = "shop-dev-shop-dev-web";
  await platform.patch("GitOpsDeployment", dev, { metadata: { labels: { wake: "1" } } });
  await platform.patch("SnapshotEnvironmentBinding", "shop-dev", {
    metadata: { annotations: { "gitops.setpoint.dev/verify": "again" } },
  });
  await platform.pass(60_000);
  const all = await statusOf(platform, "PromotionRun", "all");
  assert.equal(textAt(all, "completionResult"), "Success", JSON.stringify(all));
  assert.deepEqual(
    objectsAt(all, "environmentStatus").map((each) => [each["environmentName"], each["status"]]),
    [
      ["dev", "Success"],
      ["prod", "Success"],
    ],
  );
  assert.ok(await mapOf(platform, "prod"));
  assert.equal(await runPhase(platform, "next"), "Succeeded");

  // A later attempt fails: the version stays verified, and promotions of it continue.
  platform.commit("web/dev", [settings("dev")]);
  await platform.patch("GitOpsDeployment", dev, { spec: { syncPolicy: { allowEmpty: true } } });
  await platform.patch("SnapshotEnvironmentBinding", "shop-dev", {
    metadata: { annotations: { "gitops.setpoint.dev/verify": "later" } },
  });
  await platform.pass(60_000);
  const later = await statusOf(platform, "SnapshotEnvironmentBinding", "shop-dev");
  assert.equal(textAt(later, "verification", "phase"), "Failed");
  await platform.create("PromotionRun", "more", {
    ...run,
    manualPromotion: { targetEnvironment: "prod" },
  });
  await platform.pass(20_000);
  assert.equal(await runPhase(platform, "more"), "Succeeded");
});

test("a promotion that is not deployed in time fails, and the next one runs", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  await environment(platform, "dev");
  platform.commit("web/dev", [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "not-allowed" } },
  ]);
  await snapshot(platform, "v1", "web");
  const run = { application: "shop", manualPromotion: { targetEnvironment: "dev" } };
  await platform.create("PromotionRun", "late", { ...run, snapshot: "v1", timeoutSeconds: 30 });
  await platform.pass(60_000);
  const late = await statusOf(platform, "PromotionRun", "late");
  assert.deepEqual([late["phase"], late["completionResult"]], ["Failed", "Failure"]);
  assert.match(textAt(late, "message"), /dev: not deployed within 30 seconds: 0 of 1 components/);
  await assert.rejects(
    platform.patch("PromotionRun", "late", { spec: { snapshot: "v2" } }),
    /cannot be changed: create another one/,
  );
  platform.commit("web/dev", [settings("dev")]);
  await platform.create("PromotionRun", "next", { ...run, snapshot: "v1", timeoutSeconds: 300 });
  await platform.create("PromotionRun", "absent", { ...run, snapshot: "none" });
  await platform.pass(90_000);
  assert.equal(await runPhase(platform, "next"), "Succeeded");
  const absent = await statusOf(platform, "PromotionRun", "absent");
  assert.match(textAt(absent, "message"), /the Snapshot none does not exist/);
});

test("an invalid promotion is refused, and the message names the field", async () => {
  await using platform = await openPlatform();
  const run = { application: "shop", snapshot: "v1" };
  await assert.rejects(
    platform.create("PromotionRun", "both", {
      ...run,
      manualPromotion: { targetEnvironment: "a" },
      automatedPromotion: { initialEnvironment: "a" },
    }),
    /either manualPromotion or automatedPromotion/,
  );
  const verification = { checks: [{ name: "a", expression: "deployments.size()" }] };
  await assert.rejects(
    environment(platform, "dev", { verification }),
    /spec\.verification\.checks\[0\]\.expression.*must evaluate to bool/,
  );
});
