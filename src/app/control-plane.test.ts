// What the write path promises to the engine, on a store in memory with time that stands still:
// every accepted write of a reconciled kind is due at once, and a worker's write is refused once
// its claim is lost.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { systemCaller, systemOptions, targetFor } from "../intents/bootstrap.ts";
import type { Target, WriteOptions, Written } from "../intents/request.ts";
import { applyResource } from "../intents/write/apply.ts";
import { createResource } from "../intents/write/create.ts";
import { deleteResource } from "../intents/write/delete.ts";
import { patchResource } from "../intents/write/patch.ts";
import { manualClock } from "../kernel/clock.ts";
import { isSetpointError } from "../kernel/errors.ts";
import { seededIds } from "../kernel/ids.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { manualTimers } from "../kernel/manual-timers.ts";
import { seededRandom } from "../kernel/random.ts";
import { ModelStore } from "../store/contract/model.ts";
import type { Claim, ClaimRef } from "../store/port.ts";
import { logger } from "../telemetry/log.ts";
import { openControlPlane } from "./control-plane.ts";
import type { ControlPlane } from "./control-plane.ts";

const clock = manualClock();
const random = seededRandom(1);
const store = new ModelStore(clock);
let plane: ControlPlane;

before(async () => {
  const surroundings = { clock, timers: manualTimers(clock), random, ids: seededIds(random) };
  plane = await openControlPlane(
    store,
    logger(() => undefined, clock, "error"),
    { surroundings },
  );
  await create(definition("things", { "setpoint.dev/reconciled": "true" }));
  await create(definition("others", {}));
});

after(async () => {
  await plane[Symbol.asyncDispose]();
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

async function create(object: JsonObject, options: WriteOptions = systemOptions): Promise<Written> {
  const { target } = targetFor(plane.intents, object);
  const input = { caller: systemCaller, target, body: object, options, decodeProblems: [] };
  return await createResource(plane.intents, input);
}

function at(name: string, subresource = ""): Target {
  return { ...targetFor(plane.intents, thing(name)).target, name, subresource };
}

async function patch(target: Target, value: Json, claim?: ClaimRef): Promise<Written> {
  const options = claim === undefined ? systemOptions : { ...systemOptions, claim };
  const body = (): { value: Json; problems: [] } => ({ value, problems: [] });
  const input = { caller: systemCaller, target, type: "merge" as const, body, options };
  return await patchResource(plane.intents, input);
}

async function remove(target: Target, claim?: ClaimRef): Promise<Written> {
  const own = claim === undefined ? {} : { claim };
  const options = { isDryRun: false, propagation: undefined, preconditions: {}, raw: {}, ...own };
  return await deleteResource(plane.intents, { caller: systemCaller, target, options });
}

async function claimDue(kind = "things"): Promise<readonly Claim[]> {
  const kinds = [`${kind}.${group}`];
  return await store.claim({ owner: "test", kinds, limit: 10, leaseMs: 1_000 });
}

async function settle(claims: readonly Claim[]): Promise<void> {
  const due = { kind: "release", attempts: "reset" } as const;
  const when = { kind: "exists" } as const;
  for (const { key, token } of claims) {
    await store.commit([{ kind: "schedule", key, when, claim: { key, token }, due }]);
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
    await create(thing("a", "Thing", { finalizers: ["example.dev/held"] }));
    assert.deepEqual(await dueNames(), ["a"], "created");
    await patch(at("a"), { spec: { size: 2 } });
    assert.deepEqual(await dueNames(), ["a"], "changed");
    await patch(at("a"), { metadata: { annotations: { "setpoint.dev/reconcile": "1" } } });
    assert.deepEqual(await dueNames(), ["a"], "annotated");
    await patch(at("a", "status"), { status: { seen: 1 } });
    assert.deepEqual(await dueNames(), ["a"], "status");
    const value = { ...thing("a"), spec: { applied: true } };
    await applyResource(plane.intents, {
      caller: systemCaller,
      target: at("a"),
      body: () => ({ value, problems: [] }),
      options: systemOptions,
      force: true,
    });
    assert.deepEqual(await dueNames(), ["a"], "applied");
    await remove(at("a"));
    assert.deepEqual(await dueNames(), ["a"], "marked for deletion");
  });

  it("that changes nothing wakes nothing, and neither does a dry run", async () => {
    await create(thing("b"));
    assert.deepEqual(await dueNames(), ["b"]);
    await patch(at("b"), { spec: { size: 1 } });
    await create(thing("c"), { ...systemOptions, isDryRun: true });
    assert.deepEqual(await dueNames(), []);
  });

  it("is kept for later while a worker holds the resource", async () => {
    await create(thing("d"));
    const claims = await claimDue();
    await patch(at("d"), { spec: { size: 3 } });
    assert.deepEqual(await claimDue(), []);
    await settle(claims);
    assert.deepEqual(await dueNames(), ["d"]);
  });

  it("and of no other kind", async () => {
    await create(thing("e", "Other"));
    assert.deepEqual(await claimDue("others"), []);
  });
});

describe("a write on behalf of a worker", () => {
  it("is refused as such once the claim is lost", async () => {
    await create(thing("parent"));
    const [claim] = await claimDue();
    assert.ok(claim !== undefined);
    const { key, token } = claim;
    const held = { key, token };
    await create(thing("child"), { ...systemOptions, claim: held });
    clock.advanceMs(1_001);
    const isLost = (error: unknown): boolean => isSetpointError(error, "claim.lost");
    await assert.rejects(create(thing("late"), { ...systemOptions, claim: held }), isLost);
    await assert.rejects(patch(at("child"), { spec: { size: 9 } }, held), isLost);
    await assert.rejects(remove(at("child"), held), isLost);
    await patch(at("child"), { spec: { size: 9 } });
    await remove(at("child"));
  });
});
