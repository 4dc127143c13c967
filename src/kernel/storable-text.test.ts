import assert from "node:assert/strict";
import { test } from "node:test";
import { isStorableIdentity } from "./storable-text.ts";

const key = { kind: "widgets.test", namespace: "", name: "a" };

test("a resource can exist when each part of its key, and its uid, can be stored", () => {
  assert(isStorableIdentity(key, "u"));
  assert(isStorableIdentity({ ...key, name: "n".repeat(253) }, "u"));
  for (const odd of ["", "n".repeat(254), "é".repeat(127), "a\u0000b", "\ud800"]) {
    assert(!isStorableIdentity({ ...key, name: odd }, "u"), JSON.stringify(odd));
    assert(!isStorableIdentity(key, odd), JSON.stringify(odd));
  }
  const missing = undefined as unknown as string;
  assert(!isStorableIdentity({ ...key, name: missing }, "u"));
});
