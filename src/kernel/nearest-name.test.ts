import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "./limits.ts";
import { nearestName, suggester } from "./nearest-name.ts";

test("the nearest name is suggested, and none that differs in more than a third", () => {
  assert.equal(nearestName("resorce", ["service", "resource", "resources"]), "resource");
  assert.equal(nearestName("banana", ["service", "resource"]), undefined);
});

test("a limited number of names is compared", () => {
  let read = 0;
  function* names(): Generator<string> {
    for (; read < 100_000; read++) yield `name-${read % 10}`;
  }
  assert.equal(nearestName("xxxx-5", names()), undefined);
  assert.ok(read <= limits.maxSuggestedNames, String(read));
});

test("a long name gets no suggestion", () => {
  const name = "a".repeat(limits.maxSuggestedChars + 1);
  assert.equal(nearestName(`${name}b`, [name]), undefined);
});

test("one document gets a limited number of suggestions", () => {
  const suggest = suggester();
  const texts = Array.from({ length: 100 }, () => suggest("nam", ["name"]));
  assert.equal(texts.filter((text) => text !== "").length, limits.maxSuggestions);
});
