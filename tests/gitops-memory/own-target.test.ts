import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectsAt, textAt } from "../../src/kernel/json-read.ts";
import { nextTurn } from "../../src/kernel/pauses.ts";
import { referenceKey, referenceOf } from "../../src/modules/gitops/object-reference.ts";
import type { ObjectReference } from "../../src/modules/gitops/object-reference.ts";
import type { OpenedTarget, Target, TargetRules } from "../../src/modules/gitops/targets/target.ts";
import { openTargetRig, tenant } from "./target-rig.ts";
import type { TargetRig } from "./target-rig.ts";

const uid = "11111111-1111-1111-1111-111111111111";
const labels = { "gitops.setpoint.dev/deployment": uid };
const map = (name: string, namespace = tenant, data: JsonObject = { a: "1" }): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels },
  data,
});
const at = (object: JsonObject): ObjectReference =>
  referenceOf(object, textAt(object, "metadata", "namespace"));

async function allow(
  rig: TargetRig,
  resources: readonly string[],
  namespace = tenant,
): Promise<void> {
  const verbs = ["get", "list", "create", "patch", "update", "delete"];
  const metadata = { name: `gitops-${resources.join("-")}`, namespace };
  const rules = [{ apiGroups: [""], resources, verbs }];
  const api = "rbac.authorization.k8s.io";
  await rig.memory.create({ apiVersion: `${api}/v1`, kind: "Role", metadata, rules });
  await rig.memory.create({
    apiVersion: `${api}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: api, kind: "Role", name: metadata.name },
    subjects: [{ kind: "ServiceAccount", name: "gitops", namespace: tenant }],
  });
}

function ready(opened: OpenedTarget): { readonly target: Target; readonly rules: TargetRules } {
  assert.ok(opened.kind === "target");
  return opened;
}

test("this server is a target in the name of the ServiceAccount", async () => {
  await using rig = await openTargetRig();
  await allow(rig, ["configmaps"]);
  const object = map("settings");
  const dry = await rig.inRun(async (opened) => {
    return await ready(opened).target.apply(at(object), object, { isDryRun: true });
  });
  assert.equal(dry.kind, "applied");
  const place = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name: "settings" };
  assert.equal(await rig.memory.read(place), undefined, "a dry run changes nothing");
  const applied = await rig.inRun(async (opened) => {
    return await ready(opened).target.apply(at(object), object, { isDryRun: false });
  });
  assert.equal(applied.kind, "applied");
  const live = await rig.memory.read(place);
  assert.equal(textAt(live, "data", "a"), "1");
  const managers = objectsAt(live, "metadata", "managedFields").map((entry) =>
    textAt(entry, "manager"),
  );
  assert.deepEqual(managers, ["setpoint-gitops"]);
  const seen = await rig.inRun(async (opened) => {
    const { target } = ready(opened);
    const kinds = [
      { group: "", version: "v1", kind: "ConfigMap" },
      { group: "", version: "v1", kind: "Secret" },
      { group: "gitops.setpoint.dev", version: "v1", kind: "GitOpsDeployment" },
      { group: "shop.example", version: "v1", kind: "Unknown" },
    ];
    const missing = { ...at(object), name: "missing" };
    const secret = { ...at(object), kind: "Secret" };
    return {
      kinds: await target.discover(kinds),
      read: await target.read([at(object), missing, secret]),
      owned: await target.listOwned(kinds, uid),
      others: await target.listOwned(kinds, "22222222-2222-2222-2222-222222222222"),
    };
  });
  assert.equal(seen.kinds.kind, "kinds");
  assert.deepEqual(seen.kinds.kind === "kinds" && [...seen.kinds.scopes], [
    ["/v1/ConfigMap", { plural: "configmaps", isNamespaced: true, isProtected: false }],
    ["/v1/Secret", { plural: "secrets", isNamespaced: true, isProtected: false }],
    [
      "gitops.setpoint.dev/v1/GitOpsDeployment",
      { plural: "gitopsdeployments", isNamespaced: true, isProtected: true },
    ],
  ]);
  assert.ok(seen.read.kind === "objects" && seen.owned.kind === "objects");
  assert.deepEqual([...seen.read.objects.keys()], [referenceKey(at(object))]);
  const [problem] = seen.read.problems.values();
  assert.equal(problem?.reason, "Forbidden");
  assert.match(problem?.message ?? "", /system:serviceaccount:jane:gitops.*cannot get.*secrets/);
  assert.deepEqual([...seen.owned.objects.keys()], [referenceKey(at(object))]);
  assert.equal(seen.others.kind === "objects" && seen.others.objects.size, 0);
});

test("an account writes what it may, and nothing in other namespaces", async () => {
  await using rig = await openTargetRig();
  const apply = async (object: JsonObject) =>
    await rig.inRun(async (opened) => {
      return await ready(opened).target.apply(at(object), object, { isDryRun: false });
    });
  const forbidden = await apply(map("a"));
  assert.deepEqual(forbidden.kind === "problem" && [forbidden.reason, forbidden.isFinal], [
    "Forbidden",
    true,
  ]);
  await allow(rig, ["configmaps"]);
  await allow(rig, ["configmaps"], "bob");
  const other = await apply(map("a", "bob"));
  assert.equal(other.kind === "problem" && other.reason, "PolicyDenied");
  const place = { apiVersion: "v1", kind: "ConfigMap", namespace: "bob", name: "a" };
  assert.equal(await rig.memory.read(place), undefined);
  await rig.memory.create({
    apiVersion: "gitops.setpoint.dev/v1",
    kind: "GitOpsPolicy",
    metadata: { name: "jane" },
    spec: {
      namespaces: { names: [tenant] },
      destinations: { namespaces: ["bob"] },
      kinds: { deny: [{ kind: "Secret" }] },
    },
  });
  assert.equal((await apply(map("a", "bob"))).kind, "applied");
  const secret = await apply({ ...map("a"), kind: "Secret" });
  assert.match(secret.kind === "problem" ? secret.message : "", /denies the kind Secret/);
});

test("an invalid object is a problem that names it, and shows no secret", async () => {
  await using rig = await openTargetRig();
  await allow(rig, ["secrets", "configmaps"]);
  const apply = async (object: JsonObject) =>
    await rig.inRun(async (opened) => {
      return await ready(opened).target.apply(at(object), object, { isDryRun: false });
    });
  const invalid = await apply(map("a", tenant, { "not a key": "1" }));
  assert.equal(invalid.kind === "problem" && invalid.reason, "Invalid");
  assert.match(
    invalid.kind === "problem" ? invalid.message : "",
    /^ConfigMap a|^ConfigMap jane\/a/,
  );
  const secret = { ...map("a"), kind: "Secret", data: { key: "hunter2-not-base64!" } };
  const refused = await apply(secret);
  assert.equal(refused.kind, "problem");
  assert.doesNotMatch(refused.kind === "problem" ? refused.message : "", /hunter2/);
});

test("only the object with the uid is deleted", async () => {
  await using rig = await openTargetRig();
  await allow(rig, ["configmaps"]);
  const object = map("a");
  const created = await rig.memory.create(object);
  const remove = async (wanted: string) =>
    await rig.inRun(async (opened) => {
      return await ready(opened).target.delete(at(object), wanted, "Background");
    });
  assert.deepEqual(await remove(uid), { kind: "deleted", isAbsent: true });
  const place = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name: "a" };
  assert.equal((await rig.memory.read(place))?.metadata.uid, created.metadata.uid);
  assert.deepEqual(await remove(created.metadata.uid), { kind: "deleted", isAbsent: false });
  assert.equal(await rig.memory.read(place), undefined);
  assert.deepEqual(await remove(created.metadata.uid), { kind: "deleted", isAbsent: true });
});

test("an object is replaced where an option says so", async () => {
  await using rig = await openTargetRig();
  await allow(rig, ["configmaps"]);
  const object = map("a");
  const created = await rig.memory.create({ ...object, immutable: true });
  const apply = async (isReplaced: boolean) =>
    await rig.inRun(async (opened) => {
      const changed = { ...object, data: { a: "2" }, immutable: true };
      return await ready(opened).target.apply(at(object), changed, { isDryRun: false, isReplaced });
    });
  const refused = await apply(false);
  assert.equal(refused.kind === "problem" && refused.reason, "Immutable");
  assert.equal((await apply(true)).kind, "applied");
  const place = { apiVersion: "v1", kind: "ConfigMap", namespace: tenant, name: "a" };
  const live = await rig.memory.read(place);
  assert.notEqual(live?.metadata.uid, created.metadata.uid);
  assert.equal(textAt(live, "data", "a"), "2");
});

test("other work runs while very many objects of this server are read and compared", async () => {
  await using rig = await openTargetRig();
  await allow(rig, ["configmaps"]);
  const object = map("long", tenant, { text: "x".repeat(100_000) });
  const many = Array.from({ length: 500 }, () => at(object));
  const found = await rig.inRun(async (opened) => {
    const { target } = ready(opened);
    const applied = await target.apply(at(object), object, { isDryRun: false });
    let turns = 0;
    const wait = (): void => void nextTurn("namespace other").then(() => (turns += 1));
    wait();
    const read = await target.read(many);
    const whileRead = turns;
    wait();
    for (const one of many.slice(0, 100)) await target.apply(one, object, { isDryRun: true });
    return { kinds: [applied.kind, read.kind], turns: [whileRead, turns] };
  });
  assert.deepEqual(found, { kinds: ["applied", "objects"], turns: [1, 2] });
});
