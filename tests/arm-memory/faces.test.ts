// Faces of resources on a control plane in memory: they come with the answer to whoever wrote them,
// follow the definitions they show, and say in their status whether they are served.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { ArmFace } from "../../src/modules/resource-provider/faces/arm-face.ts";
import { findCondition } from "../../src/kernel/conditions.ts";
import type { Condition } from "../../src/kernel/conditions.ts";
import { isSetpointError } from "../../src/kernel/errors.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { objectAt, objectsAt } from "../../src/kernel/json-read.ts";
import { actionContext } from "../../src/surfaces/arm/action/action-context.ts";
import { bodySchema } from "../../src/modules/resource-provider/faces/body-schema.ts";
import type { BodySchema } from "../../src/modules/resource-provider/faces/body-schema.ts";
import { faceDefinition } from "../../src/modules/resource-provider/faces/face-kind.ts";
import type { MemoryPlane } from "../../src/app/memory-plane.ts";
import { openMemoryProvider } from "./memory-provider.ts";
import type { MemoryProvider } from "./memory-provider.ts";

let memory: MemoryPlane;
let open: MemoryProvider;

before(async () => {
  open = await openMemoryProvider();
  ({ memory } = open);
});

after(async () => {
  await open[Symbol.asyncDispose]();
});

it("serves a face from when it is made until it is gone", async () => {
  await memory.create(definition("shops"));
  await memory.create(face("shops", { type: "shops" }));
  const found = open.faces.find("example.SHOP", "Shops");
  assert.equal(found?.kind, "shops.example.com");
  assert.deepEqual(await accepted("shops"), { status: "True", reason: "Served" });

  await memory.remove(place("shops"));
  assert.equal(open.faces.find("Example.Shop", "shops"), undefined);
});

it("says why a face is not served, and serves it once it can", async () => {
  const nested = { type: "malls/stores", kind: "stores.example.com" };
  await memory.create(face("stores", nested));
  assert.deepEqual(await accepted("stores"), { status: "False", reason: "KindNotFound" });
  await memory.create(definition("stores"));
  assert.deepEqual(await accepted("stores"), { status: "False", reason: "ParentNotFound" });
  await memory.create(definition("malls"));
  await memory.create(face("malls", { type: "malls", kind: "malls.example.com" }));
  assert.deepEqual(await accepted("stores"), { status: "True", reason: "Served" });
  await memory.remove(place("malls"));
  assert.deepEqual(await accepted("stores"), { status: "False", reason: "ParentNotFound" });

  await memory.create(definition("kiosks"));
  const wrong = { versions: [{ apiVersion: "2026-01-01", version: "v9" }] };
  await memory.create(face("kiosks", { type: "kiosks", kind: "kiosks.example.com", ...wrong }));
  assert.deepEqual(await accepted("kiosks"), { status: "False", reason: "VersionNotFound" });
});

it("tells everything that is wrong with a face", async () => {
  await memory.create(definition("carts"));
  await memory.create(face("carts", { type: "carts", kind: "carts.example.com" }));
  const fieldRules = [{ path: "/nowhere", rule: "secret" }];
  const versions = [
    { apiVersion: "2026-01-01", version: "v9" },
    { apiVersion: "2027-01-01", version: "v2", fieldRules },
  ];
  memory.surroundings.clock.advanceMs(1_000);
  const wrong = { type: "ghosts/carts", kind: "carts.example.com", versions };
  await memory.create(face("others", wrong));
  assert.deepEqual(await accepted("others"), { status: "False", reason: "VersionNotFound" });
  const { message = "" } = (await conditionOf("others")) ?? {};
  assert.deepEqual(message.split("; "), [
    "versions[0].version: carts.example.com has the versions v2, v1",
    "versions[1].fieldRules[0].path: /nowhere is not in the schema",
    "kind: carts.example.com is already presented as Example.Shop/carts",
    "type: the parent type Example.Shop/ghosts of ghosts/carts does not exist",
  ]);
});

it("does not serve a version whose fields the stored one has not", async () => {
  const text = { type: "string" };
  const made = definition("tents");
  const whole = objectAt(made, "spec");
  const [older, younger] = objectsAt(whole, "versions");
  assert.ok(older !== undefined && younger !== undefined);
  const versions = [
    { ...older, storage: true },
    { ...younger, storage: false },
  ];
  await memory.create({ ...made, spec: { ...whole, versions } });
  await memory.create(face("tents", { type: "tents", kind: "tents.example.com" }));
  assert.deepEqual(await accepted("tents"), { status: "False", reason: "Invalid" });
  assert.equal(
    (await conditionOf("tents"))?.message,
    "versions[1].version: spec.properties[colour] of v2 cannot be stored: v1, the storage " +
      "version, does not have the field, and there is no conversion",
  );
  const extended = withField(older, "colour", text);
  const both = { spec: { versions: [{ ...extended, storage: true }, versions[1] ?? {}] } };
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  await memory.patch({ ...crd, name: "tents.example.com" }, both);
  assert.deepEqual(await accepted("tents"), { status: "True", reason: "Served" });
});

it("reads whether resources can be moved by both of its names", async () => {
  await memory.create(definition("rocks"));
  await memory.create(face("rocks", { type: "rocks", kind: "rocks.example.com" }));
  for (const [fields, isMovable] of [
    [{ isMovable: false }, false],
    [{ isMovable: null, movable: false }, false],
    [{ isMovable: true }, undefined],
  ] as const) {
    await memory.patch(place("rocks"), { spec: fields });
    assert.equal(open.faces.byKind("rocks.example.com")?.isMovable, isMovable);
  }
});

it("explains each field of a face", () => {
  const [version] = faceDefinition.versions;
  const silent: string[] = [];
  const visit = (schema: JsonObject, path: string): void => {
    if (path !== "" && typeof schema["description"] !== "string") silent.push(path);
    for (const [key, field] of Object.entries(objectAt(schema, "properties"))) {
      visit(field as JsonObject, `${path}.${key}`);
    }
    const items = objectAt(schema, "items");
    if (items["type"] === "object") visit(items, `${path}[]`);
  };
  visit(version?.schema ?? {}, "");
  assert.deepEqual(silent, []);
});

it("lets the oldest of two that want the same type have it", async () => {
  for (const plural of ["ones", "twos"]) {
    await memory.create(definition(plural));
    await memory.create(face(plural, { type: "numbers", kind: `${plural}.example.com` }));
    memory.surroundings.clock.advanceMs(1_000);
  }
  assert.equal(open.faces.find("Example.Shop", "numbers")?.kind, "ones.example.com");
  assert.deepEqual(await accepted("twos"), { status: "False", reason: "Conflict" });
});

it("shows versions of the definition, and keeps what an older one does not know", async () => {
  await memory.create(definition("depots"));
  await memory.create(face("depots", { type: "depots", kind: "depots.example.com" }));
  const found = open.faces.byKind("depots.example.com");
  const [old, young] = [bodyOf(found, "2026-01-01"), bodyOf(found, "2027-01-01-preview")];
  const spec = { size: 3, key: "hidden", colour: "red" };
  const stored = { spec, status: { url: "https://x", conditions: [] } };
  assert.deepEqual(old.show(await old.read(stored)), { size: 3, url: "https://x" });
  assert.deepEqual(young.show(await young.read(stored)), {
    size: 3,
    colour: "red",
    url: "https://x",
  });
  const { properties, problems } = old.accept({ size: 4 }, await old.read(stored));
  assert.deepEqual(problems, []);
  assert.deepEqual(await old.store(properties, spec), { size: 4, key: "hidden", colour: "red" });
});

it("refuses a face whose place in ids would change", async () => {
  await memory.create(definition("barns"));
  await memory.create(face("barns", { type: "barns", kind: "barns.example.com" }));
  await assert.rejects(
    memory.patch(place("barns"), { spec: { type: "sheds" } }),
    /resource ids contain it/,
  );
});

it("keeps a server from starting when a module has a face that cannot be served", async () => {
  const reconciler = { reconcile: (): Promise<never> => Promise.reject(new Error("unused")) };
  const arm = { provider: "Example.Shop", type: "ghosts", locations: [], versions: [] };
  const module = { name: "ghosts", kinds: [{ kind: "ghosts.example.com", reconciler, arm }] };
  await assert.rejects(openMemoryProvider([module]), (error) => {
    assert.ok(isSetpointError(error, "config.invalid"));
    assert.match(
      error.message,
      /^the module ghosts\.ts: .*kind: the kind .* does not exist.*locations: /,
    );
    return true;
  });
});

it("shows spec and status of the stored version where a module gives no schema", async () => {
  const reconciler = { reconcile: (): Promise<never> => Promise.reject(new Error("unused")) };
  const versions = [{ apiVersion: "2026-01-01" }];
  const arm = { provider: "Example.Shop", type: "sheds", locations: ["Here"], versions };
  const module = { name: "sheds", kinds: [{ kind: "sheds.example.com", reconciler, arm }] };
  await using own = await openMemoryProvider([module], [definition("sheds")]);
  const body = bodyOf(own.faces.byKind("sheds.example.com"), "2026-01-01");
  const stored = { spec: { size: 1, colour: "red" }, status: { url: "u", conditions: [] } };
  assert.deepEqual(await body.read(stored), { size: 1, colour: "red", url: "u" });
});

it("gives an action the children of its resource and nothing else", async () => {
  const owner = await memory.create(configMap("owner", {}));
  const { uid } = owner.metadata;
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid };
  await memory.create(configMap("child", { ownerReferences: [reference] }));
  await memory.create(configMap("stranger", {}));
  const context = actionContext(memory.plane.intents, owner);
  const found = await context.child({ kind: "configmaps", name: "child" });
  assert.equal(found?.metadata.name, "child");
  for (const name of ["stranger", "nothing"]) {
    assert.equal(await context.child({ kind: "configmaps", name }), undefined);
  }
  assert.equal(await context.child({ kind: "nothings", name: "child" }), undefined);
});

function configMap(name: string, metadata: JsonObject): JsonObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", ...metadata },
  };
}

function bodyOf(found: ArmFace | undefined, apiVersion: string): BodySchema {
  const version = found?.versions.find((each) => each.apiVersion === apiVersion);
  assert.ok(version !== undefined);
  return bodySchema(version);
}

async function accepted(name: string): Promise<unknown> {
  const { status, reason } = (await conditionOf(name)) ?? {};
  return { status, reason };
}

async function conditionOf(name: string): Promise<Condition | undefined> {
  await memory.surroundings.timers.advance(1_000);
  const resource = await memory.read(place(name));
  const conditions = objectsAt(resource, "status", "conditions") as unknown as Condition[];
  return findCondition(conditions, "Accepted");
}

function place(name: string): { apiVersion: string; kind: string; name: string } {
  return { apiVersion: "arm.setpoint.dev/v1", kind: "ArmFace", name };
}

function face(name: string, spec: JsonObject): JsonObject {
  const { apiVersion, kind } = place(name);
  return {
    apiVersion,
    kind,
    metadata: { name },
    spec: {
      provider: "Example.Shop",
      kind: "shops.example.com",
      locations: ["West Europe"],
      versions: [
        {
          apiVersion: "2026-01-01",
          version: "v1",
          fieldRules: [{ path: "/key", rule: "secret" }],
        },
        {
          apiVersion: "2027-01-01-preview",
          version: "v2",
          fieldRules: [{ path: "/key", rule: "secret" }],
        },
      ],
      ...spec,
    },
  };
}

/** A version of a definition with one field more in its spec. */
function withField(version: JsonObject, name: string, field: JsonObject): JsonObject {
  const schema = objectAt(version, "schema", "openAPIV3Schema");
  const spec = objectAt(schema, "properties", "spec");
  const properties = { ...objectAt(spec, "properties"), [name]: field };
  const parts = { ...objectAt(schema, "properties"), spec: { ...spec, properties } };
  return { ...version, schema: { openAPIV3Schema: { ...schema, properties: parts } } };
}

function definition(plural: string): JsonObject {
  const text = { type: "string" };
  const version = (name: string, fields: JsonObject): JsonObject => ({
    name,
    served: true,
    storage: name === "v2",
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { size: { type: "integer" }, key: text, ...fields },
          },
          status: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { url: text },
          },
        },
      },
    },
    subresources: { status: {} },
  });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind: plural[0]?.toUpperCase() + plural.slice(1) },
      versions: [version("v1", {}), version("v2", { colour: text })],
    },
  };
}
