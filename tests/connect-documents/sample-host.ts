// A service for tests that wraps its answers, has schemas of its own for making, changing and
// reading, and takes its time: like those that keep machines.

import type { Json, JsonObject } from "../../src/kernel/json.ts";

const text: JsonObject = { type: "string" };
const texts: JsonObject = { type: "object", additionalProperties: text };
const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });

const wrapped = (schema: Json): JsonObject => ({
  "200": {
    headers: { ETag: text },
    schema: {
      properties: { type: text, status: text, status_code: { type: "integer" }, metadata: schema },
    },
  },
});
const accepted: JsonObject = {
  "202": {
    schema: {
      properties: { operation: text, type: text, metadata: { properties: { status: text } } },
    },
  },
};
const body = (name: string): readonly Json[] => [{ in: "body", name: "body", schema: ref(name) }];

const resource = (name: string, put: string, answers: JsonObject): JsonObject => ({
  get: { responses: wrapped(ref(name)) },
  put: { parameters: body(put), responses: answers },
  patch: { parameters: body(put), responses: answers },
  delete: { responses: answers },
});
const list = (made: string): JsonObject => ({
  get: { responses: wrapped({ type: "array", items: text }) },
  post: { parameters: body(made), responses: { "201": {} } },
});
const listed = (name: string): JsonObject => ({
  get: { responses: wrapped({ type: "array", items: ref(name) }) },
});
const done: JsonObject = { "200": {} };

export const sampleHost = {
  swagger: "2.0",
  info: { title: "Hosts", version: "1.0" },
  basePath: "/",
  paths: {
    "/1.0/profiles": list("ProfilesPost"),
    "/1.0/profiles?recursion=1": listed("Profile"),
    "/1.0/profiles/{name}": resource("Profile", "ProfilePut", done),
    "/1.0/storage-pools": list("PoolsPost"),
    "/1.0/storage-pools/{poolName}": resource("Pool", "PoolPut", done),
    "/1.0/instances": {
      ...list("InstancesPost"),
      post: { parameters: body("InstancesPost"), responses: accepted },
    },
    "/1.0/instances?recursion=1": listed("Instance"),
    "/1.0/instances/{name}": resource("Instance", "InstancePut", accepted),
    "/1.0/instances/{name}/state": {
      get: { responses: wrapped(ref("State")) },
      put: { parameters: body("StatePut"), responses: accepted },
    },
  },
  definitions: {
    Profile: {
      properties: {
        name: { type: "string", readOnly: true },
        used_by: { type: "array", items: text, readOnly: true },
        config: texts,
        description: text,
      },
    },
    ProfilesPost: { properties: { name: text, config: texts, description: text } },
    ProfilePut: { properties: { config: texts, description: text } },
    Pool: { properties: { driver: text, name: text, config: texts } },
    PoolsPost: { properties: { name: text, driver: text, config: texts } },
    PoolPut: { properties: { config: texts } },
    Instance: { properties: { name: text, config: texts, created_at: text, status: text } },
    InstancesPost: {
      properties: {
        name: text,
        config: texts,
        instance_type: text,
        source: { properties: { type: text } },
      },
    },
    InstancePut: { properties: { config: texts } },
    State: { properties: { pid: { type: "integer" }, cpu: text } },
    StatePut: { properties: { action: text, timeout: { type: "integer" } } },
  },
} satisfies JsonObject;
