import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "../arbitraries.ts";
import { equalJson } from "../json.ts";
import {
  decodeFieldSet,
  difference,
  emptySet,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  pathLabel,
  pathsOf,
  recursiveDifference,
  setOf,
  sortedSet,
  union,
  unionOf,
} from "./field-set.ts";
import type { FieldPath, FieldSet } from "./field-set.ts";

const element = fc.constantFrom("f:a", "f:b", "f:c", 'k:{"name":"a"}', 'v:"x"', "v:1", "i:0");
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const aSet = fc.array(path, { maxLength: 8 }).map((paths) => setOf(...paths));

function texts(set: FieldSet): readonly string[] {
  return pathsOf(set).map((each) => each.join("/"));
}

function check(property: (a: FieldSet, b: FieldSet, at: FieldPath) => void): void {
  fc.assert(fc.property(aSet, aSet, path, property), { numRuns: 200 });
}

test("a set holds the paths it was made of, and no other", () => {
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), path, (paths, other) => {
      const set = setOf(...paths);
      const wanted = new Set(paths.map((each) => each.join("/")));
      assert.deepEqual(new Set(texts(set)), wanted);
      assert.equal(hasPath(set, other), wanted.has(other.join("/")));
    }),
  );
});

test("union, intersection and difference are those of the paths", () => {
  check((a, b, at) => {
    const [inA, inB] = [hasPath(a, at), hasPath(b, at)];
    assert.equal(hasPath(union(a, b), at), inA || inB);
    assert.equal(hasPath(intersection(a, b), at), inA && inB);
    assert.equal(hasPath(difference(a, b), at), inA && !inB);
    assert.ok(equalJson(union(difference(a, b), intersection(a, b)), a));
    const parts = [difference(a, b), intersection(a, b), difference(b, a), emptySet, b];
    assert.ok(equalJson(unionOf(parts), union(a, b)));
    assert.equal(isEmptySet(difference(a, a)), true);
  });
});

test("a recursive difference also takes what is below", () => {
  check((a, b, at) => {
    const isCovered = at.some((_, index) => hasPath(b, at.slice(0, index + 1)));
    assert.equal(hasPath(recursiveDifference(a, b), at), hasPath(a, at) && !isCovered);
  });
});

test("leaves are the members with none below them", () => {
  check((a) => {
    const all = pathsOf(a);
    for (const at of all) {
      const isInner = all.some((other) => other.length > at.length && startsWith(other, at));
      assert.equal(hasPath(leaves(a), at), !isInner);
    }
  });
});

test("FieldsV1 survives a round trip, in any order of its keys", () => {
  check((a) => {
    const sorted = sortedSet(a);
    assert.ok(equalJson(sorted, a));
    const decoded = decodeFieldSet(JSON.parse(JSON.stringify(sorted)) as FieldSet);
    assert.deepEqual(decoded, { kind: "set", set: sorted });
  });
});

test("an element is normalised, an unknown one ignored, a member without content kept", () => {
  const read = (json: unknown) => decodeFieldSet(json as FieldSet);
  assert.deepEqual(read({ "f:a": { 'k:{"port":80,"name":"x"}': { ".": {} } } }), {
    kind: "set",
    set: { "f:a": { 'k:{"name":"x","port":80}': {} } },
  });
  assert.deepEqual(read({ "f:a": { "x:future": {} }, "z:b": {} }), {
    kind: "set",
    set: { "f:a": {} },
  });
  assert.deepEqual(read({ "f:a": { 'v:"<"': null } }), {
    kind: "set",
    set: { "f:a": { 'v:"\\u003c"': {} } },
  });
  assert.deepEqual(read(null), { kind: "set", set: emptySet });
});

test("what is no set is refused with its reason", () => {
  const problems = [[1], "x", { a: {} }, { fa: {} }, { "k:x": {} }, { "i:x": {} }, { "f:a": 1 }];
  for (const json of problems) assert.equal(decodeFieldSet(json as FieldSet).kind, "malformed");
});

test("any JSON is a set or is refused", () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      const decoded = decodeFieldSet(json);
      if (decoded.kind === "set") assert.ok(equalJson(union(decoded.set, emptySet), decoded.set));
    }),
  );
});

test("paths are listed level by level and read as people write them", () => {
  const set = setOf(
    ["f:spec", "f:ports", 'k:{"port":443,"protocol":"TCP"}', "f:name"],
    ["f:spec", "f:ports", 'k:{"port":80,"protocol":"TCP"}'],
    ["f:spec"],
    ["f:metadata", "f:finalizers", 'v:"a"'],
    ["f:list", "i:2"],
  );
  assert.deepEqual(pathsOf(set).map(pathLabel), [
    ".spec",
    ".list[2]",
    '.metadata.finalizers[="a"]',
    '.spec.ports[port=80,protocol="TCP"]',
    '.spec.ports[port=443,protocol="TCP"].name',
  ]);
});

function startsWith(whole: FieldPath, start: FieldPath): boolean {
  return start.every((each, index) => whole[index] === each);
}
