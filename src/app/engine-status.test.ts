// What the engine writes into a status: held against the schema, without harm to the engine.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Resources } from "../engine/ports.ts";
import { done } from "../engine/outcome.ts";
import type { Outcome } from "../engine/outcome.ts";
import type { Context, Reconciler } from "../engine/reconciler.ts";
import { conditionsOf, statusOf } from "../engine/run/status.ts";
import { decodeDocument } from "../kernel/document.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";
import { logger } from "../telemetry/log.ts";
import { engineResources } from "../bridge/engine-resources.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane } from "./memory-plane.ts";
import { startReconciling } from "./reconciling.ts";
import { strictModules } from "./user-modules.ts";
import type { Reconciling } from "./reconciling.ts";

const group = "status.example.dev";
const text = { type: "string" };

/** As users write them: nothing about what the engine keeps. */
function definition(plural: string, kind: string, status: JsonObject): JsonObject {
  const schema = { openAPIV3Schema: { type: "object", properties: { status } } };
  const subresources = { status: {} };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations: { "setpoint.dev/reconciled": "true" } },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema, subresources }],
    },
  };
}

const things = `things.${group}`;
const odd = `odds.${group}`;
const place = { apiVersion: `${group}/v1`, kind: "Thing", namespace: "default", name: "run" };
const own = {
  observedGeneration: 1,
  conditions: [{ type: "Ready", status: "True", reason: "Available", message: "" }],
  reconcile: { externalId: "x-1", lastRun: { tookMs: 5 } },
};

let memory: MemoryPlane;
let resources: Resources;

before(async () => {
  memory = await openMemoryPlane({ hasEngine: false });
  const { intents } = memory.plane;
  resources = engineResources({ intents, recordEvent: () => Promise.resolve() });
  const replicas = { type: "integer" };
  await memory.create(
    definition("things", "Thing", { type: "object", properties: { replicas, secret: hidden } }),
  );
  await memory.create(
    definition("odds", "Odd", {
      type: "object",
      required: ["replicas"],
      properties: {
        replicas,
        conditions: { type: "array", items: { type: "object", properties: { reason: word } } },
        reconcile: { type: "object", properties: { attempts: text } },
      },
    }),
  );
});

after(async () => {
  await memory[Symbol.asyncDispose]();
});

const hidden = { type: "string", maxLength: 5, "x-setpoint-field-rule": "secret" };
const word = { type: "string", maxLength: 3 };

async function made(name: string, kind = "Thing"): Promise<Resource> {
  const metadata = { name, namespace: "default" };
  return await memory.create({ apiVersion: `${group}/v1`, kind, metadata });
}

async function drafted(kind: string, resource: Resource, old?: Resource): Promise<JsonObject> {
  const { body } = await resources.draft(kind, resource, old);
  return statusOf(decodeDocument(body, 1));
}

describe("a status that the engine writes", () => {
  after(async () => {
    for (const name of ["wrong", "hiding", "unknown", "same", "kept"]) {
      await memory.remove({ ...place, name });
    }
  });

  it("is refused where the schema forbids it, with the field", async () => {
    const thing = await made("wrong");
    const status = { ...own, replicas: "abc" };
    assert.throws(
      () => resources.draft(things, { ...thing, status }, thing),
      (error: unknown) =>
        isSetpointError(error, "resource.invalid") &&
        error.message.startsWith(
          `Thing.${group} "wrong" is invalid: status.replicas: Invalid value`,
        ),
    );
  });

  it("is refused without showing what is hidden", async () => {
    const thing = await made("hiding");
    const status = { ...own, secret: "HUNTER-22" };
    assert.throws(
      () => resources.draft(things, { ...thing, status }, thing),
      (error: unknown) => error instanceof Error && !error.message.includes("HUNTER"),
    );
  });

  it("loses what the schema does not know, but nothing of the engine", async () => {
    const thing = await made("unknown");
    const status = { ...own, replicas: 3, strange: { a: 1 } };
    const stored = await drafted(things, { ...thing, status }, thing);
    assert.deepEqual(stored, { ...own, replicas: 3 });
  });

  it("is not looked at again when it stays as it is", async () => {
    const thing = await made("same");
    const old = { ...thing, status: { ...own, replicas: "abc", strange: 1 } };
    assert.deepEqual(await drafted(things, { ...old }, old), old.status);
  });

  it("may keep what was wrong before", async () => {
    const thing = await made("kept");
    const old = { ...thing, status: { ...own, replicas: "abc" } };
    const next = { ...old.status, observedGeneration: 2 };
    assert.deepEqual(await drafted(things, { ...old, status: next }, old), next);
  });

  it("may say what the engine has to say under any schema", async () => {
    const odds = await made("odd", "Odd");
    const stored = await drafted(odd, { ...odds, status: own }, odds);
    assert.deepEqual(stored["reconcile"], own.reconcile);
    assert.deepEqual(stored["conditions"], [{ reason: "Available" }], "as far as it is declared");
  });
});

/** A worker whose only reconciler is this one. */
async function running(
  reconcile: Reconciler["reconcile"],
  more: Partial<Reconciler> = {},
): Promise<Reconciling> {
  const { plane, surroundings } = memory;
  const kinds = [{ id: things, reconciler: { kind: things, reconcile, ...more } }];
  const modules = strictModules([
    { file: "things.ts", name: "things", version: 1, kinds, systems: {} },
  ]);
  const bounds = { slots: undefined, perNamespace: undefined, leaseMs: undefined };
  const config = { isWorker: true, ...bounds, graceMs: 0 };
  const log = logger(() => undefined, surroundings.clock);
  return await startReconciling({ plane, modules, config, surroundings, log });
}

it("fields that a kind does not have are no reason to write a settled resource again", async () => {
  const { surroundings, store } = memory;
  let runs = 0;
  const reconcile = async (_resource: Resource, context: Context): Promise<Outcome> => {
    runs += 1;
    await context.status.patch({ replicas: 3, strange: { a: 1 } });
    return done({ status: { replicas: 3, unheard: true, secret: "abc" } });
  };
  await using engine = await running(reconcile, { resyncMs: 60_000 });
  assert.ok(engine.worker !== undefined);
  await made("settled");
  await surroundings.timers.advance(1_000);
  const settled = { ...place, name: "settled" };
  const first = (await memory.read(settled)) ?? assert.fail();
  assert.equal(statusOf(first)["replicas"], 3);
  const { revision } = await store.head();
  await surroundings.timers.advance(600_000);
  assert.ok(runs > 5, `${runs} runs`);
  const { changes } = await store.changes(revision, undefined, { kinds: [things] });
  assert.deepEqual(changes, []);
  await memory.remove(settled);
});

async function droppedEvents(name: string): Promise<readonly Resource[]> {
  const { records } = await memory.store.list({ kind: "events" });
  return records
    .map(({ body, revision }) => decodeDocument(body, revision))
    .filter((event) => event["reason"] === "StatusFieldDropped")
    .filter((event) => textAt(event["involvedObject"], "name") === name);
}

it("a field that a kind does not have is reported on a resource that is settled", async () => {
  const { surroundings } = memory;
  let isWrong = false;
  let wrongRuns = 0;
  const reconcile = async (): Promise<Outcome> => {
    if (isWrong) wrongRuns += 1;
    return done({ status: { replicas: 3, ...(isWrong ? { unheard: true } : {}) } });
  };
  await using engine = await running(reconcile, { resyncMs: 60_000 });
  assert.ok(engine.worker !== undefined);
  await made("calm");
  await surroundings.timers.advance(1_000);
  assert.deepEqual(await droppedEvents("calm"), []);
  isWrong = true;
  await surroundings.timers.advance(600_000);
  assert.ok(wrongRuns > 5, `${wrongRuns} runs`);
  const [event, ...more] = await droppedEvents("calm");
  assert.match(textAt(event, "message"), /does not have it: status\.unheard$/);
  assert.deepEqual(more, []);
  await memory.remove({ ...place, name: "calm" });
});

it("fields that a kind does not have are reported once on the resource", async () => {
  const { surroundings } = memory;
  let runs = 0;
  const reconcile = async (): Promise<Outcome> => {
    runs += 1;
    return done({ status: { replicas: runs, unheard: true, conditions: [] } });
  };
  await using engine = await running(reconcile, { resyncMs: 60_000 });
  assert.ok(engine.worker !== undefined);
  await made("dropping");
  await surroundings.timers.advance(600_000);
  assert.ok(runs > 5, `${runs} runs, each with another status`);
  const events = await droppedEvents("dropping");
  const [event] = events;
  assert.equal(events.length, 1);
  assert.equal(event?.["type"], "Warning");
  assert.match(
    textAt(event, "message"),
    /the schema of the kind does not have it: status\.unheard$/,
  );
  assert.equal(event["count"] ?? 1, 1);
  await memory.remove({ ...place, name: "dropping" });
});

it("a refused status is told, and keeps nobody from editing, not even strictly", async () => {
  const { surroundings } = memory;
  const reconcile = async ({ metadata }: Resource): Promise<Outcome> =>
    metadata.annotations === undefined
      ? done({ status: { replicas: "abc", strange: 1 } })
      : done({ status: { replicas: 2 } });
  await using engine = await running(reconcile);
  assert.ok(engine.worker !== undefined);
  await made("run");
  await surroundings.timers.advance(1_000);
  const refused = statusOf((await memory.read(place)) ?? assert.fail());
  const synced = conditionsOf(refused).find(({ type }) => type === "Synced");
  assert.equal(synced?.reason, "StatusRefused");
  assert.match(synced.message, /status\.replicas/);
  const metadata = { labels: { a: "b" } };
  const edited = await memory.patch(place, { metadata }, { fieldValidation: "Strict" });
  assert.deepEqual(statusOf(edited), refused, "an edit takes nothing from the engine");
  await memory.patch(place, { metadata: { annotations: { "setpoint.dev/reconcile": "1" } } });
  await surroundings.timers.advance(1_000);
  const better = statusOf((await memory.read(place)) ?? assert.fail());
  assert.equal(better["replicas"], 2);
});
