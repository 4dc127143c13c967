// What the write path promises to the engine, on a store in memory with time that stands still:
// every accepted write of a reconciled kind is due at once, and a worker's write is refused once
// its claim is lost.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import { applyResource } from "../intents/write/apply.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Claim } from "../store/port.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane, Place } from "./memory-plane.ts";

let memory: MemoryPlane;

before(async () => {
  memory = await openMemoryPlane();
  await memory.create(definition("things", { "setpoint.dev/reconciled": "true" }));
  await memory.create(definition("others", {}));
});

after(async () => {
  await memory[Symbol.asyncDispose]();
});

const group = "tests.example.dev";
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function definition(plural: string, annotations: JsonObject): JsonObject {
  const kind = plural === "things" ? "Thing" : "Other";
  const subresources = {
    status: {},
    scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
  };
  const schema = {
    openAPIV3Schema: { type: "object", properties: { spec: anything, status: anything } },
  };
  const versions = [{ name: "v1", served: true, storage: true, schema, subresources }];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations },
    spec: { group, scope: "Namespaced", names: { plural, kind }, versions },
  };
}

function thing(name: string, kind = "Thing", more: JsonObject = {}): JsonObject {
  const metadata = { name, namespace: "default", ...more };
  return { apiVersion: `${group}/v1`, kind, metadata, spec: { size: 1 } };
}

function at(name: string, subresource = ""): Place {
  return { apiVersion: `${group}/v1`, kind: "Thing", namespace: "default", name, subresource };
}

async function claimDue(kind = "things"): Promise<readonly Claim[]> {
  const kinds = [`${kind}.${group}`];
  return await memory.store.claim({ owner: "test", kinds, limit: 10, leaseMs: 1_000 });
}

async function settle(claims: readonly Claim[]): Promise<void> {
  const due = { kind: "release", attempts: "reset" } as const;
  const when = { kind: "exists" } as const;
  for (const { key, token } of claims) {
    await memory.store.commit([{ kind: "schedule", key, when, claim: { key, token }, due }]);
  }
}

async function dueNames(): Promise<readonly string[]> {
  const claims = await claimDue();
  await settle(claims);
  return claims.map(({ key }) => key.name);
}

describe("a write of a reconciled kind", () => {
  beforeEach(async () => {
    await settle(await claimDue());
  });

  it("makes the resource due in the same commit", async () => {
    await memory.create(thing("a", "Thing", { finalizers: ["example.dev/held"] }));
    assert.deepEqual(await dueNames(), ["a"], "created");
    await memory.patch(at("a"), { spec: { size: 2 } });
    assert.deepEqual(await dueNames(), ["a"], "changed");
    await memory.patch(at("a"), { metadata: { annotations: { "setpoint.dev/reconcile": "1" } } });
    assert.deepEqual(await dueNames(), ["a"], "annotated");
    await memory.patch(at("a", "status"), { status: { seen: 1 } });
    assert.deepEqual(await dueNames(), ["a"], "status");
    const value = { ...thing("a"), spec: { applied: true } };
    const { intents } = memory.plane;
    await applyResource(intents, {
      caller: systemCaller,
      target: { ...targetFor(intents, value).target, name: "a" },
      body: () => ({ value, problems: [] }),
      options: systemOptions,
      force: true,
    });
    assert.deepEqual(await dueNames(), ["a"], "applied");
    await memory.remove(at("a"));
    assert.deepEqual(await dueNames(), ["a"], "marked for deletion");
  });

  it("that changes nothing wakes nothing, and neither does a dry run", async () => {
    await memory.create(thing("b"));
    assert.deepEqual(await dueNames(), ["b"]);
    await memory.patch(at("b"), { spec: { size: 1 } });
    await memory.create(thing("c"), { isDryRun: true });
    assert.deepEqual(await dueNames(), []);
  });

  it("is kept for later while a worker holds the resource", async () => {
    await memory.create(thing("d"));
    const claims = await claimDue();
    await memory.patch(at("d"), { spec: { size: 3 } });
    assert.deepEqual(await claimDue(), []);
    await settle(claims);
    assert.deepEqual(await dueNames(), ["d"]);
  });

  it("and of no other kind", async () => {
    await memory.create(thing("e", "Other"));
    assert.deepEqual(await claimDue("others"), []);
  });
});

describe("a write on behalf of a worker", () => {
  it("is refused as such once the claim is lost", async () => {
    await memory.create(thing("parent"));
    const [claim] = await claimDue();
    assert.ok(claim !== undefined);
    const { key, token } = claim;
    const held = { claim: { key, token } };
    await memory.create(thing("child"), held);
    memory.surroundings.clock.advanceMs(1_001);
    const isLost = (error: unknown): boolean => isSetpointError(error, "claim.lost");
    await assert.rejects(memory.create(thing("late"), held), isLost);
    await assert.rejects(memory.patch(at("child"), { spec: { size: 9 } }, held), isLost);
    const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw: {} };
    const { intents } = memory.plane;
    const target = { ...targetFor(intents, thing("child")).target, name: "child" };
    const removal = { caller: systemCaller, target, options: { ...options, ...held } };
    await assert.rejects(deleteResource(intents, removal), isLost);
    await memory.patch(at("child"), { spec: { size: 9 } });
    assert.equal(await memory.remove(at("child")), true);
  });
});
