import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { nullFreeObject } from "./arbitraries.ts";
import { equalJson, getOwn, isJsonObject } from "./json.ts";
import type { Json } from "./json.ts";
import { threeWayMerge } from "./three-way-merge.ts";

test("everything desired is in the result", () => {
  fc.assert(
    fc.property(nullFreeObject, nullFreeObject, nullFreeObject, (lastApplied, desired, live) => {
      assert.ok(holds(threeWayMerge({ lastApplied, desired, live }).merged, desired));
    }),
  );
});

test("applying the same declaration again changes nothing", () => {
  fc.assert(
    fc.property(nullFreeObject, nullFreeObject, nullFreeObject, (lastApplied, desired, live) => {
      const { merged } = threeWayMerge({ lastApplied, desired, live });
      const again = threeWayMerge({ lastApplied: desired, desired, live: merged });
      assert.deepEqual(again.changes, []);
    }),
  );
});

test("a field that nobody declared survives", () => {
  fc.assert(
    fc.property(nullFreeObject, nullFreeObject, nullFreeObject, (lastApplied, desired, live) => {
      const { merged } = threeWayMerge({ lastApplied, desired, live });
      assert.ok(keeps(merged, live, lastApplied, desired));
    }),
  );
});

test("a field declared before and no longer is removed", () => {
  fc.assert(
    fc.property(nullFreeObject, nullFreeObject, nullFreeObject, (lastApplied, desired, live) => {
      const { merged } = threeWayMerge({ lastApplied, desired, live });
      for (const key of Object.keys(lastApplied)) {
        if (!Object.hasOwn(desired, key)) assert.ok(!Object.hasOwn(merged as object, key));
      }
    }),
  );
});

test("lists are replaced whole and other fields of the same object stay", () => {
  const { merged, changes } = threeWayMerge({
    lastApplied: { spec: { ports: [80], size: 1 } },
    desired: { spec: { ports: [443] } },
    live: { spec: { ports: [80, 81], size: 2, node: "n1" }, status: { ready: true } },
  });
  assert.deepEqual(merged, { spec: { ports: [443], node: "n1" }, status: { ready: true } });
  assert.deepEqual(changes.map(({ kind, path }) => `${kind} ${path}`).sort(), [
    "remove /spec/ports/1",
    "remove /spec/size",
    "replace /spec/ports/0",
  ]);
});

test("a declared null means that the field must be absent", () => {
  const desired: Json = { spec: { a: null, b: { c: null } } };
  const live: Json = { spec: { a: 1, d: 2 } };
  assert.deepEqual(threeWayMerge({ lastApplied: undefined, desired, live }).merged, {
    spec: { b: {}, d: 2 },
  });
});

test("with nothing live the result is the declaration", () => {
  const { merged, changes } = threeWayMerge({
    lastApplied: { a: 1 },
    desired: { b: 2 },
    live: undefined,
  });
  assert.deepEqual(merged, { b: 2 });
  assert.deepEqual(changes, [{ kind: "add", path: "", new: { b: 2 } }]);
});

function holds(whole: Json | undefined, part: Json): boolean {
  if (!isJsonObject(part)) return equalJson(whole, part);
  if (!isJsonObject(whole)) return false;
  return Object.entries(part).every(([key, value]) => holds(getOwn(whole, key), value));
}

/** Follows live only through objects that are declared as objects, or not at all. */
function keeps(merged: Json, live: Json, lastApplied: Json | undefined, desired: Json): boolean {
  if (!isJsonObject(live) || !isJsonObject(desired) || !isJsonObject(merged)) return true;
  return Object.entries(live).every(([key, value]) => {
    const last = isJsonObject(lastApplied) ? getOwn(lastApplied, key) : undefined;
    const want = getOwn(desired, key);
    const now = getOwn(merged, key);
    if (want === undefined) return last !== undefined || equalJson(now, value);
    return now !== undefined && keeps(now, value, last, want);
  });
}
