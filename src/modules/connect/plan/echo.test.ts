// Values that a service returns in another form than they were written, and that did not change.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { compareDocuments } from "./compare.ts";
import { isMask, isMaskOf, isReferenceTo } from "./echo.ts";
import { fieldTree, fieldsFor } from "./fields.ts";

test("an object is what was written when its identity is the written value", () => {
  assert.ok(isReferenceTo("ann", { id: 7, login: "ann" }));
  assert.ok(isReferenceTo(7, { id: "7", name: "ann" }));
  assert.ok(isReferenceTo(["a", "b"], [{ name: "b" }, { name: "a" }]));
  assert.ok(!isReferenceTo("ann", { id: 7, login: "bob" }));
  assert.ok(!isReferenceTo("ann", { owner: "ann", name: "x" }));
  assert.ok(!isReferenceTo(["a", "a"], [{ name: "a" }, { name: "b" }]));
  assert.ok(!isReferenceTo(["a"], [{ name: "a" }, { name: "b" }]));
  assert.ok(!isReferenceTo("", { name: "" }));
});

test("a mask stands for what was written, and other texts do not", () => {
  const masks = ["**********", "***", "<redacted>", "[REDACTED]", "REDACTED", "••••••", "xxxxxxxx"];
  for (const mask of masks) assert.ok(isMaskOf("correct horse", mask), mask);
  assert.ok(isMaskOf("sk-live-12345678", "sk-****5678"));
  assert.ok(!isMaskOf("sk-live-12345678", "sk-****9999"));
  for (const plain of ["*", "**", "hidden", "secret", "a***b c", "*.example.com", ""]) {
    assert.ok(!isMaskOf("correct horse", plain), plain);
  }
});

test("a text of several megabytes is no mask and has no other form", () => {
  for (const character of ["x", "*", "5"]) {
    const long = character.repeat(9_000_000);
    assert.ok(!isMask(long));
    assert.ok(!isMaskOf("correct horse", long));
    assert.ok(!isMaskOf(long, `${long}x`));
    const changed = differences({ a: `${long}-` }, { a: `${long}-` }, { a: long });
    assert.deepEqual((changed as JsonObject)["paths"], ["/a"]);
  }
});

function differences(desired: JsonObject, applied: JsonObject, observed: JsonObject): Json {
  const fields = fieldsFor(fieldTree([], [{ path: "/groups", keys: [] }]));
  const documents = { desired, lastApplied: applied, observed };
  const compared = compareDocuments(documents, { fields, known: [], digest: () => "" });
  return {
    paths: compared.differences.map(({ path }) => path),
    wanted: compared.wanted,
  };
}

test("a name that comes back as an object is no drift, and is sent as a name", () => {
  const spec = { owner: "ann", groups: ["ops"] };
  const shown = { owner: { id: 7, login: "ann" }, groups: [{ name: "ops" }], id: 1 };
  const same = { paths: [], wanted: { ...shown, ...spec } };
  assert.deepEqual(differences(spec, spec, shown), same);
  const other = { ...shown, owner: { id: 8, login: "bob" } };
  assert.deepEqual((differences(spec, spec, other) as JsonObject)["paths"], ["/owner"]);
});

test("a masked value is written when the spec changes, and not before", () => {
  const shown = { password: "**********" };
  const one = { password: "first word" };
  const two = { password: "second word" };
  assert.deepEqual(differences(one, one, shown), { paths: [], wanted: one });
  assert.deepEqual(differences(two, one, shown), { paths: ["/password"], wanted: two });
});
