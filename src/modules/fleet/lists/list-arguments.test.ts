import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSetpointError } from "../../../kernel/errors.ts";
import { parseOrderBy } from "./order-by.ts";
import { parsePage } from "./page-arguments.ts";

const isRefused = (error: unknown): boolean => isSetpointError(error, "fleet.body_invalid");

describe("the page of a list", () => {
  it("is the first one of 100 items when nothing is given", () => {
    assert.deepEqual(parsePage(undefined, undefined), { page: 1, size: 100 });
    assert.deepEqual(parsePage("", ""), { page: 1, size: 100 });
  });

  it("is the first one for 0 and for what is not a number", () => {
    for (const page of ["0", "x", "1.5"]) assert.equal(parsePage(page, undefined).page, 1);
    assert.equal(parsePage("99999999999", undefined).page, 99_999_999_999);
  });

  it("cannot be negative", () => {
    assert.throws(() => parsePage("-1", undefined), isRefused);
  });

  it("has the largest size when the size is negative or larger", () => {
    for (const size of ["-1", "-65501", "65501", "1000000"]) {
      assert.equal(parsePage(undefined, size).size, 65_500);
    }
    assert.equal(parsePage(undefined, "65500").size, 65_500);
  });

  it("needs a size that is a number other than 0", () => {
    for (const size of ["0", "x", "1.5", "00"]) {
      assert.throws(() => parsePage(undefined, size), isRefused, size);
    }
  });
});

describe("the order of a list", () => {
  const fields = new Set(["name", "region", "created_at"]);

  it("is by name when nothing is given", () => {
    assert.deepEqual(parseOrderBy(" ", fields), [{ field: "name", isDescending: false }]);
  });

  it("has fields with directions, in any case", () => {
    assert.deepEqual(parseOrderBy("Region ASC,  created_at   desc,name", fields), [
      { field: "region", isDescending: false },
      { field: "created_at", isDescending: true },
      { field: "name", isDescending: false },
    ]);
  });

  it("names what is wrong", () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["colour", /"colour" is not a field: use one of name, region, created_at/],
      ["name up", /"name up" is not a field with an optional asc or desc/],
      ["name asc asc", /not a field with/],
      ["name,,region", /"" is not a field/],
      ["name; DROP TABLE x", /"name;" is not a field/],
      [Array(11).fill("name").join(","), /more than 10 fields/],
    ];
    for (const [text, message] of cases) {
      assert.throws(
        () => parseOrderBy(text, fields),
        (error: unknown) => isRefused(error) && message.test(String(error)),
        text,
      );
    }
  });
});
