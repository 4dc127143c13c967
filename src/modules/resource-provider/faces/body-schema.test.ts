import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as check, property } from "fast-check";
import { anyJson } from "../../../kernel/arbitraries.ts";
import type { ArmVersion } from "./arm-face.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { bodySchema } from "./body-schema.ts";

const rule = "x-setpoint-field-rule";
const schema: JsonObject = {
  type: "object",
  required: ["size", "url"],
  properties: {
    size: { type: "integer", minimum: 1, default: 3 },
    url: { type: "string", [rule]: "read-only" },
    network: {
      type: "object",
      properties: {
        cidr: { type: "string", [rule]: "create-only" },
        gateway: { type: "string", [rule]: "read-only" },
      },
    },
    principal: {
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "string" },
        secret: { type: "string", minLength: 3, [rule]: "secret" },
      },
    },
    pools: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, count: { type: "integer" } },
      },
    },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.network) || !has(self.network.cidr) || self.network.cidr.contains('/')",
      fieldPath: ".network.cidr",
      message: "must be a network",
    },
  ],
};
const version: ArmVersion = { apiVersion: "2026-01-01", schema };
const body = bodySchema(version);

test("every problem is told with its target, in sentences without double quotes", () => {
  const { problems } = body.accept({ size: "many", principal: { secret: "x" } }, undefined);
  assert.deepEqual(problems.map(({ code, target }) => `${code} ${target}`).sort(), [
    "InvalidParameter properties.principal.secret",
    "InvalidParameter properties.size",
    "MissingRequiredProperty properties.principal.id",
  ]);
  for (const { message } of problems) {
    assert.match(message, /^[A-Z][^"]*\.$/);
    assert.ok(!message.includes("'x'"), "secrets are not quoted");
  }
});

test("all that is wrong with one value is told, each in one sentence", () => {
  const city = { type: "string", minLength: 3, pattern: "^[a-z]+$" };
  const heat = { type: "object", properties: { celsius: { type: "integer", maximum: 300 } } };
  const oven = bodySchema({
    apiVersion: "2026-01-01",
    schema: {
      type: "object",
      properties: { city, heat, since: { type: "string", format: "date" } },
    },
  });
  const told = (properties: JsonObject): readonly string[] =>
    oven.accept(properties, undefined).problems.map(({ message }) => message);
  assert.deepEqual(told({ city: "X" }), [
    "The property 'properties.city' is refused: it should be at least 3 chars long, not 'X'.",
    "The property 'properties.city' is refused: it should match '^[a-z]+$', not 'X'.",
  ]);
  assert.deepEqual(told({ heat: { celsius: "hot" }, since: "noon" }), [
    "The property 'properties.heat.celsius' is refused: it must be of type integer, not string.",
    "The property 'properties.since' is refused: it must be of type date, not 'noon'.",
  ]);
  assert.deepEqual(told({ heat: { celsius: 777 } }), [
    "The property 'properties.heat.celsius' is refused: " +
      "it should be less than or equal to 300, not 777.",
  ]);
});

test("rules in CEL are run on properties", () => {
  const { problems } = body.accept({ network: { cidr: "10.0.0.0" } }, undefined);
  assert.deepEqual(
    problems.map(({ target }) => target),
    ["properties.network.cidr"],
  );
  assert.match(problems[0]?.message ?? "", /must be a network\.$/);
});

test("defaults are filled in, unknown fields are left out and named", () => {
  const { properties, unknown, problems } = body.accept({ colour: "red" }, undefined);
  assert.deepEqual(problems, []);
  assert.deepEqual(properties, { size: 3 });
  assert.deepEqual(unknown, ["colour"]);
});

test("what was read can be edited and written back", async () => {
  const spec = {
    size: 3,
    network: { cidr: "10.0.0.0/16" },
    principal: { id: "me", secret: "very" },
  };
  const status = { url: "https://x", network: { gateway: "10.0.0.1" }, conditions: [] };
  const before = await body.read({ spec, status });
  const shown = body.show(before);
  assert.deepEqual(shown, {
    size: 3,
    url: "https://x",
    network: { cidr: "10.0.0.0/16", gateway: "10.0.0.1" },
    principal: { id: "me" },
  });
  const edited = { ...shown, size: 5, provisioningState: "Succeeded" };
  const { properties, problems } = body.accept(edited, before);
  assert.deepEqual(problems, []);
  assert.deepEqual(await body.store(properties, spec), { ...spec, size: 5 });
});

test("a secret goes only when null is written in its place", async () => {
  const spec = { size: 3, principal: { id: "me", secret: "very" } };
  const before = await body.read({ spec, status: {} });
  const { properties } = body.accept({ principal: { id: "me", secret: null } }, before);
  assert.deepEqual(properties, { size: 3, principal: { id: "me" } });
});

test("a field that is fixed at creation names itself, the old value and the new", async () => {
  const before = await body.read({
    spec: { size: 3, network: { cidr: "10.0.0.0/16" } },
    status: {},
  });
  assert.deepEqual(body.accept({ network: { cidr: "10.1.0.0/16" } }, before).problems, [
    {
      code: "PropertyChangeNotAllowed",
      target: "properties.network.cidr",
      message:
        "The property 'properties.network.cidr' " +
        "cannot be changed from '10.0.0.0/16' to '10.1.0.0/16'.",
    },
  ]);
  const removed = body.accept({ network: {} }, before).problems;
  assert.match(removed[0]?.message ?? "", /from '10\.0\.0\.0\/16' to nothing\.$/);
});

test("of a field that is fixed and required it is told once that it is missing", () => {
  const engine = { type: "string", [rule]: "create-only" };
  const { problems } = bodySchema({
    apiVersion: "2026-01-01",
    schema: { type: "object", required: ["engine"], properties: { engine } },
  }).accept({}, { engine: "pg" });
  assert.deepEqual(problems, [
    {
      code: "MissingRequiredProperty",
      target: "properties.engine",
      message: "The property 'properties.engine' is required.",
    },
  ]);
});

test("fields of other versions survive, also in items of the same name", async () => {
  const before: JsonObject = {
    size: 3,
    newer: true,
    pools: [
      { name: "a", count: 1, zone: 1 },
      { name: "b", count: 1, zone: 2 },
    ],
  };
  const properties = {
    size: 4,
    pools: [
      { name: "b", count: 2 },
      { name: "c", count: 1 },
    ],
  };
  assert.deepEqual(await body.store(properties, before), {
    size: 4,
    newer: true,
    pools: [
      { name: "b", count: 2, zone: 2 },
      { name: "c", count: 1 },
    ],
  });
});

test("an object that is left out keeps what is unknown of it, and null takes it all", async () => {
  const cidr = { type: "string" };
  const older = bodySchema({
    apiVersion: "2025-01-01",
    schema: {
      type: "object",
      properties: {
        net: {
          type: "object",
          properties: { cidr, dns: { type: "object", properties: { zone: cidr } } },
        },
        firm: { type: "object", required: ["cidr"], properties: { cidr } },
      },
    },
  });
  const dns = { zone: "z", ttl: 5 };
  const before = { net: { cidr: "10/8", mtu: 9000, dns }, firm: { cidr: "10/8", mtu: 1 } };
  const left = { net: { mtu: 9000, dns: { ttl: 5 } } };
  assert.deepEqual(await older.store({}, before, {}), left);
  assert.deepEqual(await older.store({ net: { cidr: "11/8" } }, before), {
    net: { cidr: "11/8", mtu: 9000, dns: { ttl: 5 } },
  });
  assert.deepEqual(await older.store({}, before, { net: null }), {});
  assert.deepEqual(await older.store({ net: {} }, before, { net: { dns: null } }), {
    net: { mtu: 9000 },
  });
  // To the version it is gone, as its client wanted it.
  assert.deepEqual(await older.read({ spec: left, status: {} }), {});
  assert.deepEqual(await older.read({ spec: { net: {} }, status: {} }), { net: {} });
  assert.deepEqual(await older.store({}, left, {}), left);
});

test("a version with functions of its own is read and stored through them", async () => {
  const nested = bodySchema({
    apiVersion: "2027-01-01",
    schema: { type: "object", properties: { scale: { type: "integer" } } },
    fromStored: ({ spec }) => ({ scale: spec["size"] ?? 0, internal: true }),
    toStored: ({ scale = 0 }, before) => Promise.resolve({ ...before, size: scale }),
  });
  assert.deepEqual(await nested.read({ spec: { size: 3 }, status: {} }), { scale: 3 });
  assert.deepEqual(await nested.store({ scale: 4 }, { size: 3, other: 1 }), { size: 4, other: 1 });
});

test("nothing that can be sent makes it crash", () => {
  check(
    property(anyJson, anyJson, (wanted, other) => {
      const first = body.accept(wanted, undefined);
      for (const { target } of first.problems) assert.match(target, /^properties/);
      body.accept({ size: 3, network: other, principal: wanted, pools: other }, { size: 3 });
    }),
  );
});
