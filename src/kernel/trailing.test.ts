import { equal } from "node:assert/strict";
import { test } from "node:test";
import { withoutTrailing } from "./trailing.ts";

test("the given characters are removed from the end of a text, and only there", () => {
  equal(withoutTrailing("//a/b//", "/"), "//a/b");
  equal(withoutTrailing("a.-.-", ".-"), "a");
  equal(withoutTrailing("///", "/"), "");
  equal(withoutTrailing("", "/"), "");
  equal(withoutTrailing("a b", " "), "a b");
});
