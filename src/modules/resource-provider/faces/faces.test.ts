import assert from "node:assert/strict";
import { test } from "node:test";
import { kindRegistry } from "../../../intents/kinds/registry.ts";
import { servedKind } from "../../../intents/kinds/served-kind.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import type { ArmAction, ArmFace } from "./arm-face.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { defineKind } from "../../../kernel/kind.ts";
import { armFaces } from "./faces.ts";
import type { ArmFaces } from "./faces.ts";

const schema = { type: "object", properties: { size: { type: "integer" } } } as const;

const face: ArmFace = {
  kind: "shops.example.com",
  provider: "Example.Shop",
  type: "shops",
  locations: ["West Europe"],
  versions: [{ apiVersion: "2026-01-01", schema }],
};
const shelves: ArmFace = { ...face, kind: "shelves.example.com", type: "shops/shelves" };

test("a face is found by provider and type in any case, and by its kind", () => {
  const faces = registry();
  faces.put(face);
  faces.put(shelves);
  assert.equal(faces.find("EXAMPLE.shop", "ShOps"), face);
  assert.equal(faces.find("example.shop", "shops/SHELVES"), shelves);
  assert.equal(faces.byKind("shops.example.com"), face);
  assert.deepEqual(faces.all(), [face, shelves]);
  assert.equal(faces.generation, 2);
  assert.equal(faces.remove("example.SHOP", "shops/shelves"), true);
  assert.equal(faces.remove("example.SHOP", "shops/shelves"), false);
  assert.equal(faces.byKind("shelves.example.com"), undefined);
});

test("the problems of a face name their fields", () => {
  const faces = registry();
  const [version] = face.versions;
  assert.ok(version !== undefined);
  const cases: readonly (readonly [Partial<ArmFace>, readonly string[]])[] = [
    [{ kind: "ghosts.example.com" }, ["kind: the kind ghosts.example.com does not exist"]],
    [
      { kind: "realms.example.com" },
      ["kind: realms.example.com is cluster-scoped; a face needs a namespaced kind"],
    ],
    [
      { provider: "Example" },
      ["provider: must be two or more words separated by dots, such as Example.Shop"],
    ],
    [
      { type: "a//b" },
      ["type: must consist of letters and digits; separate nested types with slashes"],
    ],
    [{ locations: [] }, ["locations: must not be empty"]],
    [{ locations: "Here" as never }, ["locations: must be a list"]],
    [{ versions: "2026-01-01" as never }, ["versions: must be a list"]],
    [{ versions: ["2026-01-01"] as never }, ["versions[0]: must have an apiVersion and a schema"]],
    [
      { locations: ["west/europe"] },
      ["locations[0]: must consist of letters, digits, spaces and hyphens"],
    ],
    [{ locations: ["west europe", "WestEurope"] }, ["locations[1]: WestEurope is a duplicate"]],
    [{ versions: [] }, ["versions: must not be empty"]],
    [
      { versions: [{ ...version, apiVersion: "2026-13-01" }] },
      ["versions[0].apiVersion: must be YYYY-MM-DD or YYYY-MM-DD-preview"],
    ],
    [{ versions: [version, version] }, ["versions[1].apiVersion: is a duplicate"]],
    [{ type: "Operations" }, ["type: Operations is reserved: every provider has that path"]],
    [
      { type: "malls/shops" },
      ["type: the parent type Example.Shop/malls of malls/shops does not exist"],
    ],
    [{ awaitEndMs: 5_001 }, ["awaitEndMs: must be an integer from 0 to 5000 (milliseconds)"]],
    [{ awaitEndMs: -1 }, ["awaitEndMs: must be an integer from 0 to 5000 (milliseconds)"]],
    [{ awaitEndMs: 0.5 }, ["awaitEndMs: must be an integer from 0 to 5000 (milliseconds)"]],
    [{ operationTimeoutMs: -1 }, ["operationTimeoutMs: must be a positive integer (milliseconds)"]],
  ];
  for (const [change, wanted] of cases) {
    assert.deepEqual(problemsOf(faces, { ...face, ...change }), wanted);
  }
});

test("all problems of a face are told at once, those beside other faces among them", () => {
  const faces = registry();
  const { schema: given } = face.versions[0] ?? {};
  assert.ok(given !== undefined);
  const wrong = {
    ...face,
    type: "operations",
    locations: [],
    versions: [{ apiVersion: "v2", schema: given }],
  };
  assert.deepEqual(problemsOf(faces, wrong), [
    "locations: must not be empty",
    "versions[0].apiVersion: must be YYYY-MM-DD or YYYY-MM-DD-preview",
    "type: operations is reserved: every provider has that path",
  ]);
});

test("a schema that no value could be judged by is refused with its path", () => {
  const bad = {
    type: "object",
    properties: {
      size: { type: "integr" },
      kind: { type: "string", "x-setpoint-field-rule": "secret" },
    },
  };
  const found = problemsOf(registry(), {
    ...face,
    versions: [{ apiVersion: "2026-01-01", schema: bad }],
  });
  assert.ok(found.length > 0);
  for (const problem of found) assert.match(problem, /^versions\[0\]\.schema\.properties\[size\]/);
});

test("an action has functions and schemas that can be used", () => {
  const perform = (): JsonObject => ({});
  const bad = { type: "object", properties: { size: { type: "integr" } } };
  const actions = [
    { name: "good", perform, change: perform, inputSchema: { type: "object" } },
    { name: "bad", perform: 1, change: 2, inputSchema: bad, outputSchema: 3 },
  ] as unknown as readonly ArmAction[];
  const [first, second, ...others] = problemsOf(registry(), { ...face, actions });
  assert.equal(first, "actions[1].perform: must be a function");
  assert.equal(second, "actions[1].change: must be a function");
  assert.match(others[0] ?? "", /^actions\[1\]\.inputSchema\.properties\[size\]/);
  assert.equal(others.at(-1), "actions[1].outputSchema: must be a schema");
});

test("a schema may not have the field that the server fills in", () => {
  const own = { type: "object", properties: { provisioningState: { type: "string" } } };
  assert.deepEqual(
    problemsOf(registry(), { ...face, versions: [{ apiVersion: "2026-01-01", schema: own }] }),
    ["versions[0].schema.properties[provisioningState]: is set by the server"],
  );
});

test("a field of the schema that is wrong is told beside all else that is", () => {
  const properties = { provisioningState: { type: "string" }, size: { type: "strng" } };
  const own = { type: "object", properties };
  const found = problemsOf(registry(), {
    ...face,
    versions: [{ apiVersion: "2026-01-01", schema: own }],
  });
  assert.equal(found.length, 2, found.join("; "));
  assert.match(found[0] ?? "", /^versions\[0\]\.schema\.properties\[provisioningState\]: /);
  assert.match(found[1] ?? "", /^versions\[0\]\.schema\.properties\[size\]\.type: .*"strng"/);
});

test("an action whose name is wrong is told what else is", () => {
  const actions = [{ name: "no-name", outputSchema: 3 }] as unknown as readonly ArmAction[];
  assert.deepEqual(problemsOf(registry(), { ...face, actions }), [
    "actions[0].name: must consist of letters and digits",
    "actions[0].perform: must be a function",
    "actions[0].outputSchema: must be a schema",
  ]);
});

test("no action is called as a subresource that has a meaning already", () => {
  const perform = (): JsonObject => ({});
  const actions = ["admin", "Status", "scale", "scaleUp"].map((name) => ({ name, perform }));
  const why = "is reserved: permissions on that subresource have another meaning";
  assert.deepEqual(problemsOf(registry(), { ...face, actions }), [
    `actions[0].name: admin ${why}`,
    `actions[1].name: Status ${why}`,
    `actions[2].name: scale ${why}`,
  ]);
});

test("fields that nobody reads are told, with the one that was probably meant", () => {
  const perform = (): JsonObject => ({});
  const wrong = {
    ...face,
    movable: false,
    isMoveable: false,
    action: [],
    retryAfter: 1,
    operationTimeoutSeconds: 5,
    versions: [{ ...face.versions[0], apiversion: "2026-01-01", admin: true }],
    actions: [{ name: "good", perform, input: {} }],
  };
  const known =
    "kind, provider, type, locations, versions, actions, isMovable, afterFailedUpdate, " +
    "awaitEndMs, operationTimeoutMs, operationRetentionMs";
  assert.deepEqual(problemsOf(registry(), wrong as unknown as ArmFace), [
    "movable: is not a known field of a face; did you mean isMovable?",
    "isMoveable: is not a known field of a face; did you mean isMovable?",
    "action: is not a known field of a face; did you mean actions?",
    `retryAfter: is not a known field of a face; known fields: ${known}`,
    "operationTimeoutSeconds: is not a known field of a face; did you mean operationTimeoutMs?",
    "versions[0].apiversion: is not a known field of an api-version; did you mean apiVersion?",
    "versions[0].admin: is not a known field of an api-version; known fields: " +
      "apiVersion, schema, fromStored, toStored, isAdmin, examples",
    "actions[0].input: is not a known field of an action; known fields: " +
      "name, description, change, perform, inputSchema, outputSchema",
  ]);
});

test("a field that would be accepted and not be stored is refused, with its path", () => {
  const text = { type: "string" };
  const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
    type: "object",
    properties,
    ...more,
  });
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  const spec = object({
    a: text,
    n: object({ x: text }),
    list: { type: "array", items: object({ name: text }) },
    map: { type: "object", additionalProperties: object({ x: text }) },
    free: { type: "object", ...open },
  });
  const own = object({
    a: text,
    zzz: { ...text, default: "dz" },
    told: { ...text, "x-setpoint-field-rule": "read-only" },
    n: object({ x: text, y: text }, open),
    list: { type: "array", items: object({ name: text, size: text }) },
    map: object({ one: object({ x: text }) }),
    free: object({ a: text, b: object({ c: text }) }),
  });
  const faces = armFaces(kindRegistry([served("shops", "Namespaced", spec)]));
  const versions = [{ apiVersion: "2026-01-01", schema: own }];
  const why =
    "cannot be stored: the spec of shops.example.com does not have the field " +
    "(add it to the spec, make it read-only, or write toStored)";
  assert.deepEqual(problemsOf(faces, { ...face, versions }), [
    `versions[0].schema.properties[zzz]: ${why}`,
    `versions[0].schema.properties[n].properties[y]: ${why}`,
    `versions[0].schema.properties[n].x-kubernetes-preserve-unknown-fields: ${why}`,
    `versions[0].schema.properties[list].items.properties[size]: ${why}`,
  ]);
  const toStored = (): JsonObject => ({});
  const converted = [{ apiVersion: "2026-01-01", schema: own, toStored }];
  assert.deepEqual(problemsOf(faces, { ...face, versions: converted }), []);
});

test("an example is one of what the schema says", () => {
  const own = {
    type: "object",
    required: ["zzz", "url"],
    properties: {
      zzz: { type: "string" },
      size: { type: "integer", minimum: 1, default: 2 },
      url: { type: "string", "x-setpoint-field-rule": "read-only" },
      key: { type: "string", minLength: 9, "x-setpoint-field-rule": "secret" },
    },
    "x-kubernetes-validations": [{ rule: "self.size < 9", message: "too large" }],
  };
  const problemsWith = (examples: unknown): readonly string[] =>
    problemsOf(registry(), {
      ...face,
      versions: [{ apiVersion: "2026-01-01", schema: own, examples } as never],
    });
  assert.deepEqual(problemsWith({ good: { zzz: "z" }, read: { zzz: "z", url: "u" } }), []);
  const at = "versions[0].examples";
  assert.deepEqual(problemsWith([]), [`${at}: must map titles to properties`]);
  assert.deepEqual(problemsWith({ bad: 1 }), [`${at}[bad]: must be properties`]);
  assert.deepEqual(problemsWith({ one: { zzz: 1, nix: 4, url: 5 } }), [
    `${at}[one]: The property 'nix' is not in the schema.`,
    `${at}[one]: The property 'zzz' is refused: it must be of type string, not integer.`,
    `${at}[one]: The property 'url' is refused: it must be of type string, not integer.`,
  ]);
  const [hidden, ...others] = problemsWith({ two: { zzz: "z", key: "short" } });
  assert.match(hidden ?? "", /'key' is refused/);
  assert.doesNotMatch(hidden ?? "", /short/);
  assert.deepEqual(others, []);
  assert.match(problemsWith({ three: { zzz: "z", size: 10 } })[0] ?? "", /too large/);
});

test("a type and a kind have one face each", () => {
  const faces = registry();
  faces.put(face);
  assert.deepEqual(problemsOf(faces, { ...shelves, type: "SHOPS" }), [
    "type: Example.Shop/SHOPS already presents the kind shops.example.com",
  ]);
  assert.deepEqual(problemsOf(faces, { ...face, type: "stores" }), [
    "kind: shops.example.com is already presented as Example.Shop/shops",
  ]);
});

test("a face that is not even one is refused, not crashed upon", () => {
  const faces = registry();
  for (const nonsense of [{}, { versions: [null] }, { actions: 1 }, { locations: [{}] }]) {
    assert.ok(problemsOf(faces, nonsense as unknown as ArmFace).length > 0);
  }
});

function problemsOf(faces: ArmFaces, given: ArmFace): readonly string[] {
  try {
    faces.put(given);
  } catch (error) {
    assert.ok(isSetpointError(error, "resource.invalid"));
    return error.details["problems"] as readonly string[];
  }
  return [];
}

function registry(): ArmFaces {
  const kinds = [served("shops"), served("shelves"), served("realms", "Cluster")];
  return armFaces(kindRegistry(kinds));
}

function served(
  plural: string,
  scope: "Namespaced" | "Cluster" = "Namespaced",
  spec: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true },
): ServedKind {
  const whole = { type: "object", properties: { spec } };
  const version = { name: "v1", served: true, storage: true, schema: whole };
  const names = { plural, kind: plural.slice(0, 1).toUpperCase() + plural.slice(1) };
  return servedKind({
    kind: defineKind({ group: "example.com", names, scope, versions: [version] }),
  });
}
