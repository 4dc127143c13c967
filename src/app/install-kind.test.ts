// Kinds of modules on a store that already knows them: who made a definition, and in which version,
// decides who may change it.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { installKind } from "../intents/install-kind.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { KindInput } from "../kernel/kind.ts";
import { openMemoryPlane } from "./memory-plane.ts";
import type { MemoryPlane, Place } from "./memory-plane.ts";

let memory: MemoryPlane;

before(async () => {
  memory = await openMemoryPlane();
});

after(async () => {
  await memory[Symbol.asyncDispose]();
});

const group = "tests.example.dev";

function kind(plural: string, fields: JsonObject): KindInput {
  const spec = { type: "object", properties: fields };
  const schema = { type: "object", properties: { spec } };
  return {
    group,
    names: { plural, kind: plural.toUpperCase() },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema }],
  };
}

const place = (plural: string): Place => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  name: `${plural}.${group}`,
});

async function install(given: KindInput, version: number, name = "mine"): Promise<string> {
  return await installKind(memory.plane.intents, given, { name, version });
}

it("makes the definition, renews it, and never goes back", async () => {
  const [old, young] = [kind("as", {}), kind("as", { size: { type: "integer" } })];
  assert.equal(await install(old, 1), "created");
  assert.equal(await install(old, 1), "unchanged");
  assert.equal(memory.plane.intents.kinds.byId(`as.${group}`)?.isReconciled, true);
  assert.equal(await install(young, 2), "updated");
  assert.equal(await install(old, 1), "kept");
  const stored = await memory.read(place("as"));
  assert.equal(stored?.metadata.annotations?.["setpoint.dev/module-version"], "2");
  assert.match(JSON.stringify(stored?.spec), /"size"/);
});

it("lets the last one count when the version is the same", async () => {
  assert.equal(await install(kind("bs", {}), 1), "created");
  assert.equal(await install(kind("bs", { size: { type: "integer" } }), 1), "updated");
});

it("replaces no definition that somebody else made", async () => {
  assert.equal(await install(kind("cs", {}), 1, "theirs"), "created");
  const refused = (words: RegExp) => (error: unknown) =>
    isSetpointError(error, "resource.not_owned") && words.test(error.message);
  await assert.rejects(install(kind("cs", {}), 1), refused(/belongs to the module theirs/));
  const annotations = { "setpoint.dev/module": null };
  await memory.patch(place("cs"), { metadata: { annotations } });
  await assert.rejects(install(kind("cs", {}), 1), refused(/belongs to no module/));
  await memory.patch(place("cs"), { metadata: { annotations: { "setpoint.dev/module": "mine" } } });
  assert.equal(await install(kind("cs", {}), 1), "updated");
});

it("tells when the names of a kind belong to another", async () => {
  await install(kind("ds", {}), 1);
  const clash = { ...kind("es", {}), names: { plural: "es", kind: "DS" } };
  await assert.rejects(install(clash, 1), /the kind es.tests.example.dev is not served/);
});
