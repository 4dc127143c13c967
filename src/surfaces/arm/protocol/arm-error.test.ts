// Refusals in the envelope of the Resource Manager.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ArmActionRefused } from "../../../modules/resource-provider/faces/arm-face.ts";
import { SetpointError, catalogue } from "../../../kernel/errors.ts";
import type { ErrorCode } from "../../../kernel/errors.ts";
import { invalidField, requiredField } from "../../../kernel/field-error.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import { invalid, unexplained } from "../../../intents/refusals.ts";
import { armErrorAnswer, armRefusals } from "./arm-error.ts";

it("have every problem of a document in their details, with targets as clients write them", () => {
  const kind = { group: "a.b", names: { kind: "C" } };
  const errors = [requiredField("spec.x"), invalidField("spec.y[0]", 3, "must be less")];
  const { status, body } = armErrorAnswer(invalid(kind, "n", errors));
  assert.equal(status, 400);
  assert.equal(textAt(body, "error", "code"), "MultipleErrorsOccurred");
  const details = objectsAt(body, "error", "details");
  assert.deepEqual(
    details.map(({ code, target }) => [code, target]),
    [
      ["MissingRequiredProperty", "properties.x"],
      ["InvalidParameter", "properties.y[0]"],
    ],
  );
});

it("have a code in one word and begin like a sentence for everything in the catalogue", () => {
  for (const code of Object.keys(catalogue) as ErrorCode[]) {
    const { status, body } = armErrorAnswer(new SetpointError(code, 'something "odd" happened'));
    assert.match(textAt(body, "error", "code"), /^[A-Z][A-Za-z]+$/, code);
    assert.match(textAt(body, "error", "message"), /^[A-Z]/, code);
    assert.ok(status >= 400, code);
  }
});

it("leave names and the words of others as they are", () => {
  const words = 'ovens.shop.example "one" is forbidden: admission webhook "w" says: not today';
  const { body } = armErrorAnswer(new SetpointError("request.forbidden", words));
  assert.equal(textAt(body, "error", "message"), `The request is refused: ${words}`);
});

it("tell nothing about what nobody expected", () => {
  const { status, body } = armErrorAnswer(new TypeError("secret"));
  assert.equal(status, 500);
  assert.ok(!JSON.stringify(body).includes("secret"));
});

it("are never 500 for a mistake of a client", () => {
  assert.equal(armErrorAnswer(unexplained("nonsense")).status, 400);
});

it("name the one problem itself where there is one", () => {
  const problem = { code: "A", message: "One.", target: "x" };
  const { body } = armErrorAnswer(armRefusals([problem]));
  assert.deepEqual(body, { error: { ...problem, details: [problem] } });
});

it("point at no one place where there are several problems", () => {
  const problems = ["X", "Y"].map((target) => ({ code: "A", message: `${target}.`, target }));
  const { body } = armErrorAnswer(armRefusals(problems));
  assert.deepEqual(body, {
    error: {
      code: "MultipleErrorsOccurred",
      message: "Multiple errors occurred: X. Y.",
      details: problems,
    },
  });
});

it("tell a hundred of many problems, and how many there are besides", () => {
  const problems = Array.from({ length: 102 }, (_, at) => {
    return { code: "A", message: `P${at}.`, target: "x" };
  });
  const { body } = armErrorAnswer(armRefusals(problems));
  assert.equal(objectsAt(body, "error", "details").length, 100);
  assert.equal(textAt(body, "error", "code"), "MultipleErrorsOccurred");
  assert.ok(textAt(body, "error", "message").endsWith("P98. P99. And 2 more."));
});

it("give an action that refuses its own code and words", () => {
  assert.deepEqual(armErrorAnswer(new ArmActionRefused("NotYet", 'vm-12 is "locked"')), {
    status: 409,
    body: { error: { code: "NotYet", message: 'vm-12 is "locked"' } },
  });
});
