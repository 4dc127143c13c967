import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldErrors } from "../field-error-text.ts";
import type { Json, JsonObject } from "../json.ts";
import {
  decodeManagedFields,
  encodeManagers,
  isReset,
  managedFieldsProblem,
  validateManagedFields,
  validateManagerName,
} from "./managed-fields.ts";

function entry(overrides: JsonObject): JsonObject {
  return {
    manager: "m",
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": {} },
    ...overrides,
  };
}

test("entries that cannot be used are named in the words of the API", () => {
  const problems: readonly (readonly [Json, string | undefined])[] = [
    [[entry({})], undefined],
    [[entry({ operation: "Zap" })], "operation must be `Apply` or `Update`"],
    [[entry({ apiVersion: "" })], "apiVersion must not be empty"],
    [[entry({}), entry({ fieldsType: "" })], "missing fieldsType in managed fields entry 1"],
    [[entry({ fieldsType: "V2" })], 'invalid fieldsType "V2" in managed fields entry 0'],
    [
      [entry({ fieldsV1: { bad: {} } })],
      "error decoding versioned set: error decoding set: missing colon: bad",
    ],
  ];
  for (const [list, problem] of problems) assert.equal(managedFieldsProblem(list), problem);
});

test("metadata validation lists every bad entry", () => {
  const long = "x".repeat(129);
  const errors = validateManagedFields(
    [
      entry({ operation: "" }),
      entry({ operation: "Zap", fieldsType: "V2" }),
      entry({ manager: long }),
    ],
    "metadata.managedFields",
  );
  assert.equal(
    formatFieldErrors(errors),
    "[metadata.managedFields[0].operation: Required value: must not be empty, " +
      'metadata.managedFields[1].operation: Unsupported value: "Zap": ' +
      'supported values: "Apply", "Update", ' +
      'metadata.managedFields[1].fieldsType: Invalid value: "V2": must be `FieldsV1`, ' +
      "metadata.managedFields[2].manager: Too long: may not be more than 128 bytes]",
  );
});

test("the name of a manager is printable", () => {
  assert.deepEqual(validateManagerName("kubectl é", "fieldManager"), []);
  const text = formatFieldErrors(validateManagerName("é\u0007", "fieldManager"));
  assert.match(
    text,
    /^fieldManager: Invalid value: .*: invalid character U\+0007 \(at position 2\)$/,
  );
});

test("an empty list and a single empty entry ask to forget", () => {
  assert.deepEqual([[], [{}], [{ manager: "m" }], [{}, {}], null].map(isReset), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("entries are stored by operation, time, name, version and subresource", () => {
  const list = [
    entry({ manager: "b", time: "2026-01-01T00:00:02Z" }),
    entry({ manager: "z", time: "2026-01-01T01:00:01+01:00" }),
    entry({ manager: "a", time: "2026-01-01T00:00:02Z", subresource: "status" }),
    entry({ manager: "a", time: "2026-01-01T00:00:02Z" }),
    entry({ manager: "q", operation: "Apply", time: "2027-01-01T00:00:00Z" }),
    entry({ manager: "y" }),
  ];
  const decoded = decodeManagedFields(list);
  assert.ok(decoded.kind === "managers");
  assert.deepEqual(
    encodeManagers(decoded.managers)?.map(({ manager, subresource }) => [manager, subresource]),
    [
      ["q", undefined],
      ["y", undefined],
      ["z", undefined],
      ["a", undefined],
      ["a", "status"],
      ["b", undefined],
    ],
  );
});

test("an applier is the same in all versions, an updater is not", () => {
  const both = (operation: string) =>
    decodeManagedFields(["v1", "v2"].map((apiVersion) => entry({ apiVersion, operation })));
  const updaters = both("Update");
  const appliers = both("Apply");
  assert.ok(updaters.kind === "managers" && appliers.kind === "managers");
  assert.deepEqual([updaters.managers.size, appliers.managers.size], [2, 1]);
});
