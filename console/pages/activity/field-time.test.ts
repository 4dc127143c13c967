import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldTime, timeOfField } from "./field-time.ts";

test("a time survives the field of the browser in both zones", () => {
  const time = "2026-11-14T14:41:10.000Z";
  assert.equal(fieldTime(time, "UTC"), "2026-11-14T14:41:10");
  for (const zone of ["UTC", "local"] as const) {
    assert.equal(timeOfField(fieldTime(time, zone), zone), time);
  }
  assert.equal(fieldTime("", "UTC"), "");
  assert.equal(timeOfField("", "local"), "");
});
