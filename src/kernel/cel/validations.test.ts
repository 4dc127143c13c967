// x-kubernetes-validations on documents: messages, reasons, paths, old values, ratcheting and
// budgets. Expected errors were taken from the validation of kube-apiserver.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { causeReason, fieldErrorText } from "../field-error-text.ts";
import type { Json, JsonObject } from "../json.ts";
import { compileSchema } from "../schema/compile.ts";
import { blockedRules, compileValidations, compileValidator } from "./validations.ts";

const rulesKey = "x-kubernetes-validations";

/** A spec with a few fields, further ones, and rules on the spec itself. */
function specSchema(rules: readonly Json[], properties: JsonObject = {}): JsonObject {
  const text = { type: "string" };
  const fields: JsonObject = {
    a: { type: "integer" },
    b: { type: "integer" },
    s: text,
    l: { type: "array", items: text },
    m: { type: "object", additionalProperties: { type: "integer" } },
    ...properties,
  };
  const spec = { type: "object", properties: fields, [rulesKey]: rules };
  return { type: "object", properties: { spec } };
}

/** A spec with one field "n", which has the rules. */
function fieldSchema(field: JsonObject, ...rules: readonly string[]): JsonObject {
  return specSchema([], { n: { ...field, [rulesKey]: rules.map((rule) => ({ rule })) } });
}

function errors(schema: JsonObject, value: Json, old?: Json): readonly string[] {
  const validator = compileValidator(compileSchema(schema));
  assert.ok(validator !== undefined);
  return validator(value, old).map(
    (error) => `${causeReason(error.kind)} ${fieldErrorText(error)}`,
  );
}

describe("a broken rule", () => {
  const broken = { spec: { a: 2, b: 1 } };
  const rule = "self.a < self.b";
  const cases: readonly (readonly [rule: JsonObject, error: string])[] = [
    [{ rule }, "FieldValueInvalid spec: Invalid value: failed rule: self.a < self.b"],
    [{ rule, message: " too big " }, "FieldValueInvalid spec: Invalid value: too big"],
    [
      { rule, messageExpression: "'a is ' + string(self.a)" },
      "FieldValueInvalid spec: Invalid value: a is 2",
    ],
    [
      { rule, message: "m", messageExpression: "'a\\nb'" },
      "FieldValueInvalid spec: Invalid value: m",
    ],
    [
      { rule, message: "m", messageExpression: "self.s" },
      "FieldValueInvalid spec: Invalid value: m",
    ],
    [
      { rule, reason: "FieldValueForbidden", fieldPath: ".a" },
      "FieldValueForbidden spec.a: Forbidden: failed rule: self.a < self.b",
    ],
    [
      { rule, reason: "FieldValueRequired", message: "x", fieldPath: ".m['q']" },
      "FieldValueRequired spec.m[q]: Required value: x",
    ],
    [{ rule, reason: "FieldValueDuplicate" }, "FieldValueDuplicate spec: Duplicate value"],
  ];
  for (const [given, expected] of cases) {
    test(`with ${JSON.stringify(given)} says: ${expected}`, () => {
      assert.deepEqual(errors(specSchema([given]), broken), [expected]);
    });
  }

  test("shows the value when it is neither an object nor a list", () => {
    const schema = fieldSchema({ type: "string" }, "self.size() > 5");
    assert.deepEqual(errors(schema, { spec: { n: "abc" } }), [
      'FieldValueInvalid spec.n: Invalid value: "abc": failed rule: self.size() > 5',
    ]);
  });

  test("is found in items and entries, with their paths", () => {
    const item = { type: "integer", [rulesKey]: [{ rule: "self > 1" }] };
    const list = specSchema([], { n: { type: "array", items: item } });
    assert.deepEqual(errors(list, { spec: { n: [0, 2] } }), [
      "FieldValueInvalid spec.n[0]: Invalid value: 0: failed rule: self > 1",
    ]);
    const map = specSchema([], { n: { type: "object", additionalProperties: item } });
    assert.deepEqual(errors(map, { spec: { n: { "a.b": 0, c: 5 } } }), [
      "FieldValueInvalid spec.n[a.b]: Invalid value: 0: failed rule: self > 1",
    ]);
  });

  test("of the root names no field, and may look at the name of the resource", () => {
    const schema = { type: "object", [rulesKey]: [{ rule: "self.metadata.name == 'x'" }] };
    assert.deepEqual(errors(schema, { kind: "Foo", metadata: { name: "y" } }), [
      "FieldValueInvalid <nil>: Invalid value: failed rule: self.metadata.name == 'x'",
    ]);
  });
});

describe("a rule that fails to run", () => {
  test("says what went wrong", () => {
    const missing = specSchema([{ rule: "self.s == 'x'" }, { rule: "self.a > 5" }]);
    assert.deepEqual(errors(missing, { spec: { a: 2 } }), [
      'FieldValueInvalid spec: Invalid value: "object": no such key: s evaluating rule: ' +
        "self.s == 'x'",
      "FieldValueInvalid spec: Invalid value: failed rule: self.a > 5",
    ]);
  });

  test("says that the types did not match", () => {
    const schema = fieldSchema({ "x-kubernetes-int-or-string": true }, "self > 5");
    assert.deepEqual(errors(schema, { spec: { n: "abc" } }), [
      "FieldValueInvalid spec.n: Invalid value: \"\": 'no such overload': call arguments did not " +
        "match a supported operator, function or macro signature for rule: self > 5",
    ]);
  });
});

describe("a transition rule", () => {
  const immutable = specSchema([{ rule: "self.a == oldSelf.a", message: "immutable" }]);

  test("runs only when there is an old value", () => {
    assert.deepEqual(errors(immutable, { spec: { a: 2 } }), []);
    assert.deepEqual(errors(immutable, { spec: { a: 2 } }, {}), []);
    assert.deepEqual(errors(immutable, { spec: { a: 2 } }, { spec: { a: 2 } }), []);
    assert.deepEqual(errors(immutable, { spec: { a: 2 } }, { spec: { a: 1 } }), [
      "FieldValueInvalid spec: Invalid value: immutable",
    ]);
  });

  test("runs without one when the old value is optional", () => {
    const rule = "oldSelf.hasValue() ? self.a == oldSelf.value().a : self.a == 0";
    const schema = specSchema([{ rule, message: "m", optionalOldSelf: true }]);
    const expected = ["FieldValueInvalid spec: Invalid value: m"];
    assert.deepEqual(errors(schema, { spec: { a: 2 } }), expected);
    assert.deepEqual(errors(schema, { spec: { a: 2 } }, { spec: { a: 1 } }), expected);
    assert.deepEqual(errors(schema, { spec: { a: 1 } }, { spec: { a: 1 } }), []);
  });

  test("finds the items of map lists by their keys", () => {
    const v = { type: "integer", [rulesKey]: [{ rule: "self == oldSelf", message: "fixed" }] };
    const n = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v } },
    };
    const items = (...found: readonly Json[]): Json => ({ spec: { n: found } });
    assert.deepEqual(
      errors(
        specSchema([], { n }),
        items({ k: "b", v: 2 }, { k: "a", v: 5 }, { k: "c", v: 7 }),
        items({ k: "a", v: 1 }, { k: "b", v: 2 }),
      ),
      ["FieldValueInvalid spec.n[1].v: Invalid value: 5: fixed"],
    );
  });
});

describe("what was wrong before and has not changed", () => {
  const schema = fieldSchema({ type: "integer" }, "self > 5");

  test("is forgiven, and told to who asks", () => {
    const validator = compileValidator(compileSchema(schema));
    const forgiven: string[] = [];
    const found = validator?.(
      { spec: { n: 2, a: 1 } },
      { spec: { n: 2, a: 2 } },
      {
        onForgiven: ({ path }) => forgiven.push(path),
      },
    );
    assert.deepEqual(found, []);
    assert.deepEqual(forgiven, ["spec.n"]);
  });

  test("is not forgiven once it changes", () => {
    assert.equal(errors(schema, { spec: { n: 3 } }, { spec: { n: 2 } }).length, 1);
    const around = specSchema([{ rule: "self.a > 5" }]);
    assert.equal(errors(around, { spec: { a: 2, b: 1 } }, { spec: { a: 2 } }).length, 1);
  });

  test("is forgiven in lists only as a whole", () => {
    const item = { type: "integer", [rulesKey]: [{ rule: "self > 10" }] };
    const list = specSchema([], { n: { type: "array", items: item } });
    assert.equal(errors(list, { spec: { n: [1, 2] } }, { spec: { n: [1, 2] } }).length, 0);
    assert.equal(errors(list, { spec: { n: [1, 2, 3] } }, { spec: { n: [1, 2] } }).length, 3);
  });
});

describe("the budget", () => {
  const many = Array.from({ length: 300 }, (_, i) => `x${i}`);

  test("of one call ends everything", () => {
    const rule = "self.l.all(x, self.l.all(y, self.l.all(z, x == y || y == z || true)))";
    assert.deepEqual(errors(specSchema([{ rule }, { rule: "false" }]), { spec: { l: many } }), [
      'FieldValueInvalid spec: Invalid value: "object": \'operation cancelled: actual cost limit ' +
        "exceeded': no further validation rules will be run due to call cost exceeds limit for " +
        `rule: ${rule}`,
    ]);
  });

  test("of the document ends everything, too", () => {
    const validator = compileValidator(
      compileSchema(specSchema([{ rule: "self.l.all(x, x != '')" }, { rule: "false" }])),
    );
    assert.deepEqual(validator?.({ spec: { l: many } }, undefined, { budget: 100 }), [
      {
        kind: "invalid",
        path: "spec",
        value: "object",
        detail:
          "validation failed due to running out of cost budget, " +
          "no further validation rules will be run",
      },
    ]);
  });
});

test("a schema without rules has no validator", () => {
  assert.equal(compileValidations(compileSchema({ type: "object" })).validator, undefined);
});

test("values that are null are not looked at", () => {
  assert.deepEqual(errors(specSchema([{ rule: "self.a > 0" }]), { spec: null }), []);
});

test("rules do not run on documents whose form they cannot rely on", () => {
  assert.equal(blockedRules([]), undefined);
  const invalid = { kind: "invalid", path: "a", detail: "" } as const;
  assert.equal(blockedRules([invalid]), undefined);
  assert.deepEqual(blockedRules([invalid, { ...invalid, kind: "required" }]), {
    kind: "invalid",
    path: "<nil>",
    value: null,
    detail:
      "some validation rules were not checked because the object was invalid; " +
      "correct the existing errors to complete validation",
  });
});
