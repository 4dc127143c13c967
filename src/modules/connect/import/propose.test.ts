// What an import makes of a small service whose document says little.
import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionErrors } from "../../../intents/kinds/definition-check.ts";
import { defaultDefinition } from "../../../intents/kinds/definition-defaults.ts";
import { fieldRulesOf } from "../../../intents/kinds/definition-field-rules.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { objectAt, objectsAt } from "../../../kernel/json-read.ts";
import { madeUp } from "../document/made-up.ts";
import { propose } from "./propose.ts";
import type { Proposal, ProposedKind } from "./propose.ts";
import { sampleDns } from "../../../../tests/connect-documents/sample-dns.ts";

async function proposed(document: Json, options: object = {}): Promise<Proposal> {
  return propose(await madeUp({ root: document }), {
    baseUrl: "http://127.0.0.1:8081",
    ...options,
  });
}

function kindIn({ kinds }: Proposal, name: string): ProposedKind {
  const found = kinds.find((kind) => kind.name.kind === name);
  assert.ok(found, `${name} is among ${kinds.map((kind) => kind.name.kind).join(", ")}`);
  return found;
}

function schemaOf({ definition }: ProposedKind): JsonObject {
  const [version] = objectsAt(definition, "spec", "versions");
  return objectAt(version, "schema", "openAPIV3Schema");
}

function classesOf({ binding }: ProposedKind): Readonly<Record<string, string>> {
  return Object.fromEntries(binding.fields.map((field) => [field.path, field.class]));
}

test("objects, their parents and their elements are found, actions are not", async () => {
  const { kinds, group } = await proposed(sampleDns);
  assert.equal(group, "namekeeper.services.local");
  const found = kinds.map(
    ({ id, binding }) => `${id} < ${binding.parent?.kind ?? binding.parent?.path}`,
  );
  assert.deepEqual(found, [
    "domains.namekeeper.services.local < /servers/{server_id}",
    "sets.namekeeper.services.local < domains.namekeeper.services.local",
    "notes.namekeeper.services.local < domains.namekeeper.services.local",
    "upstreams.namekeeper.services.local < /servers/{server_id}",
  ]);
});

test("who names an object is told from the parameter, the request and the answer", async () => {
  const proposal = await proposed(sampleDns);
  const identity = (name: string): object => kindIn(proposal, name).binding.identity;
  assert.deepEqual(identity("Domain"), { kind: "server", field: "/id", parameter: "domain_id" });
  assert.deepEqual(identity("Note"), { kind: "client", field: "/kind", parameter: "note_kind" });
  assert.deepEqual(identity("Upstream"), {
    kind: "composite",
    fields: { ip: "/ip", host: "/host" },
  });
  assert.deepEqual(identity("Set"), {
    kind: "composite",
    fields: { name: "/name", type: "/type" },
  });
});

test("one schema for everything is told apart by descriptions and names, as guesses", async () => {
  const domain = kindIn(await proposed(sampleDns), "Domain");
  assert.deepEqual(classesOf(domain), {
    "/id": "read-only",
    "/name": "create-only",
    "/url": "create-only",
    "/serial": "read-only",
    "/hosts": "write-only",
    "/sets": "read-only",
  });
  const id = domain.binding.fields.find(({ path }) => path === "/id");
  assert.deepEqual([id?.from, id?.confidence !== undefined && id.confidence < 1], ["name", true]);
  assert.deepEqual(domain.binding.operations.replace?.takes, ["/kind", "/masters", "/owner"]);
  assert.equal(domain.binding.operations.patch, undefined);
});

test("what a creation requires is never guessed to be read-only", async () => {
  const text = { type: "string" };
  const properties = {
    id: text,
    name: text,
    createdBy: text,
    createdAt: { type: "string", format: "date-time" },
    origin: { type: "object", required: ["lastModified"], properties: { lastModified: text } },
  };
  const schema = { $ref: "#/definitions/Note" };
  const parameters = [{ in: "body", name: "body", schema }];
  const answer = { responses: { "200": { schema } } };
  const { kinds } = await proposed({
    swagger: "2.0",
    definitions: { Note: { type: "object", required: ["name", "createdBy"], properties } },
    paths: {
      "/notes": { post: { parameters, ...answer }, get: answer },
      "/notes/{note_id}": { get: answer, put: { parameters, ...answer } },
    },
  });
  const [note] = kinds;
  assert.ok(note);
  const { "/createdBy": by, "/createdAt": at } = classesOf(note);
  assert.deepEqual([by, at], [undefined, "read-only"]);
  assert.equal(classesOf(note)["/origin/lastModified"], undefined);
  const spec = objectAt(schemaOf(note), "properties", "spec");
  assert.deepEqual(spec["required"], ["name", "createdBy"]);
});

test("a list that is changed by commands is a kind of its elements", async () => {
  const { binding, definition } = kindIn(await proposed(sampleDns), "Set");
  assert.deepEqual(binding.element, {
    list: "/sets",
    keys: ["/name", "/type"],
    command: { field: "changetype", put: "REPLACE", delete: "DELETE" },
  });
  assert.deepEqual(binding.operations, {
    read: { method: "GET" },
    patch: { method: "PATCH", style: "set" },
  });
  const [version] = objectsAt(definition, "spec", "versions");
  const spec = objectAt(version, "schema", "openAPIV3Schema", "properties", "spec");
  assert.deepEqual(Object.keys(objectAt(spec, "properties")), ["name", "type", "ttl", "records"]);
  assert.deepEqual(spec["required"], ["name", "type", "ttl", "records"]);
});

test("definitions are accepted, lack what is read-only and fix what is set once", async () => {
  const proposal = await proposed(sampleDns);
  for (const { definition, id } of proposal.kinds) {
    assert.deepEqual(definitionErrors(defaultDefinition(definition)), [], id);
  }
  const schema = schemaOf(kindIn(proposal, "Domain"));
  assert.deepEqual(Object.keys(objectAt(schema, "properties")), ["spec", "connect", "status"]);
  const spec = objectAt(schema, "properties", "spec");
  assert.deepEqual(Object.keys(objectAt(spec, "properties")), [
    "name",
    "url",
    "kind",
    "masters",
    "owner",
    "hosts",
  ]);
  assert.deepEqual(fieldRulesOf(schema), [
    { path: "/spec/name", rule: "create-only" },
    { path: "/spec/url", rule: "create-only" },
    { path: "/spec/hosts", rule: "create-only" },
  ]);
});

test("the base path and the way to log in go into the Connection", async () => {
  const { connection } = await proposed(sampleDns, { connection: "dns" });
  assert.deepEqual(connection, {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "Connection",
    metadata: { name: "dns" },
    spec: {
      baseUrl: "http://127.0.0.1:8081/api/v1",
      secretNamespace: "default",
      auth: { kind: "apiKey", secret: "dns", in: "header", name: "X-API-Key" },
    },
  });
  const given = await proposed(sampleDns, { baseUrl: "https://dns.example.com/v2/" });
  assert.equal(objectAt(given.connection, "spec")["baseUrl"], "https://dns.example.com/v2");
  assert.equal(given.group, "dns.example.com");
});

test("parameters are given by each resource unless they are the same for all", async () => {
  const open = kindIn(await proposed(sampleDns), "Domain");
  assert.deepEqual(open.binding.parameters, { server_id: { given: true } });
  const fixed = kindIn(await proposed(sampleDns, { values: { server_id: "main" } }), "Domain");
  assert.deepEqual(fixed.binding.parameters, { server_id: { value: "main" } });
});

test("only what was asked for is proposed", async () => {
  const { kinds } = await proposed(sampleDns, { only: ["notes"] });
  assert.deepEqual(
    kinds.map(({ name }) => name.kind),
    ["Note"],
  );
});
