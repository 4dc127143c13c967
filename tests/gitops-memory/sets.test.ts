import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { openPlatform } from "./platform.ts";
import type { Platform } from "./platform.ts";
import { apiVersion, tenant } from "./rig.ts";

const repoURL = "https://git.example/jane/shop.git";

function settings(name: string): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { of: name } };
}

function setSpec(generate: JsonObject, name: string, source: JsonObject = {}): JsonObject {
  const spec = { source: { repoURL, path: "deploy", ...source }, type: "automated" };
  return { generate, template: { metadata: { name }, spec } };
}

const previews = setSpec(
  { branches: { repoURL, include: ["feature/*"] } },
  "preview-${branch.slug}",
  { targetRevision: "${branch.name}", path: "${'deploy'}" },
);

async function deployments(platform: Platform): Promise<readonly string[]> {
  const all = await platform.list("gitopsdeployments.gitops.setpoint.dev");
  return all.map(({ metadata }) => metadata.name).toSorted();
}

async function statusOf(platform: Platform, name = "previews"): Promise<JsonObject> {
  return objectAt((await platform.read("GitOpsDeploymentSet", name)) ?? {}, "status");
}

function errorOf(status: JsonObject): string {
  const found = objectsAt(status, "conditions").find(
    (each) => textAt(each, "type") === "ErrorOccurred",
  );
  return textAt(found, "status") === "True" ? textAt(found, "message") : "";
}

/** Longer than the time between two comparisons with a repository. */
const pollMs = 230_000;

test("each branch has a deployment, which is deleted with its objects", async () => {
  await using platform = await openPlatform();
  await platform.grant();
  platform.commit("deploy", [settings("shop")]);
  platform.branches.add("main").add("feature/Cart-9");
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(20_000);
  assert.deepEqual(await deployments(platform), ["preview-feature-cart-9"]);
  const preview = await platform.read("GitOpsDeployment", "preview-feature-cart-9");
  assert.equal(textAt(preview?.spec, "source", "targetRevision"), "feature/Cart-9");
  const status = await statusOf(platform);
  assert.equal(objectAt(status, "summary")["healthy"], 1, JSON.stringify(status));
  assert.equal(textAt(objectsAt(status, "deployments")[0], "from"), "branch feature/Cart-9");

  platform.branches.add("feature/search");
  await platform.pass(pollMs);
  assert.deepEqual(await deployments(platform), [
    "preview-feature-cart-9",
    "preview-feature-search",
  ]);
  platform.branches.delete("feature/Cart-9");
  platform.branches.delete("feature/search");
  platform.branches.add("feature/new");
  await platform.pass(pollMs);
  assert.deepEqual(await deployments(platform), ["preview-feature-new"]);
  platform.branches.delete("feature/new");
  await platform.pass(pollMs);
  assert.deepEqual(await deployments(platform), [], "the last one needs no confirmation");
  await platform.pass(30_000);
  const at = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name: "shop" };
  assert.equal(await platform.memory.read(at), undefined);
});

test("a repository that cannot be read deletes nothing, and recovers", async () => {
  await using platform = await openPlatform();
  platform.branches.add("feature/a").add("feature/b");
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(5_000);
  const message = "the git host cannot be reached";
  platform.fault({ kind: "problem", reason: "HostUnreachable", message, isFinal: false });
  await platform.pass(pollMs);
  assert.equal((await deployments(platform)).length, 2);
  assert.equal(errorOf(await statusOf(platform)), message);
  platform.fault(undefined);
  await platform.pass(60_000);
  assert.equal(errorOf(await statusOf(platform)), "");
});

test("deletion of all deployments waits for a confirmation", async () => {
  await using platform = await openPlatform();
  platform.branches.add("feature/a").add("feature/b");
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(5_000);
  platform.branches.clear();
  await platform.pass(pollMs);
  assert.equal((await deployments(platform)).length, 2);
  const status = await statusOf(platform);
  assert.equal(textAt(status, "removal", "reason"), "All");
  assert.match(errorOf(status), /set spec\.removal\.confirm to [0-9a-f]{32}/);
  const confirm = textAt(status, "removal", "hash");
  await platform.patch("GitOpsDeploymentSet", "previews", { spec: { removal: { confirm } } });
  await platform.pass(30_000);
  assert.deepEqual(await deployments(platform), []);
});

test("one repository goes to all environments that have a label", async () => {
  await using platform = await openPlatform();
  platform.commit("apps/shop", [settings("shop")]);
  platform.commit("apps/bank", [settings("bank")]);
  const environment = async (name: string, tier: string): Promise<void> => {
    const metadata = { name, namespace: tenant, labels: { tier } };
    const spec = { apiURL: "https://api.example:6443", credentialsSecret: "none" };
    const kind = "GitOpsDeploymentManagedEnvironment";
    await platform.memory.create({ apiVersion, kind, metadata, spec });
  };
  await environment("east", "prod");
  await environment("test", "test");
  const generate = {
    environments: { selector: { matchLabels: { tier: "prod" } } },
    directories: { repoURL, include: ["apps/*"] },
  };
  const spec = setSpec(generate, "${directory.name}-${environment.name}", {
    path: "${directory.path}",
  });
  await platform.create("GitOpsDeploymentSet", "previews", spec);
  await platform.pass(5_000);
  assert.deepEqual(await deployments(platform), ["bank-east", "shop-east"]);
  await environment("west", "prod");
  await platform.pass(5_000);
  assert.deepEqual(await deployments(platform), [
    "bank-east",
    "bank-west",
    "shop-east",
    "shop-west",
  ]);
  const kind = "GitOpsDeploymentManagedEnvironment";
  await platform.patch(kind, "east", { metadata: { labels: { tier: "old" } } });
  await platform.pass(5_000);
  assert.deepEqual(await deployments(platform), ["bank-west", "shop-west"]);
});

test("a deployment that was changed or deleted by hand is as the set states again", async () => {
  await using platform = await openPlatform();
  platform.branches.add("feature/a");
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(5_000);
  const name = "preview-feature-a";
  const pin = { revision: "a".repeat(40) };
  await platform.patch("GitOpsDeployment", name, { spec: { type: "manual", pin } });
  await platform.pass(5_000);
  const found = await platform.read("GitOpsDeployment", name);
  assert.equal(textAt(found?.spec, "type"), "automated");
  assert.deepEqual(objectAt(found?.spec, "pin"), pin, "a rollback is kept");
  await platform.remove("GitOpsDeployment", name);
  await platform.pass(5_000);
  assert.deepEqual(await deployments(platform), [name]);
});

test("a deployment of another owner is not taken over, and the others are applied", async () => {
  await using platform = await openPlatform();
  platform.branches.add("feature/a").add("feature/b");
  const own = { source: { repoURL, path: "own" }, type: "manual" };
  await platform.create("GitOpsDeployment", "preview-feature-a", own);
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(5_000);
  assert.equal((await deployments(platform)).length, 2);
  const kept = await platform.read("GitOpsDeployment", "preview-feature-a");
  assert.equal(textAt(kept?.spec, "source", "path"), "own");
  assert.match(
    errorOf(await statusOf(platform)),
    /preview-feature-a \(branch feature\/a\): .*exists/,
  );
});

test("an invalid set is refused, and the message names the field", async () => {
  await using platform = await openPlatform();
  const create = async (spec: JsonObject): Promise<unknown> =>
    await platform.create("GitOpsDeploymentSet", "wrong", spec);
  const branches = { branches: { repoURL } };
  await assert.rejects(create(setSpec({}, "a")), /spec\.generate/);
  await assert.rejects(
    create(setSpec(branches, "${directory.name}")),
    /spec\.template\.metadata\.name.*directory/,
  );
  await assert.rejects(create(setSpec(branches, "${branch.")), /spec\.template\.metadata\.name/);
  const account = setSpec(branches, "a");
  const spec = { ...objectAt(account, "template", "spec"), serviceAccountName: "${branch.name}" };
  await assert.rejects(
    create({ ...account, template: { ...objectAt(account, "template"), spec } }),
    /spec\.template\.spec\.serviceAccountName.*without expressions/,
  );
});

test("a set that generates too many deployments changes nothing", async () => {
  await using platform = await openPlatform();
  platform.branches.add("feature/a");
  await platform.create("GitOpsDeploymentSet", "previews", previews);
  await platform.pass(5_000);
  for (let index = 0; index < 500; index += 1) platform.branches.add(`feature/many-${index}`);
  await platform.pass(pollMs);
  assert.equal((await deployments(platform)).length, 1);
  assert.match(errorOf(await statusOf(platform)), /more than 500 deployments are generated/);
});
