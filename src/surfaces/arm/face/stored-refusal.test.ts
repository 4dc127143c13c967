import assert from "node:assert/strict";
import { test } from "node:test";
import { invalid } from "../../../intents/refusals.ts";
import { invalidField, requiredField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { objectsAt } from "../../../kernel/json-read.ts";
import { armErrorAnswer } from "../protocol/arm-error.ts";
import type { FaceMistake } from "../request/surface-state.ts";
import type { ArmFace, ArmVersion } from "../../../modules/resource-provider/face.ts";
import { asSentTo } from "./stored-refusal.ts";

const text = { type: "string" };
const version: ArmVersion = {
  apiVersion: "2026-06-01",
  schema: {
    type: "object",
    properties: {
      heat: { type: "object", properties: { celsius: { type: "integer" } } },
      trays: { type: "array", items: { type: "object", properties: { name: text } } },
      notes: { type: "object", additionalProperties: text },
    },
  },
};
const face: ArmFace = {
  kind: "ovens.example.com",
  provider: "Example.Bakery",
  type: "ovens",
  locations: ["West Europe"],
  versions: [version],
};

interface Told {
  readonly targets: readonly unknown[];
  readonly mistakes: readonly FaceMistake[];
}

async function toldOf(...errors: readonly FieldError[]): Promise<Told> {
  const mistakes: FaceMistake[] = [];
  const onMistake = (mistake: FaceMistake): void => void mistakes.push(mistake);
  const kind = { group: "example.com", names: { kind: "Oven" } };
  const refusal = invalid(kind, "one", errors);
  const thrown: unknown = await asSentTo({ onMistake }, { face, version }, Promise.reject(refusal))
    .then(() => assert.fail("it was refused"))
    .catch((error: unknown) => error);
  const { status, body } = armErrorAnswer(thrown);
  assert.equal(status, 400);
  return { targets: objectsAt(body, "error", "details").map(({ target }) => target), mistakes };
}

test("fields that the api-version has are told as clients write them", async () => {
  const { targets, mistakes } = await toldOf(
    requiredField("spec.heat.celsius"),
    invalidField("spec.trays[1].name", "x", "is odd"),
    invalidField("spec.notes[a.b/c]", "x", "is odd"),
    invalidField("spec", {}, "is odd"),
  );
  assert.deepEqual(targets, [
    "properties.heat.celsius",
    "properties.trays[1].name",
    "properties.notes[a.b/c]",
    "properties",
  ]);
  assert.deepEqual(mistakes, []);
});

test("of other fields the author is told, without what is in them", async () => {
  const { targets, mistakes } = await toldOf(
    invalidField("spec.degrees", "s3cret", "is odd"),
    invalidField("spec.trays[0].size", 3, "is odd"),
    requiredField("spec.heat.celsius"),
  );
  assert.deepEqual(targets, ["properties", "properties", "properties.heat.celsius"]);
  assert.deepEqual(mistakes, [
    {
      what: "refused",
      type: "Example.Bakery/ovens",
      kind: "ovens.example.com",
      apiVersion: "2026-06-01",
      fields: ["spec.degrees", "spec.trays[0].size"],
    },
  ]);
});

test("what is refused for something else is left as it is", async () => {
  const errors = [requiredField("spec.degrees"), invalidField("metadata.name", "x", "is odd")];
  const { targets, mistakes } = await toldOf(...errors);
  assert.deepEqual(targets, ["properties.degrees", "metadata.name"]);
  assert.deepEqual(mistakes, []);
});
