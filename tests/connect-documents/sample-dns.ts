// A service like many, for tests: an object with a list that is changed by commands, one schema for
// everything, and a sentence that says which fields can be changed.

import type { Json, JsonObject } from "../../src/kernel/json.ts";

const ok = (schema: Json): JsonObject => ({ "200": { description: "ok", schema } });
const body = (name: string): JsonObject => ({
  in: "body",
  name: "body",
  required: true,
  schema: { $ref: `#/definitions/${name}` },
});
const server: JsonObject = { name: "server_id", in: "path", required: true, type: "string" };
const text: JsonObject = { type: "string" };

const domain = { $ref: "#/definitions/Domain" };

export const sampleDns = {
  swagger: "2.0",
  info: { title: "NameKeeper HTTP API", version: "1" },
  basePath: "/api/v1",
  consumes: ["application/json"],
  securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-API-Key" } },
  paths: {
    "/servers": { get: { responses: ok({ type: "array", items: { type: "object" } }) } },
    "/servers/{server_id}": { get: { responses: ok({ type: "object" }) } },
    "/servers/{server_id}/domains": {
      parameters: [server],
      get: { responses: ok({ type: "array", items: domain }) },
      post: { parameters: [body("Domain")], responses: { "201": { schema: domain } } },
    },
    "/servers/{server_id}/domains/{domain_id}": {
      get: { parameters: [server], responses: ok(domain) },
      delete: { responses: { "204": { description: "gone" } } },
      patch: {
        summary: "Changes record sets.",
        parameters: [body("Domain")],
        responses: { "204": { description: "done" } },
      },
      put: {
        description: "The only fields that can be modified are: kind, masters, and owner.",
        parameters: [body("Domain")],
        responses: { "204": { description: "done" } },
      },
    },
    "/servers/{server_id}/domains/{domain_id}/notify": {
      put: { responses: { "200": { description: "done" } } },
    },
    "/servers/{server_id}/domains/{domain_id}/notes/{note_kind}": {
      get: { responses: ok({ $ref: "#/definitions/Note" }) },
      put: { parameters: [body("Note")], responses: ok({ $ref: "#/definitions/Note" }) },
      delete: { responses: { "204": { description: "gone" } } },
    },
    "/servers/{server_id}/domains/{domain_id}/notes": {
      get: { responses: ok({ type: "array", items: { $ref: "#/definitions/Note" } }) },
      post: { parameters: [body("Note")], responses: { "204": { description: "done" } } },
    },
    "/servers/{server_id}/upstreams": {
      get: { responses: ok({ $ref: "#/definitions/Upstream" }) },
      post: { parameters: [body("Upstream")], responses: { "201": { description: "made" } } },
    },
    "/servers/{server_id}/upstreams/{ip}/{host}": {
      delete: { responses: { "204": { description: "gone" } } },
    },
  },
  definitions: {
    Domain: {
      properties: {
        id: { type: "string", description: "Opaque, assigned by the server." },
        name: text,
        url: text,
        kind: { type: "string", enum: ["Native", "Primary"] },
        serial: { type: "integer" },
        masters: { type: "array", items: text },
        owner: text,
        hosts: {
          type: "array",
          items: text,
          description: "Used during creation only, MUST NOT be sent by the server.",
        },
        sets: { type: "array", items: { $ref: "#/definitions/Set" } },
      },
    },
    Set: {
      required: ["name", "type", "ttl", "changetype", "records"],
      properties: {
        name: text,
        type: text,
        ttl: { type: "integer" },
        changetype: { type: "string", description: "Must be REPLACE or DELETE." },
        records: { type: "array", items: { properties: { content: text } } },
      },
    },
    Note: { properties: { kind: text, lines: { type: "array", items: text } } },
    Upstream: { properties: { ip: text, host: text, account: text } },
  },
} satisfies JsonObject;
