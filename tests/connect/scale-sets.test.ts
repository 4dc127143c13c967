// The example that the design began with: a set of machines whose capacity an autoscaler owns,
// whose tags are patched, whose PUT goes on after its answer and whose machines are told of
// elsewhere.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Seen } from "../peers/fault-proxy.ts";
import { startScaleSets } from "../peers/scale-sets.ts";
import { apiVersion, definition, restKind } from "./powerdns-kinds.ts";
import { condition } from "../peers/resources.ts";
import { applyDocument, bodiesOf, Resources, startRig } from "./rig.ts";
import type { Rig } from "./rig.ts";

let rig: Rig;
const sets = new Resources(() => rig.server, { apiVersion, kind: "ScaleSet" });
const text = { type: "string" };

const setKind = definition("ScaleSet", {
  type: "object",
  required: ["location"],
  properties: {
    location: { ...text, "x-setpoint-field-rule": "create-only" },
    tags: { type: "object", additionalProperties: text },
    sku: {
      type: "object",
      properties: { name: text, tier: text, capacity: { type: "integer" } },
    },
    properties: {
      type: "object",
      properties: {
        overprovision: { type: "boolean" },
        adminPassword: { ...text, "x-setpoint-field-rule": "secret" },
      },
    },
  },
});

const setBinding = restKind("scalesets", {
  connection: "machines",
  item: "/scaleSets/{name}",
  collection: "/scaleSets",
  identity: { kind: "client", parameter: "name" },
  operations: {
    read: { method: "GET" },
    list: { method: "GET", items: "/value" },
    create: { method: "PUT" },
    replace: { method: "PUT" },
    patch: {
      method: "PATCH",
      style: "merge",
      mediaType: "application/merge-patch+json",
      takes: ["tags", "sku"],
    },
    delete: { method: "DELETE" },
  },
  joins: [{ name: "instanceView", path: "/scaleSets/{name}/instanceView" }],
  ready: "observed.properties.provisioningState == 'Succeeded'",
  fields: [
    { path: "/id", class: "read-only", from: "annotation" },
    { path: "/name", class: "read-only", from: "annotation" },
    { path: "/location", class: "create-only", from: "annotation" },
    { path: "/properties/provisioningState", class: "read-only", from: "annotation" },
    { path: "/properties/uniqueId", class: "read-only", from: "annotation" },
    { path: "/properties/adminPassword", class: "write-only", isSecret: true, from: "annotation" },
  ],
  resyncSeconds: 3_600,
});

before(async () => {
  rig = await startRig(startScaleSets, ({ url }) => [
    {
      apiVersion: "connect.setpoint.dev/v1",
      kind: "Connection",
      metadata: { name: "machines" },
      spec: { baseUrl: url, breaker: { failures: 1_000 } },
    },
    setKind,
    setBinding,
  ]);
});
afterEach(() => rig.proxy.clear());
after(async () => await rig?.[Symbol.asyncDispose]());

const small = (capacity: number, more: JsonObject = {}): JsonObject => ({
  location: "here",
  sku: { name: "small", capacity },
  ...more,
});
const live = async (name: string): Promise<JsonObject | undefined> => {
  const { status, json } = await rig.service.ask("GET", `/scaleSets/${name}`);
  return status === 404 ? undefined : (json as JsonObject);
};
const writes = (name: string, method: string): readonly Seen[] =>
  rig.proxy.writes({ method, path: `/scaleSets/${name}` });

describe("a set of machines", () => {
  it("is ready when its operation has ended, and shows its machines", async () => {
    await sets.create("web", small(3, { tags: { team: "shop" } }));
    const one = await sets.ready("web");
    const observed = one.status?.observed?.["properties"] as JsonObject;
    assert.equal(observed["provisioningState"], "Succeeded");
    assert.equal(one.status?.connect?.operation, undefined);
    assert.match(
      JSON.stringify(one.status?.joined?.["instanceView"]),
      /"code":"ProvisioningState\/succeeded","count":3/,
    );
    assert.equal(writes("web", "PUT").length, 1);
    assert.ok(rig.proxy.requests({ path: /\/operations\// }).length > 0);
  });

  it("gets other tags by PATCH, with nothing else in it, and others' tags stay", async () => {
    await rig.service.ask("PATCH", "/scaleSets/web", { tags: { cost: "42" } });
    await sets.patch("web", { spec: { tags: { team: "web", env: "test" } } });
    await sets.ready("web");
    assert.deepEqual((await live("web"))?.["tags"], { team: "web", env: "test", cost: "42" });
    await sets.patch("web", { spec: { tags: { env: null } } });
    await sets.ready("web");
    assert.deepEqual((await live("web"))?.["tags"], { team: "web", cost: "42" });
    assert.deepEqual(bodiesOf(writes("web", "PATCH")), [
      { tags: { team: "web", env: "test" } },
      { tags: { env: null } },
    ]);
    assert.equal(writes("web", "PUT").length, 1);
  });

  it("is changed by PUT where PATCH does not do, and keeps what others set", async () => {
    await sets.patch("web", { spec: { properties: { overprovision: false } } });
    await sets.ready("web");
    const now = await live("web");
    const { overprovision } = (now?.["properties"] ?? {}) as JsonObject;
    assert.equal(overprovision, false);
    assert.deepEqual(now?.["tags"], { team: "web", cost: "42" });
    assert.equal(writes("web", "PUT").length, 2);
  });

  it("leaves its capacity to the autoscaler", async () => {
    await sets.patch("web", { connect: { leave: ["/sku/capacity"] } });
    await sets.reconcile("web");
    await rig.service.ask("POST", "/autoscaler/web", { capacity: 7 });
    const written = rig.proxy.writes({ path: "/scaleSets/web" }).length;
    const one = await sets.reconcile("web");
    assert.equal(rig.proxy.writes({ path: "/scaleSets/web" }).length, written);
    assert.match(JSON.stringify(one.status?.joined), /"count":7/);
    await sets.patch("web", { spec: { properties: { overprovision: true } } });
    await sets.ready("web");
    assert.deepEqual((await live("web"))?.["sku"], {
      name: "small",
      tier: "Standard",
      capacity: 7,
    });
  });

  it("tells when its machines cannot be asked after, and is ready all the same", async () => {
    const path = "/web/instanceView";
    rig.proxy.on({ path }, { kind: "answer", answer: { status: 500, body: "no idea" } });
    const one = await sets.reconcile("web");
    assert.equal(condition(one, "Ready")?.status, "True");
    assert.match(JSON.stringify(one.status?.joined), /500/);
    rig.proxy.clear();
    const now = await sets.reconcile("web");
    assert.doesNotMatch(JSON.stringify(now.status?.joined), /500/);
  });

  it("takes a word that is sent once and shown never", async () => {
    const word = "correct horse";
    await applyDocument(rig.server, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "admin", namespace: "default" },
      stringData: { password: word },
    });
    const field = "/properties/adminPassword";
    await sets.create("secret", small(1), {
      secrets: [{ field, secret: "admin", key: "password" }],
    });
    await sets.ready("secret");
    for (let round = 0; round < 3; round++) await sets.reconcile("secret");
    assert.deepEqual(
      writes("secret", "PUT").map(({ body }) => body.includes(word)),
      [true],
    );
    const shown = `${JSON.stringify(await sets.get("secret"))}${rig.server.log()}`;
    assert.equal(shown.includes(word), false);
  });

  it("is gone when the operation of its deletion has ended", async () => {
    await sets.delete("secret");
    await sets.gone("secret");
    assert.equal(await live("secret"), undefined);
    assert.equal(writes("secret", "DELETE").length, 1);
  });
});

describe("an operation of the service", () => {
  it("is followed to its end by the server that comes after the one that began it", async () => {
    const asked = rig.proxy.on({ path: /\/operations\// }, { kind: "hold" });
    await sets.create("crashed", small(2));
    await asked.hit();
    await rig.server.kill9();
    asked.release();
    await rig.server.start();
    await sets.ready("crashed");
    assert.equal(writes("crashed", "PUT").length, 1);
  });

  it("is not disturbed by an edit, which is brought there as soon as it has ended", async () => {
    const asked = rig.proxy.on({ path: /\/operations\// }, { kind: "hold" });
    await sets.create("edited", small(2));
    await asked.hit();
    await sets.patch("edited", { spec: { tags: { late: "yes" } } });
    asked.release();
    await sets.ready("edited");
    assert.deepEqual((await live("edited"))?.["tags"], { late: "yes" });
    // Nothing was refused for having come too early.
    const all = [...writes("edited", "PUT"), ...writes("edited", "PATCH")];
    assert.deepEqual(
      all.map(({ status }) => status),
      [201, 200],
    );
  });

  it("is not asked after sooner than the service said", async () => {
    const from = rig.proxy.seen.length;
    await sets.create("patient", small(2));
    await sets.ready("patient");
    const [begun, first] = rig.proxy.seen
      .slice(from)
      .filter(({ method, path }) => method === "PUT" || path.includes("/operations/"));
    assert.ok(begun !== undefined && first !== undefined);
    assert.ok(first.atMs - begun.atMs >= 900, `${first.atMs - begun.atMs} ms`);
  });
});
