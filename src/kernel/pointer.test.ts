import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { diff } from "./diff.ts";
import { isSetpointError } from "./errors.ts";
import type { Json } from "./json.ts";
import { formatPointer, getAt, parsePointer, removeAt, setAt, setEach } from "./pointer.ts";

test("tokens survive being written as a pointer", () => {
  const tokens = fc.array(fc.string({ unit: fc.constantFrom("a", "/", "~", "0", "1") }));
  fc.assert(
    fc.property(tokens, (list) => assert.deepEqual(parsePointer(formatPointer(list)), list)),
  );
});

test("many places are set as if one after the other, and the given document stays", () => {
  fc.assert(
    fc.property(anyJson, fc.array(fc.nat(), { maxLength: 8 }), (document, picks) => {
      const all = keysIn(document);
      const changes = picks.map((pick, index) => ({
        tokens: all[pick % all.length] ?? [],
        value: index,
      }));
      const before = JSON.stringify(document);
      const step = (): Json =>
        changes.reduce<Json>((at, { tokens, value }) => setAt(at, tokens, value), document);
      assert.deepEqual(
        outcomeOf(() => setEach(document, changes)),
        outcomeOf(step),
      );
      assert.equal(JSON.stringify(document), before);
    }),
  );
});

function outcomeOf(act: () => Json): unknown {
  try {
    return act();
  } catch (error) {
    return isSetpointError(error) ? error.code : error;
  }
}

function keysIn(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => keysIn(child, [...path, key]));
  return [path, ...inner];
}

test("the examples of RFC 6901 find their values", () => {
  const document: Json = {
    foo: ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "m~n": 8,
    " ": 7,
  };
  const found = ["", "/foo", "/foo/0", "/", "/a~1b", "/c%d", "/m~0n", "/ "].map((pointer) =>
    getAt(document, parsePointer(pointer)),
  );
  assert.deepEqual(found, [document, ["bar", "baz"], "bar", 0, 1, 2, 8, 7]);
});

test("a list index with a sign, a leading zero or a name finds nothing", () => {
  for (const index of ["-1", "01", "+0", "1e0", "-", "length", ""]) {
    assert.equal(getAt([5, 6], [index]), undefined);
  }
});

test("a pointer without a leading slash or with a bad escape is refused", () => {
  for (const pointer of ["a", "/~", "/~2"]) {
    assert.throws(() => parsePointer(pointer), isInvalid);
  }
});

test("setting a value changes that place alone and leaves the origin as it was", () => {
  fc.assert(
    fc.property(anyJson, anyJson, anyJson, (before, after, value) => {
      const text = JSON.stringify(before);
      for (const change of diff(before, after)) {
        if (change.kind !== "replace") continue;
        const tokens = parsePointer(change.path);
        const result = setAt(before, tokens, value);
        assert.deepEqual(getAt(result, tokens), value);
        for (const { path } of diff(before, result)) assert.ok(path.startsWith(change.path));
      }
      assert.equal(JSON.stringify(before), text);
    }),
  );
});

test("removing closes the gap in a list and drops the key of an object", () => {
  assert.deepEqual(removeAt({ a: [1, 2, 3] }, ["a", "1"]), { a: [1, 3] });
  assert.deepEqual(removeAt({ a: 1, b: 2 }, ["a"]), { b: 2 });
});

test("a place whose parent does not exist can be neither set nor removed", () => {
  assert.throws(() => setAt({}, ["a", "b"], 1), isInvalid);
  assert.throws(() => setAt([], ["1"], 1), isInvalid);
  assert.throws(() => setAt({ a: 1 }, ["a", "b"], 1), isInvalid);
  assert.throws(() => removeAt({}, ["a"]), isInvalid);
  assert.throws(() => removeAt({}, []), isInvalid);
});

test("prototype names are absent until they are set as own keys", () => {
  assert.equal(getAt({}, ["__proto__"]), undefined);
  assert.equal(getAt({}, ["constructor", "name"]), undefined);
  assert.throws(() => setAt({}, ["__proto__", "polluted"], true), isInvalid);
  const set = setAt({}, ["__proto__"], { a: 1 });
  assert.equal(JSON.stringify(set), '{"__proto__":{"a":1}}');
  assert.equal(Object.getPrototypeOf(set), Object.prototype);
});

function isInvalid(error: unknown): boolean {
  return isSetpointError(error, "request.invalid");
}
