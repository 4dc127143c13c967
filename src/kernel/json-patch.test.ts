import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { diff, patchOf } from "./diff.ts";
import { SetpointError, isSetpointError } from "./errors.ts";
import { applyJsonPatch, applyJsonPatchInSlices, parseJsonPatch } from "./json-patch.ts";
import type { PatchOperation } from "./json-patch.ts";
import type { Json } from "./json.ts";
import { limits } from "./limits.ts";

// RFC 6902, appendix A: document, operations, and the result or nothing when it is an error.
const examples: readonly (readonly [string, Json, Json, Json?])[] = [
  ["A.1", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { baz: "qux", foo: "bar" }],
  [
    "A.2",
    { foo: ["bar", "baz"] },
    [{ op: "add", path: "/foo/1", value: "qux" }],
    { foo: ["bar", "qux", "baz"] },
  ],
  ["A.3", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
  ["A.4", { foo: [1, 2, 3] }, [{ op: "remove", path: "/foo/1" }], { foo: [1, 3] }],
  [
    "A.5",
    { baz: "qux", foo: "bar" },
    [{ op: "replace", path: "/baz", value: "boo" }],
    { baz: "boo", foo: "bar" },
  ],
  [
    "A.6",
    { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  ],
  [
    "A.7",
    { foo: ["all", "grass", "cows", "eat"] },
    [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    { foo: ["all", "cows", "eat", "grass"] },
  ],
  [
    "A.8",
    { baz: "qux", foo: ["a", 2, "c"] },
    [
      { op: "test", path: "/baz", value: "qux" },
      { op: "test", path: "/foo/1", value: 2 },
    ],
    { baz: "qux", foo: ["a", 2, "c"] },
  ],
  ["A.9", { baz: "qux" }, [{ op: "test", path: "/baz", value: "bar" }]],
  [
    "A.10",
    { foo: "bar" },
    [{ op: "add", path: "/child", value: { grandchild: {} } }],
    { foo: "bar", child: { grandchild: {} } },
  ],
  [
    "A.11",
    { foo: "bar" },
    [{ op: "add", path: "/baz", value: "qux", xyz: 123 }],
    { foo: "bar", baz: "qux" },
  ],
  ["A.12", { foo: "bar" }, [{ op: "add", path: "/baz/bat", value: "qux" }]],
  ["A.14", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  ["A.15", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: "10" }]],
  [
    "A.16",
    { foo: ["bar"] },
    [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
    { foo: ["bar", ["abc", "def"]] },
  ],
];

test("the examples of RFC 6902 give the results it lists", () => {
  for (const [name, document, body, result] of examples) {
    const run = (): Json => applyJsonPatch(document, parseJsonPatch(body));
    if (result === undefined) assert.throws(run, SetpointError, name);
    else assert.deepEqual(run(), result, name);
  }
});

test("an operation on what does not exist is refused", () => {
  const document: Json = { a: [1], b: { c: 1 }, n: null };
  const refused: PatchOperation[] = [
    { op: "add", path: "/a/2", value: 0 },
    { op: "add", path: "/a/01", value: 0 },
    { op: "add", path: "/n/x", value: 0 },
    { op: "add", path: "no-slash", value: 0 },
    { op: "remove", path: "" },
    { op: "remove", path: "/a/-" },
    { op: "remove", path: "/a/1" },
    { op: "remove", path: "/toString" },
    { op: "replace", path: "/missing", value: 0 },
    { op: "replace", path: "/a/length", value: 0 },
    { op: "test", path: "/missing", value: null },
    { op: "move", from: "/missing", path: "/x" },
    { op: "move", from: "/b", path: "/b/c/d" },
    { op: "copy", from: "/missing", path: "/x" },
    { op: "copy", from: "/b", path: "/__proto__/x" },
  ];
  for (const operation of refused) {
    assert.throws(
      () => applyJsonPatch(document, [operation]),
      (error) => isSetpointError(error, "resource.invalid"),
      JSON.stringify(operation),
    );
  }
});

test("a refusal names the operation's index and path", () => {
  const operations: PatchOperation[] = [
    { op: "add", path: "/a", value: 1 },
    { op: "remove", path: "/b" },
  ];
  assert.throws(
    () => applyJsonPatch({}, operations),
    (error: SetpointError) => {
      assert.equal(error.details["operation"], 1);
      assert.equal(error.details["path"], "/b");
      return true;
    },
  );
});

test("indices below zero count from the end, at every level and in long paths", () => {
  const document = {
    a: [
      [1, 2],
      [3, [4, 5]],
    ],
  };
  const at = (path: string): Json =>
    applyJsonPatch(document, [{ op: "replace", path, value: 9 }], { isForgiving: true });
  assert.deepEqual(at("/a/-1/-1/-2"), {
    a: [
      [1, 2],
      [3, [9, 5]],
    ],
  });
  assert.deepEqual(at("/a/-2/0"), {
    a: [
      [9, 2],
      [3, [4, 5]],
    ],
  });
  const path = `/a${"/-1".repeat(200_000)}`;
  assert.throws(() => at(path), SetpointError);
});

test("the whole document can be replaced, and null is a value like any other", () => {
  assert.equal(applyJsonPatch({ a: 1 }, [{ op: "replace", path: "", value: null }]), null);
  const operations: PatchOperation[] = [
    { op: "test", path: "/a", value: null },
    { op: "remove", path: "/a" },
  ];
  assert.deepEqual(applyJsonPatch({ a: null }, operations), {});
});

test("a move onto itself changes nothing, and one to a longer sibling name is allowed", () => {
  assert.deepEqual(applyJsonPatch({ a: 1 }, [{ op: "move", from: "/a", path: "/a" }]), { a: 1 });
  assert.deepEqual(applyJsonPatch({ a: 1 }, [{ op: "move", from: "/a", path: "/ab" }]), { ab: 1 });
});

test("copies and inserted values do not stay connected to their source", () => {
  const value: Json = { x: 1 };
  const result = applyJsonPatch({}, [
    { op: "add", path: "/a", value },
    { op: "copy", from: "/a", path: "/b" },
    { op: "replace", path: "/b/x", value: 2 },
    { op: "add", path: "/a/y", value: 3 },
  ]);
  assert.deepEqual(result, { a: { x: 1, y: 3 }, b: { x: 2 } });
  assert.deepEqual(value, { x: 1 });
});

test("a patch never changes its input, whether performed or refused", () => {
  fc.assert(
    fc.property(anyJson, anyJson, (a, b) => {
      const text = JSON.stringify(a);
      const operations = patchOf(diff(a, b));
      applyJsonPatch(a, operations);
      const fails: PatchOperation = { op: "test", path: "/nothing/here", value: 0 };
      assert.throws(() => applyJsonPatch(a, [...operations, fails]), SetpointError);
      assert.equal(JSON.stringify(a), text);
    }),
  );
});

test("__proto__ is an ordinary key to a patch", () => {
  const result = applyJsonPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: 1 } }]);
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
  assert.equal(JSON.stringify(result), '{"__proto__":{"polluted":1}}');
  assert.throws(
    () => applyJsonPatch({}, [{ op: "add", path: "/__proto__/polluted", value: 1 }]),
    SetpointError,
  );
});

test("copies that double the document end at a limit", () => {
  const doubling: PatchOperation[] = Array.from({ length: 64 }, (_, index) => ({
    op: "copy",
    from: "",
    path: `/c${index}`,
  }));
  assert.throws(
    () => applyJsonPatch({ seed: "x".repeat(1000) }, doubling),
    (error: SetpointError) => /too large/.test(error.message),
  );
});

test("more operations than the limit are refused before any is performed", () => {
  const operations = Array.from({ length: limits.maxPatchOperations + 1 }, () => ({
    op: "remove" as const,
    path: "/missing",
  }));
  assert.throws(
    () => applyJsonPatch({}, operations),
    (error) => isSetpointError(error, "request.too_large"),
  );
});

test("a body that is not a list of operations cannot be read", () => {
  const bodies: Json[] = [
    {},
    [1],
    [{ op: "add", path: "/a" }],
    [{ op: "move", path: "/a" }],
    [{ op: "remove" }],
    [{ op: "merge", path: "/a", value: 1 }],
  ];
  for (const body of bodies) {
    assert.throws(
      () => parseJsonPatch(body),
      (error) => isSetpointError(error, "request.invalid"),
    );
  }
});

test("a patch that moves long lists pauses after each slice of the work", async () => {
  const list = Array.from({ length: limits.patchSliceValues / 10 }, () => 1);
  const operations = Array.from({ length: 30 }, (_, index) => ({
    op: "add" as const,
    path: "/list/0",
    value: index,
  }));
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses += 1;
    return Promise.resolve();
  };
  const sliced = await applyJsonPatchInSlices({ list }, operations, {}, pause);
  assert.deepEqual(sliced, applyJsonPatch({ list }, operations));
  assert.equal(pauses, 3);
  pauses = 0;
  await applyJsonPatchInSlices({ list: [1] }, operations, {}, pause);
  assert.equal(pauses, 0, "a short list is changed at once");
});

test("a patch with large values pauses after each slice of the work", async () => {
  const value = { text: "x".repeat(limits.patchSliceValues / 4) };
  const changes: readonly PatchOperation[] = [
    { op: "test", path: "/a", value },
    { op: "add", path: "/b", value },
    { op: "replace", path: "/a", value },
    { op: "copy", from: "/a", path: "/c" },
  ];
  for (const change of changes) {
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses += 1;
      return Promise.resolve();
    };
    const operations = Array.from({ length: 12 }, () => change);
    await applyJsonPatchInSlices({ a: value }, operations, {}, pause);
    assert.equal(pauses, 3, change.op);
  }
});
