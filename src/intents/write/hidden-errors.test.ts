import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  duplicateField,
  invalidField,
  requiredField,
  unsupportedField,
  wrongType,
} from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Json } from "../../kernel/json.ts";
import type { CompiledFieldRule } from "../../kernel/kind.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import { withoutHiddenValues } from "./hidden-errors.ts";

function ruleOf(path: string): CompiledFieldRule {
  return { path, rule: "secret", segments: parsePointer(path) };
}

const kind = { fieldRules: [ruleOf("/spec/password"), ruleOf("/spec/users/*/key")] };
const users = { "a.b[c]": { key: "horse", role: "x" } };
const document: Json = { spec: { password: "horse", note: "n", users } };

const messageOf = (error: FieldError): string =>
  withoutHiddenValues(kind, [error], [document])[0]?.message ?? "";

describe("field errors of kinds with hidden fields", () => {
  it("show a stand-in at, below and above what is hidden", () => {
    const spec: Json = { password: "horse" };
    const places = ["spec.password", "spec.password[0].x", "spec", "<nil>", "", "spec.users"];
    for (const field of [...places, "spec.users.a.b[c].key", "spec.users[a.b[c]].key"]) {
      const invalid = 'Invalid value: "[hidden]": must be short';
      assert.equal(messageOf(invalidField(field, "horse", "must be short")), invalid, field);
      assert.equal(messageOf(invalidField(field, spec, "must be short")), invalid, field);
      assert.equal(messageOf(duplicateField(field, "horse")), 'Duplicate value: "[hidden]"');
      const unsupported = 'Unsupported value: "[hidden]": supported values: "a", "b"';
      assert.equal(messageOf(unsupportedField(field, "horse", ["a", "b"])), unsupported);
      assert.equal(messageOf(requiredField(field)), "Required value");
    }
  });

  it("stay as they are elsewhere, and where nothing is hidden", () => {
    for (const field of [
      "spec.note",
      "spec.passwords",
      "metadata.name",
      "spec.users.a.b[c].role",
    ]) {
      const error = invalidField(field, "horse", "must be short");
      assert.equal(messageOf(error), error.message, field);
    }
    const error = invalidField("spec", "horse", "must be short");
    assert.deepEqual(withoutHiddenValues(kind, [error], [{ spec: { note: "n" } }]), [error]);
  });

  it("do not repeat the value in their details", () => {
    const format = 'spec.password in body must be of type date: "horse: \\"x\\""';
    const typed = messageOf(wrongType("spec.password", 'horse: "x"', format));
    const shown = 'Invalid value: "[hidden]": spec.password in body must be of type date: ';
    assert.equal(typed, `${shown}"[hidden]"`);
    const failed =
      "type conversion error from 'horse' to 'int' evaluating rule: int(self.password)";
    assert.equal(
      messageOf(invalidField("spec", "object", failed)),
      'Invalid value: "[hidden]": [hidden] evaluating rule: int(self.password)',
    );
    const own = { type: "Invalid", field: "spec", message: "Invalid value: too short" } as const;
    assert.equal(messageOf(own), own.message);
  });

  it("never show any value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const error = invalidField("spec", value as Json, "must be short");
        assert.equal(messageOf(error), 'Invalid value: "[hidden]": must be short');
      }),
    );
  });
});
