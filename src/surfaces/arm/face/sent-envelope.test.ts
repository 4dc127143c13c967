import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { ArmFace } from "../../../modules/resource-provider/face.ts";
import { checkSent } from "./sent-envelope.ts";

const face: ArmFace = {
  kind: "shops.example.com",
  provider: "Example.Shop",
  type: "shops",
  locations: ["West Europe"],
  versions: [],
};
const place = {
  subscription: "11111111-2222-3333-4444-555555555555",
  group: "g",
  provider: "Example.Shop",
  types: ["shops"],
  names: ["one"],
};

test("another provisioningState is refused with its value quoted once", () => {
  const told = (provisioningState: Json): readonly string[] => {
    const body = { location: "westeurope", properties: { provisioningState } };
    const facts = { place, face, before: undefined, state: undefined, isPatch: false };
    return checkSent(body, facts).problems.map(({ message }) => message);
  };
  assert.deepEqual(told("Updating"), [
    "The property 'provisioningState' is read-only and cannot be set to 'Updating'.",
  ]);
  assert.deepEqual(told(3), [
    "The property 'provisioningState' is read-only and cannot be set to '3'.",
  ]);
  assert.deepEqual(told("Creating"), []);
});

test("what no face can offer is refused by name, unless it says that none is wanted", () => {
  const told = (more: JsonObject): readonly (string | undefined)[] => {
    const body = { location: "westeurope", properties: {}, ...more };
    const facts = { place, face, before: undefined, state: undefined, isPatch: false };
    return checkSent(body, facts).problems.map(({ code, target }) => `${code} ${target}`);
  };
  const all = { sku: { name: "a" }, identity: { type: "SystemAssigned" }, plan: { name: "p" } };
  const rest = { kind: "k", zones: ["1"], managedBy: "/x", extendedLocation: { name: "e" } };
  assert.deepEqual(
    told({ ...all, ...rest }),
    [...Object.keys(all), ...Object.keys(rest)].map((key) => `InvalidRequestContent ${key}`),
  );
  assert.deepEqual(told({ sku: null, identity: { type: "None" }, plan: {}, zones: [] }), []);
  // Fields that nobody knows are passed over, as in properties.
  assert.deepEqual(told({ comments: "x" }), []);
});

test("tags whose names differ in case alone are one tag that is there twice", () => {
  const body = { location: "westeurope", tags: { A: "1", a: "2", b: "3" } };
  const facts = { place, face, before: undefined, state: undefined, isPatch: false };
  const { problems } = checkSent(body, facts);
  assert.deepEqual(
    problems.map(({ code, target }) => [code, target]),
    [["InvalidTags", "tags.a"]],
  );
});
