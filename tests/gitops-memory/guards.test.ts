import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserInfo } from "../../src/intents/auth/user.ts";
import { systemOptions, targetFor } from "../../src/intents/bootstrap.ts";
import { createResource } from "../../src/intents/write/create.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { openFakes } from "./fakes.ts";
import { apiVersion, openRig, tenant } from "./rig.ts";
import type { Rig } from "./rig.ts";

const source = { repoURL: "https://git.example/jane/shop.git", path: "deploy" };
const group = "rbac.authorization.k8s.io";

/** As a user without further rights: admission runs after authorization. */
async function createAs(rig: Rig, name: string, object: JsonObject): Promise<void> {
  const user: UserInfo = { name, groups: ["system:authenticated"], extra: {} };
  const { intents } = rig.memory.plane;
  const { target } = targetFor(intents, object);
  const caller = { user, surface: "kube", warn: () => undefined };
  const options = systemOptions;
  await createResource(intents, { caller, target, body: object, options, decodeProblems: [] });
}

function deployment(name: string, serviceAccountName?: string): JsonObject {
  const account = serviceAccountName === undefined ? {} : { serviceAccountName };
  const spec = { source, type: "manual", ...account };
  return { apiVersion, kind: "GitOpsDeployment", metadata: { name, namespace: tenant }, spec };
}

test("a user names only a ServiceAccount that the user may use", async () => {
  await using rig = await openRig();
  const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["*"] }];
  const metadata = { name: "strong", namespace: tenant };
  await rig.memory.create({ apiVersion: `${group}/v1`, kind: "Role", metadata, rules });
  await rig.memory.create({
    apiVersion: `${group}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: group, kind: "Role", name: "strong" },
    subjects: [{ kind: "ServiceAccount", name: "strong", namespace: tenant }],
  });
  await assert.rejects(
    createAs(rig, "eve", deployment("wrong", "strong")),
    /spec\.serviceAccountName: User "eve" may not act as the ServiceAccount "strong"/,
  );
  assert.equal(await rig.read("GitOpsDeployment", "wrong"), undefined);
  const template = { metadata: { name: "${item.name}" }, spec: deployment("a", "strong")["spec"] };
  const spec = { generate: { items: [{ name: "a" }] }, template };
  const set = {
    apiVersion,
    kind: "GitOpsDeploymentSet",
    metadata: { name: "set", namespace: tenant },
  };
  await assert.rejects(
    createAs(rig, "eve", { ...set, spec } as JsonObject),
    /spec\.template\.spec\.serviceAccountName: User "eve" may not act as the ServiceAccount/,
  );
  await createAs(rig, "eve", deployment("usual"));
  assert.ok(await rig.read("GitOpsDeployment", "usual"));
});

test("users do not write what the server deletes or reads by itself", async () => {
  await using rig = await openRig();
  const metadata = { name: "inv-1", namespace: tenant };
  const spec = { deployment: "shop", deploymentUID: "u", shard: 0, entries: [] };
  await assert.rejects(
    createAs(rig, "eve", { apiVersion, kind: "Inventory", metadata, spec }),
    /only this server writes its spec/,
  );
  assert.equal(await rig.read("Inventory", "inv-1"), undefined);
});

test("an Operation is deleted after its retention time, also one of a user", async () => {
  const fakes = openFakes();
  await using rig = await openRig({}, fakes);
  fakes.repository.head = "a".repeat(40);
  const data = { a: "1" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data };
  fakes.repository.commits.set(fakes.repository.head, [object]);
  await rig.create("GitOpsDeployment", "shop", { source, type: "automated" });
  await rig.create("Operation", "stray", { operationID: "unknown" });
  await rig.pass(5_000);
  const states = (await rig.list("operations.gitops.setpoint.dev")).map(({ status }) =>
    textAt(status, "state"),
  );
  assert.deepEqual(states.toSorted(), ["", "Completed"]);
  const { clock } = rig.memory.surroundings;
  clock.advanceMs(86_500_000);
  await rig.pass(650_000);
  assert.deepEqual(await rig.list("operations.gitops.setpoint.dev"), []);
});
