// Services of every shape: what an import makes of their envelopes, parents, names and operations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldRulesOf } from "../../../intents/kinds/definition-field-rules.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { madeUp } from "../document/made-up.ts";
import { propose } from "./propose.ts";
import type { Proposal, ProposedKind } from "./propose.ts";
import { sampleArm } from "../../../../tests/connect-documents/sample-arm.ts";
import { sampleHost } from "../../../../tests/connect-documents/sample-host.ts";

async function proposed(document: Json): Promise<Proposal> {
  return propose(await madeUp({ root: document }), { baseUrl: "https://api.example.com/" });
}

function kindIn({ kinds }: Proposal, name: string): ProposedKind {
  const found = kinds.find((kind) => kind.name.kind === name);
  assert.ok(found, `${name} is among ${kinds.map((kind) => kind.name.kind).join(", ")}`);
  return found;
}

function pathsOf({ binding }: ProposedKind, what: string): readonly string[] {
  return binding.fields.filter((field) => field.class === what).map(({ path }) => path);
}

function schemaOf({ definition }: ProposedKind): JsonObject {
  const [version] = objectsAt(definition, "spec", "versions");
  return objectAt(version, "schema", "openAPIV3Schema");
}

const text = { type: "string" };
const answer = (schema: Json): JsonObject => ({ responses: { "200": { schema } } });
const json = (schema: Json): JsonObject => ({ content: { "application/json": { schema } } });

test("own schemas for making, changing and reading tell the classes apart", async () => {
  const proposal = await proposed(sampleHost);
  const profile = kindIn(proposal, "Profile");
  assert.deepEqual(pathsOf(profile, "read-only"), ["/used_by"]);
  assert.deepEqual(pathsOf(profile, "create-only"), ["/name"]);
  const pool = kindIn(proposal, "StoragePool");
  assert.deepEqual(pathsOf(pool, "create-only"), ["/driver", "/name"]);
  const instance = kindIn(proposal, "Instance");
  assert.deepEqual(pathsOf(instance, "write-only"), ["/instance_type", "/source"]);
  assert.deepEqual(pathsOf(instance, "read-only"), ["/created_at", "/status"]);
  assert.deepEqual(fieldRulesOf(schemaOf(instance)), [
    { path: "/spec/name", rule: "create-only" },
    { path: "/spec/instance_type", rule: "create-only" },
    { path: "/spec/source", rule: "create-only" },
  ]);
});

test("forms are taken where an operation takes nothing else", async () => {
  const field = (name: string, required = false): JsonObject => {
    return { in: "formData", name, type: "string", required };
  };
  const form = "application/x-www-form-urlencoded";
  const note = { type: "object", properties: { id: text, title: text, body: text } };
  const change = { type: "object", properties: { title: text, body: text } };
  const changes = { content: { "multipart/form-data": {}, [form]: { schema: change } } };
  const { kinds } = await proposed({
    swagger: "2.0",
    paths: {
      "/notes": {
        get: answer({ type: "array", items: note }),
        post: {
          parameters: [field("title", true), field("body"), { ...field("file"), type: "file" }],
          ...answer(note),
        },
      },
      "/notes/{id}": { get: answer(note), put: { requestBody: changes, ...answer(note) } },
    },
  });
  const [kind] = kinds;
  assert.ok(kind);
  const { create, replace } = kind.binding.operations;
  assert.deepEqual([create?.mediaType, replace?.mediaType], [form, form]);
  const spec = objectAt(schemaOf(kind), "properties", "spec");
  assert.deepEqual(Object.keys(objectAt(spec, "properties")).toSorted(), ["body", "title"]);
  assert.deepEqual(spec["required"], ["title"]);
});

test("an envelope is seen through, with its joins, lists and operations", async () => {
  const { binding } = kindIn(await proposed(sampleHost), "Instance");
  assert.deepEqual(binding.operations.read, { method: "GET", answer: "/metadata" });
  assert.deepEqual(binding.operations.list, {
    method: "GET",
    query: { recursion: "1" },
    items: "/metadata",
  });
  assert.deepEqual(binding.joins, [
    { name: "state", path: "/1.0/instances/{name}/state", answer: "/metadata" },
  ]);
  assert.deepEqual(binding.identity, { kind: "client", field: "/name", parameter: "name" });
  assert.deepEqual(binding.longRunning, { address: "/operation", state: "/metadata/status" });
  assert.equal(binding.operations.replace?.hasEtag, true);
});

test("objects that are made at their own address have a frame, a parent and commands", async () => {
  const proposal = await proposed(sampleArm);
  const found = proposal.kinds.map(({ name, binding }) => {
    const { parent, identity } = binding;
    return `${name.kind} ${identity.kind} < ${parent?.kind ?? parent?.path ?? "nothing"}`;
  });
  const group = "/subscriptions/{subscriptionId}/resourceGroups/{group}";
  assert.deepEqual(found, [
    `Oven client < ${group}`,
    "Tray client < ovens.example.com",
    "Setting singleton < ovens.example.com",
    "Rule client < /subscriptions/{subscriptionId}/providers/My.Bakery/regions/{region}",
  ]);
  const { binding } = kindIn(proposal, "Oven");
  const { read, list, patch } = binding.operations;
  assert.deepEqual(read?.query, { "api-version": "2026-01-01" });
  assert.deepEqual([list?.items, list?.paging], ["/value", { kind: "link", next: "/nextLink" }]);
  assert.deepEqual([patch?.takes, patch?.replaces], [["/tags"], ["/tags"]]);
  assert.deepEqual(binding.lists, [{ path: "/properties/racks", keys: ["/slot"] }]);
  assert.deepEqual(binding.parameters, {
    subscriptionId: { given: true },
    group: { given: true },
  });
  assert.deepEqual(kindIn(proposal, "Tray").binding.parameters, undefined);
});

test("what the document says of fields is certain, and reaches what lies below", async () => {
  const oven = kindIn(await proposed(sampleArm), "Oven");
  const entries = oven.binding.fields.map((one) => [one.path, one.class, one.from, one.confidence]);
  assert.deepEqual(entries, [
    ["/id", "read-only", "annotation", 1],
    ["/name", "read-only", "annotation", 1],
    ["/location", "create-only", "annotation", 1],
    ["/properties/state", "read-only", "annotation", 1],
    ["/properties/health", "read-only", "annotation", 1],
    ["/properties/password", "write-only", "annotation", 1],
    ["/properties/speed", "writable", "annotation", 0.5],
  ]);
  assert.equal(oven.classified.judgements.get("/properties/health/since")?.why, "readOnly (above)");
  const password = oven.binding.fields.find(({ path }) => path === "/properties/password");
  assert.equal(password?.isSecret, true);
  assert.deepEqual(fieldRulesOf(schemaOf(oven)), [
    { path: "/spec/location", rule: "create-only" },
    { path: "/spec/properties/password", rule: "secret" },
  ]);
});

test("special cases are reachable, open enums open, and what contains itself is cut", async () => {
  const spec = objectAt(schemaOf(kindIn(await proposed(sampleArm), "Oven")), "properties", "spec");
  const properties = objectAt(spec, "properties", "properties", "properties");
  const heating = objectAt(properties, "heating", "properties");
  assert.deepEqual(Object.keys(heating), ["type", "watts", "pressure"]);
  assert.deepEqual(objectAt(properties, "mode"), { type: "string" });
  assert.deepEqual(objectAt(properties, "size")["enum"], ["small", "large"]);
  assert.equal(
    objectAt(properties, "recipe", "properties", "part")["x-kubernetes-preserve-unknown-fields"],
    true,
  );
  assert.equal(objectAt(properties, "speed")["default"], undefined);
  assert.equal(objectAt(properties, "speed")["exclusiveMaximum"], true);
});

test("a single key around the object is its envelope, in requests and answers", async () => {
  const droplet = {
    type: "object",
    properties: { id: { type: "integer" }, name: text, size: text },
  };
  const { kinds } = await proposed({
    openapi: "3.1.0",
    paths: {
      "/droplets": {
        get: {
          parameters: [{ name: "page", in: "query", schema: { type: "integer" } }],
          responses: {
            "200": json({ properties: { droplets: { type: "array", items: droplet } } }),
          },
        },
        post: {
          requestBody: json({ required: ["name"], properties: { name: text, size: text } }),
          responses: { "202": json({ properties: { droplet } }) },
        },
      },
      "/droplets/{droplet_id}": {
        get: { responses: { "200": json({ properties: { droplet } }) } },
        put: {
          requestBody: json({
            properties: { droplet: { properties: { name: text, size: text } } },
          }),
          responses: { "200": json({ properties: { droplet } }) },
        },
        delete: { responses: { "204": {} } },
      },
    },
  });
  const [kind] = kinds;
  assert.deepEqual(kind?.binding.operations, {
    read: { method: "GET", answer: "/droplet" },
    list: {
      method: "GET",
      items: "/droplets",
      paging: { kind: "number", parameter: "page", first: 1 },
    },
    create: { method: "POST", answer: "/droplet" },
    replace: { method: "PUT", answer: "/droplet", body: "/droplet" },
    delete: { method: "DELETE" },
  });
  assert.deepEqual(kind?.binding.identity, {
    kind: "server",
    field: "/id",
    parameter: "droplet_id",
  });
});

test("reading and writing with nothing in common is told, and nothing is inferred", async () => {
  const { kinds, problems } = await proposed({
    swagger: "2.0",
    paths: {
      "/jobs": {
        post: {
          parameters: [{ in: "body", name: "b", schema: { properties: { order: text, a: text } } }],
          responses: {},
        },
      },
      "/jobs/{id}": {
        get: answer({ properties: { result: text, started: text, lines: text } }),
        delete: { responses: {} },
      },
    },
  });
  const [kind] = kinds;
  assert.ok(kind);
  assert.deepEqual(pathsOf(kind, "read-only"), []);
  const messages = problems.map(({ message }) => message).join("\n");
  assert.match(messages, /little in common, so they are not compared/);
});

test("a service of calls has no resources, and a log is none", async () => {
  const call = {
    post: {
      parameters: [{ in: "body", name: "b", schema: { properties: { key: text } } }],
      responses: {},
    },
  };
  const { kinds } = await proposed({
    swagger: "2.0",
    paths: {
      "/v3/kv/range": call,
      "/v3/kv/put": call,
      "/v3/lease/{id}": call,
      "/logs": call,
      "/logs/{id}": { get: answer({ properties: { key: text } }) },
    },
  });
  assert.deepEqual(kinds, []);
});

test("a list of another number and a view of the same object are understood", async () => {
  const silence = { $ref: "#/definitions/Silence" };
  const body = [{ in: "body", name: "b", schema: silence }];
  const { kinds } = await proposed({
    swagger: "2.0",
    definitions: { Silence: { properties: { id: text, comment: text } } },
    paths: {
      "/silences": {
        get: answer({ type: "array", items: silence }),
        post: { parameters: body, responses: {} },
      },
      "/silence/{silenceID}": { get: answer(silence), delete: { responses: {} } },
      "/silence/{silenceID}/status": {
        get: answer(silence),
        put: { parameters: body, ...answer(silence) },
      },
    },
  });
  assert.deepEqual(
    kinds.map(({ id }) => id),
    ["silences.example.com"],
  );
  assert.equal(kinds[0]?.binding.collection, "/silences");
});

test("kinds of the same name are told apart by what they lie below", async () => {
  const schema = { properties: { name: text, size: text } };
  const item = {
    get: answer(schema),
    put: { parameters: [{ in: "body", name: "b", schema }], responses: {} },
  };
  const { kinds } = await proposed({
    swagger: "2.0",
    paths: {
      "/cats/{a}/keys/{k}": item,
      "/dogs/{b}/keys/{k}": item,
      "/cats/{c}/bags/keys/{k}": item,
      "/keys": {},
    },
  });
  assert.deepEqual(
    kinds.map(({ name }) => `${name.kind} ${name.plural}`),
    ["Key keys", "DogKey dogkeys", "BagKey bagkeys"],
  );
});
