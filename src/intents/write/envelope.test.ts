import assert from "node:assert/strict";
import { test } from "node:test";
import { unrecognisedText } from "./envelope.ts";

const shown = (body: string): string => {
  const text = unrecognisedText("Widget", "why", Buffer.from(body));
  const start = "the object provided is unrecognized (must be of type Widget): why (";
  assert.ok(text.startsWith(start) && text.endsWith(")"), text);
  return text.slice(start.length, -1);
};

test("a body is shown as text when it begins like an object, else as bytes", () => {
  assert.equal(shown(""), "<empty>");
  assert.equal(shown("{}"), "{}");
  assert.equal(shown("[]"), "5b5d");
});

test("a long body is cut", () => {
  assert.equal(shown(`{${"x".repeat(29)}`), `{${"x".repeat(29)}`);
  assert.equal(shown(`{${"x".repeat(30)}`), `{${"x".repeat(29)} ...`);
  assert.equal(shown("y".repeat(31)), `${"79".repeat(30)} ...`);
});
