// Forms as services read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyBytes } from "./body-bytes.ts";

const form = "application/x-www-form-urlencoded; charset=utf-8";

test("a form names what lies within by brackets, and what is to be removed is empty", () => {
  const body = {
    name: "a b&c",
    size: 3,
    isOn: false,
    gone: null,
    tags: { team: "shop", "x[y]": "1" },
    words: ["a", "b"],
    rules: [{ port: 80 }],
    none: [],
  };
  assert.deepEqual(
    [...new URLSearchParams(bodyBytes(body, form).toString())],
    [
      ["name", "a b&c"],
      ["size", "3"],
      ["isOn", "false"],
      ["gone", ""],
      ["tags[team]", "shop"],
      ["tags[x[y]]", "1"],
      ["words[]", "a"],
      ["words[]", "b"],
      ["rules[0][port]", "80"],
      ["none", ""],
    ],
  );
  assert.equal(bodyBytes(body).toString(), JSON.stringify(body));
});
