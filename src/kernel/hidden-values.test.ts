import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  duplicateField,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
  wrongType,
} from "./field-error.ts";
import type { FieldError } from "./field-error.ts";
import { fieldMessage } from "./field-error-text.ts";
import { isHiding, shownFieldPath, withoutHiddenValues } from "./hidden-values.ts";
import type { Json } from "./json.ts";
import type { CompiledFieldRule } from "./kind.ts";
import { parsePointer } from "./pointer.ts";

function ruleOf(path: string): CompiledFieldRule {
  return { path, rule: "secret", segments: parsePointer(path) };
}

const kind = { fieldRules: [ruleOf("/spec/password"), ruleOf("/spec/users/*/key")] };
const secret = { group: "", names: { kind: "Secret" }, fieldRules: [] };

const shownOf = (error: FieldError, of: Parameters<typeof isHiding>[0] = kind): FieldError =>
  withoutHiddenValues(of, [error])[0] ?? error;
const messageOf = (error: FieldError): string => fieldMessage(shownOf(error));

describe("field errors of kinds with hidden fields", () => {
  it("quote no value at, below and above what is hidden", () => {
    const spec: Json = { password: "horse", users: { a: { key: "horse" } } };
    const places = ["spec.password", "spec.password[0].x", "spec", "<nil>", "", "spec.users"];
    for (const field of [...places, "spec.users.a.b[c].key", "spec.users[a.b[c]].key", ".spec"]) {
      const invalid = 'Invalid value: "[hidden]": must be short';
      assert.equal(messageOf(invalidField(field, "horse", "must be short")), invalid, field);
      assert.equal(messageOf(duplicateField(field, "horse")), 'Duplicate value: "[hidden]"');
      const unsupported = 'Unsupported value: "[hidden]": supported values: "a", "b"';
      assert.equal(messageOf(unsupportedField(field, "horse", ["a", "b"])), unsupported);
      assert.equal(messageOf(requiredField(field)), "Required value");
    }
    const whole = { ...invalidField("spec", spec, "must be short"), shown: "horse" };
    assert.equal(messageOf(whole), 'Invalid value: "[hidden]": must be short');
  });

  it("stay as they are elsewhere, and where a value holds nothing hidden", () => {
    const elsewhere = ["spec.note", "spec.passwords", "metadata.name", "spec.users.a.b[c].role"];
    for (const field of elsewhere) {
      const error = invalidField(field, "horse", "must be short");
      assert.equal(shownOf(error), error, field);
    }
    const error = invalidField("spec", { note: "n" }, "must be short");
    assert.equal(shownOf(error), error);
  });

  it("quote no value that is in place of what has a hidden field inside", () => {
    const values: readonly (readonly [string, Json])[] = [
      ["spec", ["horse"]],
      ["spec", { users: "horse" }],
      ["spec", { users: { a: ["horse"] } }],
      ["spec.users", { a: "horse" }],
      ["spec.users[a.b[c]]", ["horse"]],
    ];
    for (const [field, value] of values) {
      assert.equal(shownOf(invalidField(field, value, "is bad")).value, "[hidden]", field);
    }
    for (const value of ["horse", 4711, [{ a: "horse" }], { a: "horse" }]) {
      const error = { ...wrongType(".spec.users.a.b[c]", value, "expected map"), shown: "horse" };
      const { value: quoted, shown } = shownOf(error);
      assert.deepEqual([quoted, shown], ["[hidden]", undefined]);
    }
  });

  it("do not repeat the value in their details", () => {
    const detail = "must be of type date";
    const typed = { ...wrongType("spec.password", "horse", detail), subject: "spec.password" };
    const shown = 'Invalid value: "[hidden]": spec.password in body must be of type date: ';
    assert.equal(messageOf(typed), `${shown}"[hidden]"`);
    const computed = { of: "spec", plain: "too short" };
    const rule = { ...forbiddenField("spec.note", "horse is too short"), computed };
    assert.equal(messageOf(rule), "Forbidden: too short");
  });

  it("do not name what is inside of a hidden field", () => {
    assert.equal(shownOf(requiredField("spec.password.horse[0]")).path, "spec.password");
    assert.equal(shownFieldPath(kind, "spec.users[0].key.horse"), "spec.users.0.key");
    assert.equal(shownFieldPath(kind, "spec.note.horse"), "spec.note.horse");
  });

  it("show the keys of a Secret and none of its values", () => {
    assert.ok(isHiding(secret));
    assert.equal(isHiding({ group: "x", names: { kind: "Secret" } }), false);
    const value = shownOf(invalidField("stringData.password", "horse", "is bad"), secret);
    assert.deepEqual([value.path, value.value], ["stringData.password", "[hidden]"]);
    const key = { ...invalidField("data[a b]", "a b", "is bad"), isName: true } as const;
    assert.equal(shownOf(key, secret), key);
    assert.equal(shownOf(invalidField("data", "horse", "is bad"), secret).value, "[hidden]");
  });

  it("never show any value", () => {
    const error = (value: Json): FieldError => invalidField("spec.password", value, "is bad");
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = value === null ? "null" : '"[hidden]"';
        assert.equal(messageOf(error(value as Json)), `Invalid value: ${expected}: is bad`);
      }),
    );
  });
});
