import assert from "node:assert/strict";
import { test } from "node:test";
import { openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

const source = { repoURL: "https://git.example/jane/shop.git", path: "deploy" };

test("manifests of the seed are accepted in this group", async () => {
  await using rig = await openRig();
  await rig.create("GitOpsDeployment", "shop", {
    source: { ...source, targetRevision: "main" },
    destination: { environment: "staging", namespace: "shop" },
    syncPolicy: { syncOptions: ["CreateNamespace=true"] },
    type: "automated",
  });
  await rig.create("GitOpsDeploymentSyncRun", "run", {
    gitopsDeploymentName: "shop",
    revisionID: "main",
  });
  await rig.create("GitOpsDeploymentManagedEnvironment", "staging", {
    apiURL: "https://api.example:6443",
    credentialsSecret: "kubeconfig",
    allowInsecureSkipTLSVerify: false,
    createNewServiceAccount: true,
    namespaces: ["shop"],
    clusterResources: false,
  });
  const repositories = ["https://git.example/a", "ssh://git@git.example/a", "git@git.example:a"];
  for (const [index, repository] of repositories.entries()) {
    const spec = { repository, secret: "" };
    await rig.create("GitOpsDeploymentRepositoryCredential", `credential-${index}`, spec);
  }
});

test("paths that a run reports are accepted", async () => {
  await using rig = await openRig();
  for (const [index, path] of ["", "/"].entries()) {
    const spec = { source: { ...source, path }, type: "manual" };
    await rig.create("GitOpsDeployment", `path-${index}`, spec);
  }
});

test("an invalid GitOpsDeployment is refused, and the message names the field", async () => {
  await using rig = await openRig();
  const refused = async (spec: Record<string, unknown>, message: RegExp): Promise<void> => {
    const given = { source, type: "automated", ...spec } as Parameters<Rig["create"]>[2];
    await assert.rejects(rig.create("GitOpsDeployment", "wrong", given), message);
    assert.equal(await rig.read("GitOpsDeployment", "wrong"), undefined);
  };
  await refused({ type: "sometimes" }, /spec\.type: Unsupported value: "sometimes"/);
  await refused(
    { syncPolicy: { syncOptions: ["CreateNamespace=maybe"] } },
    /spec\.syncPolicy\.syncOptions\[0\]: Unsupported value/,
  );
  await refused({ destination: { namespace: "shop" } }, /set destination\.environment/);
  await refused({ source: { repoURL: source.repoURL } }, /spec\.source\.path: Required value/);
});

test("other invalid resources are refused with the field", async () => {
  await using rig = await openRig();
  for (const repository of ["http://git.example/a", "ftp://git.example/a", "file:///srv/a"]) {
    const spec = { repository, secret: "s" };
    await assert.rejects(
      rig.create("GitOpsDeploymentRepositoryCredential", "wrong", spec),
      /spec\.repository: .*must begin with https:\/\/ or ssh:\/\//,
    );
  }
  const environment = { apiURL: "https://api.example", credentialsSecret: "s" };
  await assert.rejects(
    rig.create("GitOpsDeploymentManagedEnvironment", "wrong", {
      ...environment,
      createNewServiceAccount: true,
    }),
    /createNewServiceAccount needs namespaces/,
  );
  await assert.rejects(
    rig.create("GitOpsDeploymentManagedEnvironment", "wrong", {
      ...environment,
      apiURL: "http://api.example",
    }),
    /apiURL must begin with https/,
  );
  await assert.rejects(
    rig.create("GitOpsDeploymentManagedEnvironment", "wrong", { apiURL: "https://api.example" }),
    /set apiURL and credentialsSecret, or cluster/,
  );
});
