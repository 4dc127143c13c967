import assert from "node:assert/strict";
import { test } from "node:test";
import { shownPath, shownValue } from "./diff-text.ts";

test("a pointer is shown as a path", () => {
  assert.equal(shownPath("/spec/containers/0/image"), "spec.containers[0].image");
  assert.equal(
    shownPath("/metadata/annotations/setpoint.dev~1paused"),
    'metadata.annotations["setpoint.dev/paused"]',
  );
  assert.equal(shownPath(""), "");
});

test("a text is shown as it is, and other values as JSON", () => {
  assert.equal(shownValue("<b>x</b>"), "<b>x</b>");
  assert.equal(shownValue({ a: 1 }), '{\n  "a": 1\n}');
  assert.equal(shownValue(undefined), "");
});
