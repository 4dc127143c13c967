import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { limits } from "./limits.ts";
import { jsonSyntaxProblem } from "./json-syntax.ts";
import { parseExact } from "./int64.ts";
import { parseIfJson, parseJson } from "./strict-json.ts";

const duplicates = (text: string) => parseJson(text, { strict: true }).duplicates;

test("keys given twice are found where they are, each once", () => {
  assert.deepEqual(duplicates('{"a":1,"a":2}'), ["a"]);
  const text = '{"spec":{"l":[{"x":1},{"x":1,"\\u0078":2,"x":3}], "y":{}, "y" : [] },"spec":1}';
  assert.deepEqual(duplicates(text), ["spec.l[1].x", "spec.y", "spec"]);
  assert.deepEqual(duplicates('[{"a":1},{"a":1},"a:",{"b":"\\":"}]'), []);
});

test("duplicates are looked for only when asked for", () => {
  assert.deepEqual(parseJson('{"a":1,"a":2}', { strict: false }), {
    value: { a: 2 },
    duplicates: [],
  });
});

test("bytes are read as UTF-8", () => {
  assert.deepEqual(parseJson(Buffer.from('{"ü":"🙂"}'), { strict: true }).value, { ü: "🙂" });
});

test("nesting beyond the limit and endless numbers are refused", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  parseJson(nested(limits.maxJsonDepth), { strict: true });
  assert.throws(() => parseJson(nested(limits.maxJsonDepth + 1), { strict: false }), {
    code: "request.invalid",
    message: "exceeded max depth",
  });
  assert.throws(() => parseJson(nested(1_000_000), { strict: false }), {
    code: "request.invalid",
  });
  assert.throws(() => parseJson('{"a":[1e999]}', { strict: false }), {
    message: "json: cannot unmarshal number 1e999 into Go value of type float64",
  });
});

test("syntax errors are Go's", () => {
  const problems: Readonly<Record<string, string>> = {
    "": "unexpected end of JSON input",
    "{": "unexpected end of JSON input",
    '{"a": tru': "unexpected end of JSON input",
    x: "invalid character 'x' looking for beginning of value",
    "{a": "invalid character 'a' looking for beginning of object key string",
    '{"a"}': "invalid character '}' after object key",
    '{"a":1 "b"}': "invalid character '\"' after object key:value pair",
    "[1 2]": "invalid character '2' after array element",
    "{}'": "invalid character '\\'' after top-level value",
    '"\n"': "invalid character '\\n' in string literal",
    '"\\x"': "invalid character 'x' in string escape code",
    '"\\u00g0"': "invalid character 'g' in \\u hexadecimal character escape",
    "-x": "invalid character 'x' in numeric literal",
    "1.x": "invalid character 'x' after decimal point in numeric literal",
    "1ex": "invalid character 'x' in exponent of numeric literal",
    nul1: "invalid character '1' in literal null (expecting 'l')",
    "01": "invalid character '1' after top-level value",
  };
  for (const [text, message] of Object.entries(problems)) {
    assert.throws(() => parseJson(text, { strict: true }), { code: "request.invalid", message });
  }
});

test("a long text that nests too deep is refused before it is parsed, also if not JSON", () => {
  const refused = { code: "request.invalid", message: "exceeded max depth" };
  for (const opened of ["[", '{"a":', '["[",{"\\"":']) {
    const endless = opened.repeat(20_000);
    assert.throws(() => parseJson(endless, { strict: false }), refused);
    assert.throws(() => parseIfJson(Buffer.from(endless), { strict: false }), refused);
  }
  const flat = JSON.stringify(
    Array.from({ length: 20_000 }, (_, at) => ({ at: ["]", "[".repeat(at % 300)] })),
  );
  assert.equal(JSON.stringify(parseJson(flat, { strict: true }).value), flat);
});

test("a text that is not JSON is left to another reader", () => {
  assert.equal(parseIfJson(Buffer.from("{a: 1}"), { strict: true }), undefined);
  assert.equal(parseIfJson(Buffer.from('["'), { strict: true }), undefined);
  assert.deepEqual(parseIfJson(Buffer.from('{"a":1}'), { strict: true })?.value, { a: 1 });
});

test("every JSON text is read as the platform reads it, and is found to be JSON", () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom(undefined, 1), (value, space) => {
      const text = JSON.stringify(value, null, space);
      // Not half of a surrogate pair, which is written as an escape.
      fc.pre(!/\\ud/.test(text));
      const parsed = parseJson(text, { strict: true });
      assert.equal(JSON.stringify(parsed.value), JSON.stringify(parseExact(text)));
      assert.deepEqual(parsed.duplicates, []);
      assert.equal(jsonSyntaxProblem(text), undefined);
    }),
  );
});

test("what the platform refuses has a problem, and what it takes has none", () => {
  const piece = fc.constantFrom(...'{}[]:,"\\ue0-1.tn \n'.split(""), "true", "null", "1e5", '"a"');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join("");
      assert.equal(jsonSyntaxProblem(text) === undefined, isJson(text), text);
    }),
    { numRuns: 1_000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("whole numbers of 64 bits keep their digits", () => {
  const fine = '{"a":9007199254740991,"b":-9007199254740991,"c":0.12345678901234567,"d":1e300}';
  assert.deepEqual(parseJson(fine, { strict: true }).value, JSON.parse(fine));
  const texts = '{"a":"9223372036854775807","9223372036854775807":[12345678901234567e3]}';
  assert.deepEqual(parseJson(texts, { strict: true }).value, JSON.parse(texts));
  for (const number of ["9223372036854775807", "-9007199254740992", "9007199254740993"]) {
    const { value } = parseJson(`{"a":[1,{"b":${number}}]}`, { strict: false });
    assert.deepEqual(value, { a: [1, { b: BigInt(number) }] });
  }
});

test("very many objects or lists are refused, and brackets in texts do not count", () => {
  const most = limits.maxJsonContainers;
  for (const one of ["{}", "[]"]) {
    const listed = (count: number): string => `{"a":[${`${one},`.repeat(count - 1)}${one}]}`;
    parseJson(listed(most - 1), { strict: false });
    assert.throws(() => parseJson(listed(most + 1), { strict: false }), {
      code: "request.too_large",
      message: "the body has more than 300000 objects or lists",
    });
  }
  parseJson(JSON.stringify({ a: "{[".repeat(most + 1) }), { strict: false });
});
