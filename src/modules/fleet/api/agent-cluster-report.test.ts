import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson, anyObject } from "../../../kernel/arbitraries.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { validateValue } from "../../../kernel/schema/validate.ts";
import { clusterKind } from "../kinds/cluster-kind.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { clusterReportOf } from "./agent-cluster-report.ts";

const offering = readOffering(sampleOffering());

function read(sent: JsonObject, last?: JsonObject): JsonObject {
  return clusterReportOf(sent, offering, last);
}

function refused(sent: JsonObject, why: RegExp): void {
  assert.throws(
    () => read(sent),
    (error) => isSetpointError(error, "fleet.validation") && why.test(error.message),
  );
}

test("the condition Ready decides, and a report without it is not ready", () => {
  const conditions = (status: string) => ({ conditions: [{ type: "Ready", status }] });
  assert.equal(read(conditions("True"))["isReady"], true);
  assert.equal(read(conditions("false"))["isReady"], false);
  assert.equal(read(conditions("Unknown"))["isReady"], false);
  assert.equal(read({})["reason"], "NoReadyCondition");
  assert.equal(read({ conditions: [{ type: "ready", status: "True" }] })["isReady"], false);
  refused(conditions("yes"), /^conditions: the status of the condition Ready must be/);
});

test("operators are read under both names, and sorted by version", () => {
  const dinosaurOperator = [
    { ready: true, version: "1.10.0-2", dinosaurVersions: ["2.10.0", "2.9.0"] },
    { ready: false, version: "1.9.0" },
  ];
  const expected = [
    { version: "1.9.0", isReady: false, versions: [] },
    { version: "1.10.0-2", isReady: true, versions: ["2.9.0", "2.10.0"] },
  ];
  assert.deepEqual(read({ dinosaurOperator })["operators"], expected);
  const operators = [{ ready: true, version: "1.0.0", versions: ["3"] }];
  assert.deepEqual(read({ operators })["operators"], [
    { version: "1.0.0", isReady: true, versions: ["3"] },
  ]);
});

test("an empty list of operators keeps the last one", () => {
  const operators = [{ version: "1.0.0", isReady: true, versions: [] }];
  assert.deepEqual(read({ operators: [] }, { operators })["operators"], operators);
});

test("operators and capacity that are not understood are refused with the field", () => {
  refused({ operators: [{ version: "one two" }] }, /^operators: "one two" is not a version/);
  refused({ operators: ["1.0.0"] }, /^operators: must be a list of objects/);
  refused({ operators: Array.from({ length: 101 }, () => ({})) }, /^operators: has more than 100/);
  refused({ capacity: { "A B": {} } }, /^capacity: has an invalid type/);
  refused({ capacity: { standard: { maxUnits: 1.5 } } }, /^capacity: maxUnits must be a whole/);
  const capacity = { standard: { maxUnits: 5, remainingUnits: 0 }, eval: { maxUnits: -1 } };
  assert.deepEqual(read({ capacity })["capacity"], capacity);
});

test("every report is refused as a validation error, or fits the schema of clusters", () => {
  const [version] = clusterKind.versions;
  const schema = compileSchema(
    objectAt(version?.schema, "properties", "status", "properties", "report"),
  );
  const operator = fc.record({ ready: anyJson, version: fc.string(), versions: anyJson });
  const sent = fc.oneof(
    anyObject,
    fc.record({
      conditions: fc.array(fc.record({ type: fc.constant("Ready"), status: anyJson })),
      operators: fc.array(fc.oneof(operator, anyJson)),
      capacity: fc.dictionary(fc.string(), anyJson),
      unavailable: fc.dictionary(fc.string(), anyJson),
    }),
  );
  fc.assert(
    fc.property(sent, (given) => {
      try {
        const report = read(given);
        assert.deepEqual(validateValue(schema, report), []);
        assert.equal(typeof valueAt(report, "isReady"), "boolean");
      } catch (error) {
        assert.ok(isSetpointError(error, "fleet.validation"), String(error));
      }
    }),
  );
});

test("Offerings that cannot be hosted have reasons, and anything else is refused", () => {
  assert.equal(read({})["unavailable"], undefined);
  const unavailable = { dinosaurs: "no kind ManagedDinosaur", dragons: "x".repeat(2_000) };
  const stored = objectAt(read({ unavailable }), "unavailable");
  assert.equal(textAt(stored, "dinosaurs"), "no kind ManagedDinosaur");
  assert.equal(textAt(stored, "dragons").length, 1_024);
  assert.deepEqual(read({ unavailable: { dragons: "" } })["unavailable"], {
    dragons: "no reason was given",
  });
  refused({ unavailable: { "not a name": "x" } }, /^unavailable: "not a name" is not the name of/);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`o${at}`, "x"]));
  refused({ unavailable: many }, /^unavailable: has more than 100 Offerings/);
});
