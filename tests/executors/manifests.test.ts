// ManifestSets of a real server: against another server by its kubeconfig, and against the server
// itself in the name of a ServiceAccount.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { textAt } from "../../src/kernel/json-read.ts";
import { startKubeServer } from "../kube/server.ts";
import type { KubeServer } from "../kube/server.ts";
import { applyToServer, condition } from "../peers/resources.ts";
import type { Resources } from "../peers/resources.ts";
import { checkedDrift, correctedDrift, driftOf, startExecutorRig } from "./rig.ts";
import type { ExecutorRig, Target } from "./rig.ts";

let cluster: KubeServer;
let rig: ExecutorRig;
let sets: Resources<Target>;
let targets: Resources<Target>;

before(async () => {
  cluster = await startKubeServer();
  rig = await startExecutorRig(() => cluster.url);
  sets = rig.of("ManifestSet");
  targets = rig.of("KubernetesTarget", undefined, "");
  await rig.secret("cluster", { kubeconfig: readFileSync(cluster.kubeconfig, "utf8") });
  const secretRef = { namespace: "default", name: "cluster", key: "kubeconfig" };
  const allow = { namespaces: { names: ["default"] }, clusterScoped: true };
  await targets.create("other", { kubeconfig: { secretRef }, allow });
  const narrow = { ...allow, targetNamespaces: ["{namespace}"], clusterScoped: false };
  await targets.create("narrow", { kubeconfig: { secretRef }, allow: narrow });
  await targets.ready("other");
});
after(async () => {
  await rig?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

const map = (name: string, data: JsonObject, namespace?: string): JsonObject => {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
};
const openSchema = {
  openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const maps = "/api/v1/namespaces/default/configmaps";

async function read(path: string): Promise<JsonObject | undefined> {
  const { status, json } = await cluster.request("GET", path);
  return status === 200 ? (json as JsonObject) : undefined;
}

async function ownRead(path: string): Promise<JsonObject | undefined> {
  const { status, body } = await rig.server.ask(path);
  return status === 200 ? (JSON.parse(body.toString()) as JsonObject) : undefined;
}

const end = async (name: string): Promise<void> => {
  await sets.delete(name);
  await sets.gone(name);
};

describe("a KubernetesTarget", () => {
  it("shows the version of the API server, and never the kubeconfig", async () => {
    const one = await targets.ready("other");
    assert.match(String(one.status?.["version"]), /^v1\./);
    assert.doesNotMatch(JSON.stringify(one), new RegExp(cluster.token));
  });
});

describe("a ManifestSet for another cluster", () => {
  it("applies objects, prunes removed ones, and removes the rest in reverse order", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    await sets.create("life", {
      target: "other",
      manifests: [map("a", { x: "1" }, "shop"), map("b", { x: "1" }), namespace],
      secretManifests: [
        {
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name: "s", namespace: "shop" },
          stringData: { pin: "sentinel-kube-1" },
        },
      ],
      outputs: { x: 'objects["ConfigMap/a"].data.x' },
    });
    const one = await sets.ready("life");
    assert.deepEqual(one.status?.outputs, { x: "1" });
    assert.doesNotMatch(JSON.stringify(one), /sentinel/);
    const secret = await read("/api/v1/namespaces/shop/secrets/s");
    assert.equal(textAt(secret, "data", "pin"), Buffer.from("sentinel-kube-1").toString("base64"));
    await sets.patch("life", {
      spec: { manifests: [map("a", { x: "2" }, "shop"), namespace] },
    });
    await sets.until("life", "changed", ({ status }) => status?.outputs?.["x"] === "2");
    assert.equal(await read(`${maps}/b`), undefined, "pruned");
    await end("life");
    for (const path of ["/api/v1/namespaces/shop/configmaps/a", "/api/v1/namespaces/shop"]) {
      assert.equal(await read(path), undefined, path);
    }
  });

  it("does not change or delete an object that another client created", async () => {
    await cluster.request("POST", maps, map("theirs", { x: "theirs" }));
    const manifests = [map("mine", { x: "1" }), map("theirs", { x: "1" })];
    await sets.create("taken", { target: "other", manifests });
    const one = await sets.says("taken", "Synced", "ObjectNotOwned");
    assert.match(condition(one, "Synced")?.message ?? "", /default\/theirs exists/);
    assert.equal(await read(`${maps}/mine`), undefined, "nothing was applied");
    await end("taken");
    assert.equal(textAt(await read(`${maps}/theirs`), "data", "x"), "theirs");
  });

  it("is ready when its objects are, and follows their health", async () => {
    // The other server has no controllers: this test reports the condition of the object.
    const subresources = { status: {} };
    const versions = [
      { name: "v1", served: true, storage: true, schema: openSchema, subresources },
    ];
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const defined = await cluster.request("POST", definitions, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "webs.shop.example" },
      spec: {
        group: "shop.example",
        names: { plural: "webs", kind: "Web" },
        scope: "Namespaced",
        versions,
      },
    });
    assert.equal(defined.status, 201, defined.text);
    const report = async (ready: string, observedGeneration: number): Promise<void> => {
      const conditions = [{ type: "Ready", status: ready, reason: "Tested", observedGeneration }];
      const path = "/apis/shop.example/v1/namespaces/default/webs/web/status";
      const { status, text } = await cluster.request("PATCH", path, { status: { conditions } });
      assert.equal(status, 200, text);
    };
    const web = { apiVersion: "shop.example/v1", kind: "Web", metadata: { name: "web" } };
    const manifests = (size: number): JsonObject[] => [{ ...web, spec: { size } }];
    await sets.create("health", { target: "other", manifests: manifests(1) });
    await sets.ready("health");
    await report("False", 1);
    await sets.reconcile("health");
    const waiting = await sets.says("health", "Ready", "Progressing");
    assert.match(condition(waiting, "Ready")?.message ?? "", /web: Ready is False: Tested/);
    await report("True", 1);
    await sets.ready("health");
    await sets.patch("health", { spec: { manifests: manifests(2) } });
    const stale = await sets.says("health", "Ready", "Progressing");
    assert.match(condition(stale, "Ready")?.message ?? "", /has not seen the change/);
    await report("True", 2);
    await sets.ready("health");
    await end("health");
  });

  it("reports changed and missing objects as drift, and corrects them on request", async () => {
    const manifests = [map("d1", { x: "1" }), map("d2", { x: "1" })];
    await sets.create("drift", { target: "other", manifests });
    await sets.ready("drift");
    assert.equal((await checkedDrift(sets, "drift")).status?.drift?.state, "None");
    await cluster.request("PATCH", `${maps}/d1`, { data: { x: "by hand", y: "theirs" } });
    await cluster.request("DELETE", `${maps}/d2`);
    const drifted = await checkedDrift(sets, "drift");
    assert.deepEqual(driftOf(drifted), [
      "changed v1 ConfigMap default/d1 /data/x",
      "missing v1 ConfigMap default/d2",
    ]);
    assert.equal(condition(drifted, "Ready")?.status, "True");
    assert.equal(
      textAt(await read(`${maps}/d1`), "data", "x"),
      "by hand",
      "a check changes nothing",
    );
    const corrected = await correctedDrift(sets, "drift");
    assert.deepEqual(driftOf(corrected), []);
    const d1 = await read(`${maps}/d1`);
    assert.deepEqual(d1?.["data"], { x: "1", y: "theirs" }, "fields of other managers are kept");
    assert.ok((await read(`${maps}/d2`)) !== undefined);
    await end("drift");
  });

  it("shows nothing of an object that another client created in the place of its own", async () => {
    const x = '"ConfigMap/h" in objects ? objects["ConfigMap/h"].data.x : "none"';
    const spec = { target: "other", manifests: [map("h", { x: "mine" })], outputs: { x } };
    await sets.create("handed", spec);
    await sets.ready("handed");
    await cluster.request("DELETE", `${maps}/h`);
    await cluster.request("POST", maps, map("h", { x: "theirs" }));
    const drifted = await checkedDrift(sets, "handed");
    assert.deepEqual(driftOf(drifted), ["changed v1 ConfigMap default/h"]);
    assert.equal(drifted.status?.["outputs"]?.["x"], "none");
    await end("handed");
    assert.equal(textAt(await read(`${maps}/h`), "data", "x"), "theirs");
  });

  it("applies resources of a kind that its own manifests define", async () => {
    const schema = {
      openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    };
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "pears.orchard.example" },
      spec: {
        group: "orchard.example",
        names: { plural: "pears", kind: "Pear" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    };
    const pear = {
      apiVersion: "orchard.example/v1",
      kind: "Pear",
      metadata: { name: "conference" },
    };
    await sets.create("kinds", { target: "other", manifests: [pear, definition] });
    await sets.ready("kinds");
    const path = "/apis/orchard.example/v1/namespaces/default/pears/conference";
    assert.ok((await read(path)) !== undefined);
    await end("kinds");
    assert.equal(await read(path), undefined);
  });

  it("stays within the namespaces that the KubernetesTarget allows", async () => {
    const place = map("far", {}, "kube-system");
    await sets.create("far", { target: "narrow", manifests: [place] });
    await sets.says("far", "Synced", "PlaceForbidden");
    await end("far");
    const role = { apiVersion: "v1", kind: "Namespace", metadata: { name: "wide" } };
    await sets.create("wide", { target: "narrow", manifests: [role] });
    await sets.says("wide", "Synced", "PlaceForbidden");
    await end("wide");
  });

  it("shows a refusal of the server without the values of secret manifests", async () => {
    const wrong = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "wrong" },
      data: { pin: "sentinel-kube-2 is not base64" },
    };
    await sets.create("refused", { target: "other", secretManifests: [wrong] });
    const one = await sets.says("refused", "Synced", "RequestRefused");
    assert.doesNotMatch(JSON.stringify(one), /sentinel-kube-2/);
    await end("refused");
  });
});

describe("a ManifestSet for this server", () => {
  const rbac = "rbac.authorization.k8s.io";
  const account = async (name: string, rules: readonly JsonObject[]): Promise<void> => {
    const metadata = { name, namespace: "default" };
    await applyToServer(rig.server, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    await applyToServer(rig.server, { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules });
    await applyToServer(rig.server, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
      roleRef: { apiGroup: rbac, kind: "Role", name },
    });
  };
  const verbs = ["get", "create", "patch", "delete"];

  it("acts with the permissions of its ServiceAccount, and not with more", async () => {
    await account("deployer", [{ apiGroups: [""], resources: ["configmaps"], verbs }]);
    const serviceAccountName = "deployer";
    await sets.create("own", { serviceAccountName, manifests: [map("own", { x: "1" })] });
    await sets.ready("own");
    const stored = await ownRead(`${maps}/own`);
    assert.equal(textAt(stored, "data", "x"), "1");
    await end("own");
    assert.equal(await ownRead(`${maps}/own`), undefined);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "more" } };
    await sets.create("more", { serviceAccountName, manifests: [secret] });
    const one = await sets.says("more", "Synced", "Forbidden");
    const message = condition(one, "Synced")?.message ?? "";
    assert.match(message, /system:serviceaccount:default:deployer/);
    await sets.delete("more");
    await sets.gone("more");
  });

  it("cannot grant permissions that its ServiceAccount does not have", async () => {
    await account("granter", [{ apiGroups: [rbac], resources: ["roles"], verbs }]);
    const role = {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata: { name: "strong" },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
    };
    await sets.create("strong", { serviceAccountName: "granter", manifests: [role] });
    const one = await sets.says("strong", "Synced", "Forbidden");
    assert.match(condition(one, "Synced")?.message ?? "", /attempting to grant/);
    const path = `/apis/${rbac}/v1/namespaces/default/roles/strong`;
    assert.equal(await ownRead(path), undefined);
    await end("strong");
  });

  it("with the same object twice is refused with the field", async () => {
    const { status, text } = await sets.tryCreate("twice", {
      manifests: [map("a", {}), map("a", {})],
    });
    assert.equal(status, 422, text);
    assert.match(text, /spec\.manifests\[1\]/);
  });
});
