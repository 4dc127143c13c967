import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldsOf } from "./fields.ts";
import { parseFilter } from "./filter.ts";
import { parseOrder, placeFrom, placeJson } from "./order.ts";
import type { Row } from "./row.ts";

const fields = fieldsOf([
  { key: "size", title: "Size", type: "number" },
  { key: "note", title: "Note", type: "text" },
  { key: "on", title: "On", type: "boolean" },
]);

const row: Row = {
  namespace: "team-a",
  name: "web",
  uid: "u1",
  revision: 7,
  created: "2026-01-02T00:00:00Z",
  generation: 2,
  state: "Failed",
  reason: "Timeout",
  labels: {},
  cells: [10, 'a, "b"', true],
};
const bare: Row = { ...row, name: "bare", cells: [] };

const matches = (text: string, of: Row = row): boolean => parseFilter(text, fields)(of);

describe("a filter", () => {
  it("selects every row when it is empty", () => {
    assert.ok(matches(""));
    assert.ok(matches("  "));
  });

  it("compares texts, numbers, booleans and times", () => {
    const yes = ["state=Failed", "columns.size>9", "columns.size<=10", "columns.on=true"];
    const no = ["state!=Failed", "columns.size>10", "columns.on=false", "name~x"];
    const times = ["created>2026-01-01", "created<2026-01-03"];
    for (const text of [...yes, ...times, "name~WE", "name = web , state=Failed"]) {
      assert.ok(matches(text), text);
    }
    for (const text of no) assert.ok(!matches(text), text);
  });

  it("takes quoted values", () => {
    assert.ok(matches(String.raw`columns.note="a, \"b\"",name=web`));
  });

  it("does not select a row without a value, except by !=", () => {
    assert.ok(!matches("columns.size<100", bare));
    assert.ok(!matches("columns.note~a", bare));
    assert.ok(matches("columns.size!=1", bare));
  });

  it("names what is wrong and what to write", () => {
    const wrong = ["state", "=x", "nope=1", "columns.size=big", "columns.on=yes", "a=b c=d", 'n="'];
    for (const text of wrong) {
      assert.throws(
        () => parseFilter(text, fields),
        (error: unknown) => {
          assert.ok(error instanceof Error && "code" in error && "details" in error, text);
          assert.equal(error.code, "request.invalid", text);
          assert.deepEqual(error.details, { field: "query.filter" });
          return true;
        },
      );
    }
    const many = Array.from({ length: 17 }, () => "name=a").join(",");
    assert.throws(() => parseFilter(many, fields), { code: "request.invalid" });
  });
});

describe("an order", () => {
  it("puts rows without a value last, in either direction", () => {
    for (const text of ["columns.size", "-columns.size"]) {
      const order = parseOrder(text, fields);
      assert.ok(order.compare(order.placeOf(row), order.placeOf(bare)) < 0, text);
    }
  });

  it("survives a cursor", () => {
    const order = parseOrder("-columns.size,name", fields);
    const place = order.placeOf(row);
    assert.deepEqual(placeFrom(placeJson(place)), place);
  });

  it("is natural by namespace and name only", () => {
    for (const text of ["", "namespace", "namespace,name"]) {
      assert.ok(parseOrder(text, fields).isNatural, text);
    }
    for (const text of ["name", "-namespace", "namespace,-name", "created"]) {
      assert.ok(!parseOrder(text, fields).isNatural, text);
    }
    assert.throws(() => parseOrder("colour", fields), { code: "request.invalid" });
  });
});
