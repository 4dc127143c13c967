import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { parseJson } from "./strict-json.ts";
import { decodeUtf8 } from "./whole-text.ts";
import { parseYaml } from "./yaml.ts";

test("bytes that are no UTF-8 are refused, with their place", () => {
  const start = Buffer.from('{"password":"ü');
  for (const bad of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc0]]) {
    const bytes = Buffer.concat([start, Buffer.from(bad), Buffer.from('"}')]);
    assert.throws(() => parseJson(bytes, { strict: true }), {
      code: "request.invalid",
      message: new RegExp(
        `^the text is not UTF-8 at byte (${start.length + 1}|${start.length + 2})$`,
      ),
    });
  }
  assert.throws(() => decodeUtf8(Buffer.from([0x61, 0xc3])), { code: "request.invalid" });
});

test("U+FFFD itself is a character like others", () => {
  assert.deepEqual(parseJson(Buffer.from('"\ufffd"'), { strict: true }).value, "\ufffd");
});

test("half of a surrogate pair is refused in values, keys and lists, with its place", () => {
  for (const [text, place] of [
    [String.raw`{"tags":{"a":["x","\ud800"]}}`, "tags.a[1]"],
    [String.raw`{"tags":{"a":"\uDFFFx"}}`, "tags.a"],
    [String.raw`{"tags":{"\udc00":1}}`, "tags.\ufffd"],
    [String.raw`{"tags":{"a":"\ude42\ud83d"}}`, "tags.a"],
  ] as const) {
    const expected = {
      code: "request.invalid",
      message: `the text at ${JSON.stringify(place)} has half of a surrogate pair`,
    };
    assert.throws(() => parseJson(Buffer.from(text), { strict: false }), expected);
    assert.throws(() => parseYaml(text), expected);
  }
  assert.throws(() => parseJson(String.raw`"\ud800"`, { strict: true }), {
    message: "the text has half of a surrogate pair",
  });
  assert.throws(() => parseYaml(String.raw`a: "\ud800"`), { code: "request.invalid" });
});

test("whole pairs are taken, escaped or not, and a backslash before a u is no escape", () => {
  const text = String.raw`{"a":"\ud83d\ude42","b":"🙂","c":"\\ud800"}`;
  const value = { a: "🙂", b: "🙂", c: String.raw`\ud800` };
  assert.deepEqual(parseJson(Buffer.from(text), { strict: true }).value, value);
  assert.deepEqual(parseYaml(text).value, value);
});

test("any text is taken if and only if it is whole", () => {
  const units = fc.oneof(
    fc.string(),
    fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)),
  );
  fc.assert(
    fc.property(fc.array(units), (parts) => {
      const text = parts.join("");
      const read = (): unknown => parseJson(JSON.stringify({ text }), { strict: true }).value;
      if (text.isWellFormed()) assert.deepEqual(read(), { text });
      else assert.throws(read, { code: "request.invalid" });
    }),
  );
});
