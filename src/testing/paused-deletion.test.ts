// What is deleted while it is paused, in a whole server: nothing happens to it or to what it owns
// until it is set free, whether or not its kind has something to take back.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineModule, describeKind, done } from "../authoring/setpoint.ts";
import type { Context, Outcome } from "../authoring/setpoint.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Resource } from "../kernel/resource.ts";
import { startTestServer } from "./testing.ts";
import type { TestServer } from "./testing.ts";

const apiVersion = "tests.example.dev/v1";
const campaign = { apiVersion, kind: "Campaign", name: "spring" };
const crate = { apiVersion, kind: "Crate", name: "one" };
const child = { apiVersion: "v1", kind: "ConfigMap", name: "spring-plan" };
const paused = "setpoint.dev/paused";
const free = { metadata: { annotations: { [paused]: null } } };

/** A Campaign owns a ConfigMap and has nothing to take back; a Crate has. */
async function start(removed: string[] = []): Promise<TestServer> {
  const kindOf = (kind: string, plural: string): ReturnType<typeof describeKind> =>
    describeKind({ apiVersion, kind, plural, spec: { type: "object" } });
  const reconcile = async ({ metadata }: Resource, { children }: Context): Promise<Outcome> => {
    const name = `${metadata.name}-plan`;
    await children.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    return done();
  };
  const remove = async ({ metadata }: Resource): Promise<Outcome> => {
    removed.push(metadata.name);
    return done();
  };
  const kinds = [
    { kind: kindOf("Campaign", "campaigns"), reconciler: { reconcile } },
    { kind: kindOf("Crate", "crates"), reconciler: { reconcile: async () => done(), remove } },
  ];
  return await startTestServer(defineModule({ name: "shop", version: 1, kinds }));
}

function object({ kind, name }: typeof campaign, metadata: JsonObject = {}): JsonObject {
  return { apiVersion, kind, metadata: { name, ...metadata }, spec: {} };
}

const pause = (value: string): JsonObject => ({ annotations: { [paused]: value } });

describe("what is deleted while it is paused", () => {
  it("is kept with all that it owns until it is set free, then both go", async () => {
    await using server = await start();
    await server.apply(object(campaign));
    await server.pass();
    await server.patch(campaign, { metadata: pause("true") });
    assert.equal(await server.delete(campaign), true);
    await server.pass(60_000);
    const held = await server.get(campaign);
    assert.deepEqual(held?.metadata.finalizers, [paused]);
    assert.ok(held?.metadata.deletionTimestamp);
    assert.ok(await server.get(child), "what it owns is not collected");
    await server.delete(campaign);
    assert.deepEqual((await server.get(campaign))?.metadata.finalizers, [paused]);
    await server.patch(campaign, free);
    await server.pass(10_000);
    assert.equal(await server.get(campaign), undefined);
    assert.equal(await server.get(child), undefined);
  });

  it("keeps what it owns in the foreground, too", async () => {
    await using server = await start();
    await server.apply(object(campaign, { finalizers: ["foregroundDeletion"] }));
    await server.pass();
    await server.patch(campaign, { metadata: pause("true") });
    await server.delete(campaign);
    await server.pass(60_000);
    assert.ok(await server.get(campaign));
    assert.equal((await server.get(child))?.metadata.deletionTimestamp, undefined);
    await server.patch(campaign, free);
    await server.pass(20_000);
    assert.equal(await server.get(child), undefined);
    assert.equal(await server.get(campaign), undefined);
  });

  it("is not taken back when nothing was ever done for it", async () => {
    const removed: string[] = [];
    await using server = await start(removed);
    await server.apply(object(crate, pause("true")));
    await server.pass();
    await server.delete(crate);
    await server.pass();
    assert.deepEqual((await server.get(crate))?.metadata.finalizers, [paused]);
    await server.patch(crate, free);
    await server.pass();
    assert.equal(await server.get(crate), undefined);
    assert.deepEqual(removed, []);
  });

  it("is taken back once it is set free, where something was done", async () => {
    const removed: string[] = [];
    await using server = await start(removed);
    await server.apply(object(crate));
    await server.pass();
    await server.patch(crate, { metadata: pause("true") });
    await server.delete(crate);
    await server.pass();
    assert.deepEqual((await server.get(crate))?.metadata.finalizers, ["setpoint.dev/reconciler"]);
    assert.deepEqual(removed, []);
    await server.patch(crate, free);
    await server.pass();
    assert.deepEqual(removed, ["one"]);
    assert.equal(await server.get(crate), undefined);
  });

  it("goes at once where its kind has no reconciler", async () => {
    await using server = await start();
    const plain = { apiVersion: "v1", kind: "ConfigMap", name: "plain" };
    await server.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "plain", ...pause("true") },
    });
    await server.delete(plain);
    assert.equal(await server.get(plain), undefined);
  });
});
