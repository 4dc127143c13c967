// Services that are documented or designed in unusual ways, each as a public document has it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { madeUp } from "../document/made-up.ts";
import { propose } from "./propose.ts";
import type { Proposal, ProposedKind } from "./propose.ts";

const text = { type: "string" };
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required,
});
const json = (schema: Json): JsonObject => ({ content: { "application/json": { schema } } });
const answer = (schema: Json): JsonObject => ({ responses: { "200": json(schema) } });
const write = (schema: Json, shown: Json): JsonObject => ({
  requestBody: json(schema),
  ...answer(shown),
});
const none = { responses: { "204": {} } };

async function proposed(paths: JsonObject, files: JsonObject = {}): Promise<Proposal> {
  const documents = await madeUp({ root: { openapi: "3.0.0", info: {}, paths }, ...files });
  return propose(documents, { baseUrl: "https://api.example.com/" });
}

async function onlyKind(paths: JsonObject, files: JsonObject = {}): Promise<ProposedKind> {
  const { kinds, problems } = await proposed(paths, files);
  const [kind] = kinds;
  assert.ok(kind, problems.map(({ message }) => message).join("\n"));
  assert.equal(kinds.length, 1);
  return kind;
}

function specOf({ definition }: ProposedKind): JsonObject {
  const [version] = objectsAt(definition, "spec", "versions");
  return objectAt(version, "schema", "openAPIV3Schema", "properties", "spec", "properties");
}

function classOf({ classified }: ProposedKind, path: string): string | undefined {
  return classified.judgements.get(path)?.class;
}

test("a JSON Patch that is declared as application/json is one, and has no fields", async () => {
  const client = object({ client_id: text, scope: text });
  const step = object({ op: text, path: text, value: {} }, ["op", "path"]);
  const kind = await onlyKind({
    "/clients": { get: answer({ type: "array", items: client }), post: write(client, client) },
    "/clients/{id}": {
      get: answer(client),
      patch: write({ type: "array", items: step }, client),
      delete: none,
    },
  });
  assert.deepEqual(Object.keys(specOf(kind)).toSorted(), ["client_id", "scope"]);
  assert.deepEqual(
    [...kind.classified.table.keys()].filter((path) => path.includes("*")),
    [],
  );
  const { patch } = kind.binding.operations;
  assert.deepEqual([patch?.style, patch?.mediaType], ["json", "application/json"]);
  assert.deepEqual(kind.binding.identity, { kind: "server", field: "/client_id", parameter: "id" });
});

test("operations may be in files of their own", async () => {
  const key = { name: text, public_key: text };
  const kind = await onlyKind(
    {
      "/keys": { post: { $ref: "keys/create.yml" } },
      "/keys/{key_id}": {
        get: { $ref: "keys/get.yml" },
        put: { $ref: "keys/update.yml" },
        delete: { $ref: "keys/delete.yml" },
      },
    },
    {
      "keys/create.yml": write({ $ref: "key.yml" }, { $ref: "key.yml" }),
      "keys/get.yml": answer({ $ref: "key.yml" }),
      "keys/update.yml": write({ $ref: "key.yml" }, { $ref: "key.yml" }),
      "keys/delete.yml": none,
      "keys/key.yml": object({ id: { ...text, readOnly: true }, ...key }),
    },
  );
  assert.deepEqual(Object.keys(specOf(kind)).toSorted(), ["name", "public_key"]);
  assert.deepEqual(kind.binding.identity, { kind: "server", field: "/id", parameter: "key_id" });
});

test("objects may be created at a path that says so, and read below their own path", async () => {
  const volume = object({ Name: text, Driver: text });
  const { kinds } = await proposed({
    "/volumes": { get: answer(object({ Volumes: { type: "array", items: volume } })) },
    "/volumes/create": { post: write(volume, volume) },
    "/volumes/{name}": { get: answer(volume), delete: none },
    "/containers/create": { post: write(object({ Image: text }), object({ Id: text })) },
    "/containers/{id}/json": { get: answer(object({ Id: text, Image: text, State: text })) },
    "/containers/{id}": { delete: none },
  });
  const [first, second] = kinds;
  assert.deepEqual(
    kinds.map(({ name }) => name.kind),
    ["Volume", "Container"],
  );
  assert.equal(first?.binding.collection, "/volumes");
  assert.equal(first?.binding.operations.create?.path, "/volumes/create");
  assert.deepEqual(first?.binding.identity, { kind: "client", field: "/Name", parameter: "name" });
  assert.equal(second?.binding.collection, "/containers");
  assert.equal(second?.binding.operations.create?.path, "/containers/create");
  assert.equal(second?.binding.operations.read?.path, "/containers/{id}/json");
  assert.deepEqual(second?.binding.identity, { kind: "server", field: "/Id", parameter: "id" });
});

test("all fields of an object that cannot be changed are create-only", async () => {
  const key = object({ id: text, title: text, data: object({ size: text }) });
  const given = object({ title: text, data: object({ size: text }) });
  const kind = await onlyKind({
    "/keys": { post: write(given, key) },
    "/keys/{id}": { get: answer(key), delete: none },
  });
  const classes = ["/id", "/title", "/data", "/data/size"].map((path) => classOf(kind, path));
  assert.deepEqual(classes, ["read-only", "create-only", "create-only", "create-only"]);
  // A creation that accepts the id of the service changes the object with this id.
  const other = await onlyKind({
    "/keys": { post: write(key, key) },
    "/keys/{id}": { get: answer(key), delete: none },
  });
  assert.equal(classOf(other, "/title"), "writable");
});

test("an object of any shape in a request is a writable map, whatever is shown in it", async () => {
  const shown = object({
    id: text,
    labels: { type: "object", additionalProperties: text },
    meta: object({ created: text }),
  });
  const given = object({ labels: { type: "object" }, meta: { type: "object" } });
  const kind = await onlyKind({
    "/things": { post: write(given, shown) },
    "/things/{id}": { get: answer(shown), put: write(given, shown), delete: none },
  });
  for (const path of ["/labels", "/labels/*", "/meta", "/meta/created"]) {
    assert.equal(classOf(kind, path), "writable", path);
  }
  assert.equal(classOf(kind, "/id"), "read-only");
  assert.deepEqual(specOf(kind)["labels"], {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  });
});

test("a guess that is hardly more likely than not removes no field", async () => {
  // One schema for everything, so only guesses are left.
  const thing = object({ name: text, state: text, pr_url: text, current_task: text });
  const shared = { $ref: "thing.json" };
  const kind = await onlyKind(
    { "/things/{name}": { get: answer(shared), put: write(shared, shared), delete: none } },
    { "thing.json": thing },
  );
  for (const { path, class: is, confidence } of kind.classified.judgements.values()) {
    assert.ok(is === "writable" || confidence >= 0.6, `${path} is ${is} with ${confidence}`);
  }
  const kept = Object.keys(specOf(kind));
  assert.deepEqual(kept.toSorted(), ["current_task", "name", "pr_url", "state"]);
});

test("an envelope is found if the object in the request has only one field", async () => {
  const shown = object({ integration: object({ id: text, label: text, parameters: text }) });
  const given = object({ integration: object({ label: text }) });
  const kind = await onlyKind({
    "/integrations": { post: write(given, shown) },
    "/integrations/{integration_id}": {
      get: answer(shown),
      put: write(given, shown),
      delete: none,
    },
  });
  const { read, create, replace } = kind.binding.operations;
  assert.equal(read?.answer, "/integration");
  for (const one of [create, replace]) {
    assert.deepEqual([one?.body, one?.answer], ["/integration", "/integration"]);
  }
  assert.deepEqual(Object.keys(specOf(kind)), ["label"]);
  const { identity } = kind.binding;
  assert.deepEqual(identity, { kind: "server", field: "/id", parameter: "integration_id" });
});

test("an id in the response wins over a name, and the guess has a low confidence", async () => {
  const coupon = { id: text, name: text, percent: text };
  const kind = await onlyKind({
    "/coupons": { post: write(object({ name: text, percent: text }), object(coupon)) },
    "/coupons/{coupon}": {
      get: answer(object(coupon)),
      post: write(object({ name: text }), object(coupon)),
    },
  });
  const identity = { kind: "server", field: "/id", parameter: "coupon", confidence: 0.6 };
  assert.deepEqual(kind.binding.identity, identity);
  const note = "the identity (server, confidence 0.60) is a guess";
  assert.ok(kind.notes.some((one) => one.startsWith(note)));
});

test("a user name in the path is a name, a key that the service assigns is not", async () => {
  const user = object({ name: text, role: text });
  const key = object({ access_key: { ...text, readOnly: true }, name: text });
  const { kinds } = await proposed({
    "/users": { post: write(user, user) },
    "/users/{username}": { get: answer(user), put: write(user, user), delete: none },
    "/keys": { post: write(key, key) },
    "/keys/{access_key}": { get: answer(key), put: write(key, key), delete: none },
  });
  assert.deepEqual(
    kinds.map(({ binding }) => binding.identity),
    [
      { kind: "client", field: "/name", parameter: "username" },
      { kind: "server", field: "/access_key", parameter: "access_key" },
    ],
  );
});

test("a parameter that no field is called like is not taken for the name", async () => {
  const shown = object({ name: text, url: text, expiresAt: text });
  const given = object({ name: text, expiresAt: text }, ["name"]);
  const kind = await onlyKind({
    "/invite-link/tokens": { post: write(given, shown) },
    "/invite-link/tokens/{token}": { get: answer(shown), put: write(given, shown) },
  });
  const identity = { kind: "server", parameter: "token", confidence: 0.3 };
  assert.deepEqual(kind.binding.identity, identity);
});

test("an id that a shared schema marks as read-only is the service's", async () => {
  const field = object({ id: { ...text, readOnly: true }, name: text }, ["id", "name"]);
  const kind = await onlyKind({
    "/fields": { post: write(field, field) },
    "/fields/{field_id}": { get: answer(field), put: write(field, field), delete: none },
  });
  assert.deepEqual(kind.binding.identity, { kind: "server", field: "/id", parameter: "field_id" });
});

test("marks and ids of a schema that several operations share do not hold for each", async () => {
  const shared = object({ id: text, name: text, kind: text });
  const thing = { $ref: "thing.json" };
  const kind = await onlyKind(
    {
      "/things": { post: write(thing, thing) },
      "/things/{thing_id}": { get: answer(thing), put: write(thing, thing), delete: none },
    },
    { "thing.json": shared },
  );
  assert.equal(classOf(kind, "/id"), "read-only");
  const marked = { id: { ...text, readOnly: true }, created_at: { ...text, readOnly: true } };
  const field = object({ ...marked, name: { ...text, readOnly: true }, label: text });
  const other = await onlyKind({
    "/fields": { post: write(field, field) },
    "/fields/{id}": { get: answer(field), put: write(object({ label: text }), field) },
  });
  const classes = ["/id", "/created_at", "/name"].map((path) => classOf(other, path));
  assert.deepEqual(classes, ["read-only", "read-only", "create-only"]);
});

test("a request that creates a list of objects does not create one", async () => {
  const variable = object({ key: text, value: text });
  const kind = await onlyKind({
    "/env": { post: write({ type: "array", items: variable }, variable) },
    "/env/{key}": { get: answer(variable), put: write(variable, variable), delete: none },
  });
  assert.equal(kind.binding.operations.create?.method, "PUT");
  assert.deepEqual(Object.keys(specOf(kind)).toSorted(), ["key", "value"]);
  assert.deepEqual(kind.binding.identity, { kind: "client", parameter: "key" });
});

test("a document without resources is reported with the reason", async () => {
  const thing = object({ id: text });
  const reasons: readonly (readonly [JsonObject, RegExp])[] = [
    [{}, /has no paths/],
    [{ "/things": { parameters: [] } }, /none of the 1 path has an operation/],
    [{ "/search": { post: write(thing, thing) } }, /none of the 1 path ends with a parameter/],
    [{ "/things/{id}": { post: write(thing, thing) } }, /\/things\/\{id\}\) can be read with GET/],
    [{ "/things/{id}": { get: answer(thing) } }, /1 path can be read, such as \/things\/\{id\}/],
  ];
  for (const [paths, reason] of reasons) {
    const { kinds, problems } = await proposed(paths);
    assert.equal(kinds.length, 0);
    assert.match(problems.map(({ message }) => message).join("\n"), reason);
  }
});
