import assert from "node:assert/strict";
import { test } from "node:test";
import { limitOf, shortUseText, toneOfUse, typesOf, useText } from "./capacity.ts";

test("a full place is shown as failed, and a nearly full one as waiting", () => {
  assert.equal(toneOfUse({ used: 20, total: 20 }), "failed");
  assert.equal(toneOfUse({ used: 17, total: 20 }), "waiting");
  assert.equal(toneOfUse({ used: 16, total: 20 }), "stored");
  assert.equal(toneOfUse({ used: 900, total: undefined }), "stored");
  assert.equal(toneOfUse({ used: 0, total: 0 }), "failed");
});

test("the use of a place has its limit", () => {
  assert.equal(useText({ used: 31, total: 1_200 }), "31 of 1,200 units");
  assert.equal(useText({ used: 1, total: limitOf(-1) }), "1 unit, no limit");
  assert.equal(shortUseText({ used: 31, total: 1_200 }), "31 of 1,200");
  assert.equal(shortUseText({ used: 31, total: undefined }), "31");
});

test("a region shows its types, and all types together only where it has none", () => {
  const place = { provider: "aws", region: "eu-west-1" };
  const all = { ...place, type: "*", capacity: 50, used: 13 };
  assert.deepEqual(typesOf([{ ...place, type: "standard", capacity: 50, used: 13 }, all]), [
    { type: "standard", used: 13, total: 50 },
  ]);
  assert.deepEqual(typesOf([all]), [{ type: "*", used: 13, total: 50 }]);
});
