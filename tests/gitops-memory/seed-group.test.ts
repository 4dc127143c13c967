// The kinds of managed-gitops.redhat.com: a second form of the same resources.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { systemCaller, systemOptions, targetFor } from "../../src/intents/bootstrap.ts";
import { applyResource } from "../../src/intents/write/apply.ts";
import { readStored } from "../../src/intents/write/stored.ts";
import { objectAt, objectsAt, textAt, valueAt } from "../../src/kernel/json-read.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Resource } from "../../src/kernel/resource.ts";
import { seedDefinitions } from "../../src/modules/gitops/cli/definitions.ts";
import { openFakes } from "./fakes.ts";
import { openRig } from "./rig.ts";
import type { Rig } from "./rig.ts";
import { commit, configMap, key, source } from "./scene.ts";

const apiVersion = "managed-gitops.redhat.com/v1alpha1";
const kind = "GitOpsDeployment";
const namespace = "jane";
const metadata = { name: "shop", namespace };
const at = { apiVersion, kind, ...metadata };

async function create(rig: Rig, more: JsonObject = {}): Promise<Resource> {
  const spec = { source, type: "automated", ...more };
  return await rig.memory.create({ apiVersion, kind, metadata, spec });
}

/** As a client of the form reads it. */
async function shown(rig: Rig): Promise<Resource> {
  const { kinds, store } = rig.memory.plane.intents;
  const found = kinds.findKind("managed-gitops.redhat.com", "v1alpha1", kind);
  assert.ok(found);
  const record = await store.get({ kind: found.served.id, namespace, name: "shop" });
  assert.ok(record);
  return await readStored(found.served, found.version, record);
}

/** One line for each field: its path, its type, and what else the schema states about it. */
function fields(path: string, schema: JsonObject, isRequired = false): readonly string[] {
  const inner = new Set(["type", "format", "properties", "items", "required"]);
  const rules = Object.entries(schema)
    .filter(([name]) => !inner.has(name) && name !== "additionalProperties")
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const facts = [textAt(schema, "type"), textAt(schema, "format"), isRequired ? "required" : ""];
  const required = (schema["required"] ?? []) as readonly string[];
  const line = [path, ...[...facts, ...rules].filter((fact) => fact !== "")].join(" ");
  const below = Object.entries(objectAt(schema, "properties")).flatMap(([name, each]) =>
    fields(`${path}.${name}`, each as JsonObject, required.includes(name)),
  );
  const items = objectAt(schema, "items");
  const values = objectAt(schema, "additionalProperties");
  return [
    line,
    ...below,
    ...("type" in items ? fields(`${path}[]`, items) : []),
    ...("type" in values ? fields(`${path}.*`, values) : []),
  ];
}

test("the exported definitions equal those of managed-gitops field for field", () => {
  const file = join(import.meta.dirname, "seed-fields.txt");
  const wanted = readFileSync(file, "utf8").trim().split("\n").toSorted();
  const found = seedDefinitions().flatMap((definition) => {
    const spec = objectAt(definition, "spec");
    const names = objectAt(spec, "names");
    const [group, scope] = [textAt(spec, "group"), textAt(spec, "scope")];
    const [version = {}] = objectsAt(definition, "spec", "versions");
    const hasStatus = "status" in objectAt(version, "subresources");
    const columns = JSON.stringify(version["additionalPrinterColumns"] ?? []);
    const about = [
      `${textAt(names, "plural")}.${group} ${scope} ${textAt(names, "kind")}`,
      `${textAt(names, "listKind")} ${textAt(names, "singular")} `,
      `${textAt(version, "name")} status=${hasStatus} columns=${columns}`,
    ].join(" ");
    const schema = objectAt(version, "schema", "openAPIV3Schema");
    return fields(textAt(names, "kind"), schema).concat(about);
  });
  const plain = (line: string): string =>
    line.replace(/columns=(.*)$/, (_, json: string) =>
      JSON.stringify(
        (JSON.parse(json) as readonly JsonObject[]).map(({ name, jsonPath }) => [name, jsonPath]),
      ),
    );
  assert.deepEqual(found.map(plain).toSorted(), wanted.map(plain));
});

test("a deployment of the other group is synced, and shows its status in both forms", async () => {
  const fakes = openFakes();
  await using rig = await openRig({ seedGroup: true }, fakes);
  commit(fakes, "a", [configMap("one"), configMap("two")]);
  await create(rig);
  await rig.pass(5_000);
  assert.ok(fakes.target.objects.has(key("one")));
  const own = await rig.read(kind, "shop");
  const seed = await shown(rig);
  assert.equal(seed.apiVersion, apiVersion);
  assert.equal(seed.metadata.uid, own?.metadata.uid);
  assert.equal(textAt(seed, "status", "sync", "status"), "Synced");
  assert.equal(textAt(seed, "status", "operationState", "phase"), "Succeeded");
  const operation = objectAt(seed, "status", "operationState", "operation");
  assert.equal(valueAt(operation, "initiatedBy", "automated"), true);
  assert.equal(textAt(operation, "sync", "revision"), "a".repeat(40));
  const [condition = {}] = objectsAt(seed, "status", "conditions");
  assert.equal(condition["lastProbeTime"], condition["lastTransitionTime"]);
  assert.equal(valueAt(seed, "status", "workspaceID"), undefined);
});

test("an automated deployment of the other group may delete its last object", async () => {
  const fakes = openFakes();
  await using rig = await openRig({ seedGroup: true }, fakes);
  commit(fakes, "a", [configMap("one")]);
  await create(rig);
  await rig.pass(5_000);
  commit(fakes, "b", []);
  await rig.memory.patch(at, { metadata: { annotations: { changed: "1" } } });
  await rig.patch(kind, "shop", { spec: { ignoreDifferences: [{ kind: "None" }] } });
  await rig.pass(5_000);
  assert.equal(fakes.target.objects.size, 0);
  assert.equal(textAt(await shown(rig), "status", "sync", "status"), "Synced");
});

test("an update in the other form keeps the fields that only this group has", async () => {
  await using rig = await openRig({ seedGroup: true }, openFakes());
  const syncPolicy = { syncOptions: ["CreateNamespace=true"], selfHeal: false, allowEmpty: false };
  const spec = { source: { ...source, intervalSeconds: 60 }, type: "manual", syncPolicy };
  await rig.create(kind, "shop", { ...spec, serviceAccountName: "deployer" });
  assert.equal(valueAt(await shown(rig), "spec", "serviceAccountName"), undefined);
  assert.equal(valueAt(await shown(rig), "spec", "source", "intervalSeconds"), undefined);
  await rig.memory.patch(at, { spec: { source: { path: "other" }, syncPolicy: null } });
  const own = await rig.read(kind, "shop");
  assert.deepEqual(own?.spec, {
    source: { ...source, path: "other", intervalSeconds: 60 },
    type: "manual",
    serviceAccountName: "deployer",
    syncPolicy: { selfHeal: false, allowEmpty: false },
  });
  assert.equal(own?.apiVersion, "gitops.setpoint.dev/v1");
  assert.equal(own?.metadata.generation, 2);
});

interface Applied {
  readonly by: string;
  readonly apiVersion: string;
  readonly spec: JsonObject;
}

async function apply(rig: Rig, { by, ...sent }: Applied): Promise<void> {
  const { intents } = rig.memory.plane;
  const value = { ...sent, kind, metadata };
  const { target } = targetFor(intents, value);
  await applyResource(intents, {
    caller: systemCaller,
    target: { ...target, name: metadata.name },
    body: () => ({ value, problems: [] }),
    options: { ...systemOptions, fieldManager: by },
    force: false,
  });
}

test("fields that were applied in one form stay owned when the other one is written", async () => {
  await using rig = await openRig({ seedGroup: true }, openFakes());
  const own = "gitops.setpoint.dev/v1";
  const ownSpec = { source, type: "manual", serviceAccountName: "deployer" };
  await apply(rig, { by: "one", apiVersion: own, spec: ownSpec });
  const syncPolicy = { syncOptions: ["CreateNamespace=true"] };
  await apply(rig, { by: "two", apiVersion, spec: { syncPolicy } });
  await rig.patch(kind, "shop", { metadata: { labels: { changed: "1" } } });
  const entries = objectsAt((await rig.read(kind, "shop"))?.metadata, "managedFields");
  const spec = (by: string): JsonObject =>
    objectAt(
      entries.find(({ manager }) => manager === by),
      "fieldsV1",
      "f:spec",
    );
  assert.deepEqual(Object.keys(spec("one")), ["f:serviceAccountName", "f:source", "f:type"]);
  assert.deepEqual(Object.keys(spec("two")), ["f:syncPolicy"]);
  const conflict = { code: "apply.conflict" };
  const other = { by: "three", spec: { type: "automated" } };
  await assert.rejects(apply(rig, { ...other, apiVersion }), conflict);
  await assert.rejects(apply(rig, { ...other, apiVersion: own }), conflict);
  const options = { syncPolicy: { syncOptions: ["CreateNamespace=false"] } };
  await assert.rejects(apply(rig, { by: "one", apiVersion: own, spec: options }), conflict);
});

test("the rules of this group hold for the other form", async () => {
  await using rig = await openRig({ seedGroup: true }, openFakes());
  await assert.rejects(create(rig, { type: "sometimes" }), /spec\.type: Unsupported value/);
  const syncPolicy = { syncOptions: ["CreateNamespace=maybe"] };
  await assert.rejects(create(rig, { syncPolicy }), /syncOptions\[0\]: Unsupported value/);
  const destination = { namespace: "shop" };
  await assert.rejects(create(rig, { destination }), /set destination\.environment/);
  await assert.rejects(create(rig, { pin: { revision: "a" } }), /unknown field "spec\.pin"/);
  await create(rig);
  await assert.rejects(
    rig.memory.patch(at, { spec: { type: "sometimes" } }),
    /spec\.type: Unsupported value/,
  );
});

test("deletion in the other form deletes the resource, and its definition none", async () => {
  await using rig = await openRig({ seedGroup: true }, openFakes());
  await create(rig);
  await rig.create(kind, "kept", { source, type: "manual" });
  await rig.memory.remove(at);
  await rig.pass(5_000);
  assert.equal(await rig.read(kind, "shop"), undefined);
  await rig.memory.remove({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    name: "gitopsdeployments.managed-gitops.redhat.com",
  });
  await rig.pass(5_000);
  const { kinds } = rig.memory.plane.intents;
  assert.equal(kinds.findKind("managed-gitops.redhat.com", "v1alpha1", kind), undefined);
  assert.ok(await rig.read(kind, "kept"));
});

test("the other form is served only while the kind that is stored is served", async () => {
  await using rig = await openRig({ seedGroup: true }, openFakes());
  const { kinds } = rig.memory.plane.intents;
  const name = "gitopsdeployments.gitops.setpoint.dev";
  const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const isServed = (): boolean =>
    kinds.findKind("managed-gitops.redhat.com", "v1alpha1", kind) !== undefined;
  const { spec, metadata: given } =
    (await rig.memory.read({ ...definition, name })) ?? assert.fail();
  await rig.memory.remove({ ...definition, name });
  await rig.pass(5_000);
  assert.equal(kinds.find("gitops.setpoint.dev", "v1", "gitopsdeployments"), undefined);
  assert.ok(!isServed());
  const { annotations = {} } = given;
  await rig.memory.create({ ...definition, metadata: { name, annotations }, spec: spec ?? {} });
  await rig.pass(5_000);
  assert.ok(isServed());
});

test("the other group is not served unless the configuration states it", async () => {
  await using rig = await openRig({}, openFakes());
  await assert.rejects(create(rig), /managed-gitops\.redhat\.com/);
});
