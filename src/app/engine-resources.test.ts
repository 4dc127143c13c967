// Children of a reconciled resource: how they are placed, owned, fenced, and whom they are never
// taken from.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Resources } from "../engine/ports.ts";
import type { ChildDocument } from "../engine/reconciler.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { Resource, ResourceKey } from "../kernel/resource.ts";
import type { ClaimRef } from "../store/port.ts";
import { engineResources } from "../bridge/engine-resources.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane, Place } from "./memory-plane.ts";
import type { Cause } from "../kernel/cause.ts";
import { systemCause } from "../kernel/cause.ts";

let memory: MemoryPlane;
let resources: Resources;

const group = "tests.example.dev";
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

before(async () => {
  memory = await openMemoryPlane();
  const { intents } = memory.plane;
  resources = engineResources({ intents, recordEvent: () => Promise.resolve() });
  await memory.create(definition("things", "Thing", "Namespaced"));
  await memory.create(definition("planets", "Planet", "Cluster"));
  const annotations = { "setpoint.dev/weight": "7" };
  await memory.create(namespace("other", annotations));
  await memory.create(namespace("odd", { "setpoint.dev/weight": "101" }));
});

after(async () => {
  await memory[Symbol.asyncDispose]();
});

function definition(plural: string, kind: string, scope: string): JsonObject {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: anything } } };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const annotations = { "setpoint.dev/reconciled": "true" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations },
    spec: { group, scope, names: { plural, kind }, versions },
  };
}

function namespace(name: string, annotations: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, annotations } };
}

interface Owned {
  readonly owner: Resource;
  readonly ownerKey: ResourceKey;
  readonly claim: ClaimRef;
  readonly cause: Cause;
}

/** An owner whose claim is held for a minute. */
async function owner(name: string, kind = "Thing"): Promise<Owned> {
  const where = kind === "Thing" ? { namespace: "default" } : {};
  const object = { apiVersion: `${group}/v1`, kind, metadata: { name, ...where } };
  const made = await memory.create(object);
  const kinds = [`${kind === "Thing" ? "things" : "planets"}.${group}`];
  const claims = await memory.store.claim({ owner: "test", kinds, limit: 9, leaseMs: 60_000 });
  const claim = claims.find(({ uid }) => uid === made.metadata.uid);
  assert.ok(claim !== undefined);
  const { key: ownerKey, token } = claim;
  return { owner: made, ownerKey, claim: { key: ownerKey, token }, cause: systemCause };
}

function configMap(name: string, data: Json, more: object = {}): ChildDocument {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}

function at(name: string, where = "default"): Place {
  return { apiVersion: "v1", kind: "ConfigMap", namespace: where, name };
}

const refusedAs =
  (code: ErrorCode, words: RegExp) =>
  (error: unknown): boolean =>
    isSetpointError(error, code) && words.test(error.message);

describe("a child", () => {
  it("is created, owned, brought back to what is wanted, and deleted", async () => {
    const own = await owner("one");
    const made = await resources.applyChild({ ...own, document: configMap("one", { a: "1" }) });
    const { name, uid } = own.owner.metadata;
    const reference = { apiVersion: `${group}/v1`, kind: "Thing", name, uid };
    assert.deepEqual(made.metadata.ownerReferences, [
      { ...reference, controller: true, blockOwnerDeletion: true },
    ]);
    assert.equal(made.metadata.namespace, "default");
    await memory.patch(at("one"), { data: { a: "changed", b: "mine" } });
    const next = await resources.applyChild({ ...own, document: configMap("one", { a: "2" }) });
    assert.deepEqual(next["data"], { a: "2", b: "mine" }, "fields of others stay");
    const again = await resources.applyChild({ ...own, document: configMap("one", { a: "2" }) });
    assert.equal(again.metadata.resourceVersion, next.metadata.resourceVersion, "nothing new");
    const key = { kind: "configmaps", namespace: "default", name: "one" };
    assert.equal(await resources.deleteChild({ ...own, key }), true);
    assert.equal(await memory.read(at("one")), undefined);
    assert.equal(await resources.deleteChild({ ...own, key }), false);
  });

  it("is not written once the claim on the owner is lost", async () => {
    const own = await owner("late");
    await resources.applyChild({ ...own, document: configMap("late", { a: "1" }) });
    memory.surroundings.clock.advanceMs(60_001);
    const change = { ...own, document: configMap("late", { a: "2" }) };
    const lost = refusedAs("claim.lost", /./);
    await assert.rejects(resources.applyChild(change), lost);
    const fresh = { ...own, document: configMap("late-too", {}) };
    await assert.rejects(resources.applyChild(fresh), lost);
    const key = { kind: "configmaps", namespace: "default", name: "late" };
    await assert.rejects(resources.deleteChild({ ...own, key }), lost);
    const left = await memory.read(at("late"));
    assert.deepEqual(left?.["data"], { a: "1" });
  });

  it("is never taken from nobody or from another owner", async () => {
    await memory.create({ ...configMap("free", {}, { namespace: "default" }) });
    const [first, second] = [await owner("first"), await owner("second")];
    const free = { ...first, document: configMap("free", {}) };
    await assert.rejects(
      resources.applyChild(free),
      refusedAs("resource.not_owned", /^configmaps "default\/free" exists and belongs to no owner/),
    );
    await resources.applyChild({ ...first, document: configMap("shared", {}) });
    const words = /exists and belongs to Thing "first", not to Thing "second"/;
    const taken = { ...second, document: configMap("shared", {}) };
    await assert.rejects(resources.applyChild(taken), refusedAs("resource.not_owned", words));
    const key = { kind: "configmaps", namespace: "default", name: "shared" };
    await assert.rejects(
      resources.deleteChild({ ...second, key }),
      refusedAs("resource.not_owned", words),
    );
  });

  it("that was orphaned is taken back by an owner of the same kind", async () => {
    const first = await owner("parent");
    await resources.applyChild({ ...first, document: configMap("orphan", { a: "1" }) });
    await memory.patch(at("orphan"), { metadata: { ownerReferences: null } });
    const second = await owner("foster");
    const change = { ...second, document: configMap("orphan", { a: "2" }) };
    const taken = await resources.applyChild(change);
    assert.equal(taken.metadata.ownerReferences?.[0]?.name, "foster");
  });
});

describe("the place of a child", () => {
  it("is the namespace of its owner, and no other", async () => {
    const own = await owner("placed");
    const elsewhere = { ...own, document: configMap("x", {}, { namespace: "other" }) };
    await assert.rejects(
      resources.applyChild(elsewhere),
      refusedAs("request.invalid", /in namespace other cannot be owned from namespace default/),
    );
    const planet = { apiVersion: `${group}/v1`, kind: "Planet", metadata: { name: "x" } };
    await assert.rejects(
      resources.applyChild({ ...own, document: planet }),
      refusedAs("request.invalid", /is cluster-scoped and cannot have a namespaced owner/),
    );
  });

  it("is anywhere for an owner that is in no namespace, but must be said", async () => {
    const own = await owner("earth", "Planet");
    const document = configMap("x", {}, { namespace: "other" });
    const made = await resources.applyChild({ ...own, document });
    assert.equal(made.metadata.namespace, "other");
    await assert.rejects(
      resources.applyChild({ ...own, document: configMap("x", {}) }),
      refusedAs("request.invalid", /needs a namespace/),
    );
  });

  it("must be served", async () => {
    const own = await owner("lost");
    const document = { apiVersion: "nowhere.dev/v1", kind: "Nothing", metadata: { name: "x" } };
    await assert.rejects(
      resources.applyChild({ ...own, document }),
      /ReconcileFailure: no kind Nothing is served in nowhere.dev\/v1; install its definition/,
    );
  });
});

describe("what the engine asks of kinds and namespaces", () => {
  it("is answered from what is served", () => {
    assert.equal(resources.kindOf(`${group}/v1`, "Thing"), `things.${group}`);
    assert.equal(resources.kindOf("v1", "ConfigMap"), "configmaps");
    assert.equal(resources.kindOf("v2", "ConfigMap"), undefined);
    assert.equal(resources.isNamespaced(`planets.${group}`), false);
    assert.equal(resources.isNamespaced("configmaps"), true);
    assert.equal(resources.isNamespaced("nothing.example.dev"), undefined);
  });

  it("gives a namespace the weight of its annotation when that makes sense", () => {
    assert.equal(resources.weightOf("other"), 7);
    assert.equal(resources.weightOf("odd"), 1);
    assert.equal(resources.weightOf("default"), 1);
    assert.equal(resources.weightOf("nowhere"), 1);
  });
});
