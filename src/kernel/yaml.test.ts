import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson } from "./arbitraries.ts";
import { limits } from "./limits.ts";
import { formatYaml, parseYaml } from "./yaml.ts";

/** Generous: what is linear takes a tenth of it on a busy machine, what is not takes minutes. */
function inLittleTime(run: () => void): void {
  const before = process.cpuUsage();
  run();
  assert.ok(process.cpuUsage(before).user < 15_000_000);
}

test("what is written is read again", () => {
  fc.assert(
    fc.property(anyJson, (value) => {
      fc.pre(!/\d{16}|\\ud/.test(JSON.stringify(value)));
      const { value: read, duplicates } = parseYaml(formatYaml(value));
      assert.equal(JSON.stringify(parseYaml(formatYaml(read)).value), JSON.stringify(read));
      assert.deepEqual(duplicates, []);
    }),
    { numRuns: 50 },
  );
});

test("keys given twice are named with their lines, in the order of the text", () => {
  const text = "a: 1\nb:\n  c: 1\n  'c': 2\nl:\n- {x: 1, \"x\": 2}\na: 2\n";
  assert.deepEqual(parseYaml(text), {
    value: { a: 2, b: { c: 2 }, l: [{ x: 2 }] },
    duplicates: [
      'line 4: key "c" already set in map',
      'line 6: key "x" already set in map',
      'line 7: key "a" already set in map',
    ],
  });
  assert.deepEqual(parseYaml('{"a": 1,\n"a": 2}').duplicates, [
    'line 2: key "a" already set in map',
  ]);
});

test("problems are told in the words that clients know", () => {
  const problems: Readonly<Record<string, string>> = {
    "a: 1\nb: c: d": "yaml: line 2: mapping values are not allowed in this context",
    "a: b: c": "yaml: mapping values are not allowed in this context",
    "[a]: b": "yaml: invalid map key",
    "[a,,b]": "yaml: did not find expected node content",
    "a: 1\n---\nb: 1\n": "yaml: there is more than one document",
  };
  for (const [text, message] of Object.entries(problems)) {
    assert.throws(() => parseYaml(text), { code: "request.invalid", message });
  }
  assert.throws(() => parseYaml("a: 1\n]]"), { code: "request.invalid" });
  assert.throws(() => parseYaml("a: [1"), { code: "request.invalid" });
});

test("nesting is bounded in every form, before it costs anything", () => {
  const depth = limits.maxJsonDepth;
  parseYaml(`x: ${"[".repeat(depth - 1)}a${"]".repeat(depth - 1)}`);
  parseYaml(`${"- ".repeat(depth)}a`);
  parseYaml(`a: |\n${"  [[[ {{{\n".repeat(1_000)}`);
  const deep = [
    `${"- ".repeat(depth + 1)}a`,
    "- ".repeat(100_000),
    "[".repeat(200_000),
    "{a: ".repeat(50_000),
    Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
  ];
  inLittleTime(() => {
    for (const text of deep) {
      assert.throws(() => parseYaml(text), {
        code: "request.invalid",
        message: "yaml: exceeded max depth",
      });
    }
  });
});

test("large texts are read in linear time, and larger ones are refused", () => {
  // Still larger ones are in tests/linear-time.test.ts.
  const keys = Array.from({ length: 3_000 }, (_, i) => `k${i}: v`);
  inLittleTime(() => {
    assert.equal(Object.keys(parseYaml(keys.join("\n")).value ?? {}).length, 3_000);
    parseYaml(`[${"a,".repeat(20_000)}a]`);
    assert.throws(() => parseYaml(`[${",".repeat(50_000)}]`), { code: "request.invalid" });
    assert.throws(() => parseYaml(`a: 1\n${"]".repeat(100_000)}`), { code: "request.invalid" });
  });
  const large = "a,".repeat(limits.maxYamlChars / 2);
  assert.throws(() => parseYaml(`[${large}a]`), {
    code: "request.too_large",
    message: "YAML that is not JSON may have 524288 characters; send JSON",
  });
  const json = JSON.stringify(Array.from({ length: 200_000 }, () => "a"));
  inLittleTime(() => assert.equal(Object.keys(parseYaml(json).value ?? []).length, 200_000));
});

test("aliases may repeat what they name, but not without end", () => {
  assert.deepEqual(parseYaml("a: &x [1]\nb: *x").value, { a: [1], b: [1] });
  const levels = Array.from({ length: 12 }, (_, i) => `l${i}: &l${i} [${`*l${i - 1},`.repeat(9)}]`);
  const bomb = ["l-1: &l-1 x", ...levels].join("\n");
  assert.throws(() => parseYaml(bomb), { code: "request.invalid" });
  const pairs = Array.from({ length: 15_000 }, (_, i) => `- &a${i} v\n- *a${i}\n`).join("");
  inLittleTime(() =>
    assert.throws(() => parseYaml(pairs), {
      code: "request.invalid",
      message: "yaml: line 202: there are too many aliases",
    }),
  );
  assert.equal(Object.keys(parseYaml("- '*a'\n- |\n  *b\n".repeat(200)).value ?? []).length, 400);
});

test("whole numbers of 64 bits keep their digits, and larger ones are floats", () => {
  assert.deepEqual(parseYaml("a: 9007199254740991\nb: 1e300\nc: 0.1234567890123456").value, {
    a: 9_007_199_254_740_991,
    b: 1e300,
    c: 0.1234567890123456,
  });
  const { value } = parseYaml("[9223372036854775807, -9007199254740992, 0xFFFFFFFFFFFFFFFF]");
  assert.deepEqual(value, [9_223_372_036_854_775_807n, -9_007_199_254_740_992n, 2 ** 64]);
});
