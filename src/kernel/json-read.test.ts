import { test } from "node:test";
import assert from "node:assert/strict";
import { isTrueAt, listAt, numberAt, objectAt, objectsAt } from "./json-read.ts";
import { presentObjectAt, textAt, textsAt, valueAt } from "./json-read.ts";

const document = {
  spec: { name: "a", size: 3, isOpen: true, none: null, parts: ["x", 1, { y: "z" }, null] },
};

test("a path of own keys leads to what is there", () => {
  assert.equal(textAt(document, "spec", "name"), "a");
  assert.equal(numberAt(document, "spec", "size"), 3);
  assert.equal(isTrueAt(document, "spec", "isOpen"), true);
  assert.equal(objectAt(document, "spec"), document.spec);
  assert.equal(valueAt(document), document);
});

test("lists are read as they are, or only their objects or texts", () => {
  assert.equal(listAt(document, "spec", "parts").length, 4);
  assert.deepEqual(objectsAt(document, "spec", "parts"), [{ y: "z" }]);
  assert.deepEqual(textsAt(document, "spec", "parts"), ["x"]);
});

test("what is absent, null or of another type reads as empty", () => {
  for (const path of [["gone"], ["spec", "none"], ["spec", "name", "length"], ["spec", "parts"]]) {
    assert.equal(textAt(document, ...path), "");
    assert.equal(numberAt(document, ...path), undefined);
    assert.equal(isTrueAt(document, ...path), false);
    assert.deepEqual(objectAt(document, ...path), {});
    assert.equal(presentObjectAt(document, ...path), undefined);
  }
  assert.deepEqual(listAt(document, "spec"), []);
  assert.equal(valueAt(document, "spec", "none"), undefined);
  assert.equal(valueAt(undefined, "spec"), undefined);
});

test("inherited names are absent", () => {
  assert.equal(valueAt({}, "constructor"), undefined);
  assert.equal(valueAt({}, "__proto__"), undefined);
  assert.deepEqual(objectAt(document, "spec", "toString"), {});
});
