import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "./json.ts";
import { readDocuments } from "./yaml-documents.ts";

function valuesOf(text: string): readonly Json[] {
  return [...readDocuments(text)].map((read) => {
    if ("problem" in read) throw new Error(`line ${read.line}: ${read.problem}`);
    return read.value;
  });
}

function problemOf(text: string): string {
  const found = [...readDocuments(text)].find((read) => "problem" in read);
  if (found === undefined || !("problem" in found)) throw new Error("it was read");
  return `line ${found.line}: ${found.problem}`;
}

/** What `kubectl annotate --local -o json` of 1.32 prints for the same texts. */
const scalars: readonly (readonly [text: string, value: Json])[] = [
  ["yes", true],
  ["Yes", true],
  ["yEs", "yEs"],
  ["on", true],
  ["OFF", false],
  ["n", false],
  ["y", true],
  ["0755", 493],
  ["0o755", 493],
  ["0o8", "0o8"],
  ["08", 8],
  ["0_8", 8],
  ["1_000", 1000],
  ["1.5_0", 1.5],
  ["0b11", 3],
  ["-0b11", -3],
  ["0x1F", 31],
  ["-0x1f", -31],
  ["12:30:45", "12:30:45"],
  ["2001-12-14", "2001-12-14"],
  ["~", null],
  ["", null],
  ["=", "="],
  ["+1", 1],
  ["-0", 0],
  ["1.", 1],
  [".5", 0.5],
  ["-.5", -0.5],
  ["1.0", 1],
  ["1e3", 1000],
  ["1e21", 1e21],
  ["0.1e400", "0.1e400"],
  ["1e400", "1e400"],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["18446744073709551615", 18446744073709552000],
  ["99999999999999999999999", 1e23],
  ["!!str 12", "12"],
  ["!foo 12", "12"],
  ['!!int "5"', 5],
  ["!!float 3", 3],
  ["!!binary aGk=", "hi"],
  ['"yes"', "yes"],
  ["'0755'", "0755"],
  ["|\n  yes\n  ---\n  a: 1\n", "yes\n---\na: 1\n"],
];

describe("the documents of a YAML text", () => {
  for (const [text, value] of scalars) {
    it(`reads ${JSON.stringify(text)} as kubectl does`, () => {
      assert.deepEqual(valuesOf(`a: ${text}\n`), [{ a: value }]);
    });
  }

  it("reads keys as kubectl does", () => {
    const text = "on: a\n1: b\n1.5: c\n__proto__: d\n";
    const [value] = valuesOf(text);
    assert.equal(JSON.stringify(value), '{"1":"b","true":"a","1.5":"c","__proto__":"d"}');
  });

  it("merges as kubectl does", () => {
    const text = `
x: &x {p: 1, q: 2}
y: &y {p: 5, r: 2}
above: {p: 3, <<: *x}
below: {<<: *x, p: 3}
list: {<<: [*x, *y]}
inline: {<<: [*x, {p: 9}], s: 1}
`;
    const [value] = valuesOf(text) as readonly { readonly [key: string]: Json }[];
    assert.deepEqual(value?.["above"], { p: 1, q: 2 });
    assert.deepEqual(value["below"], { p: 3, q: 2 });
    assert.deepEqual(value["list"], { p: 1, q: 2, r: 2 });
    assert.deepEqual(value["inline"], { p: 1, q: 2, s: 1 });
  });

  it("reads several documents without empty ones, with a BOM and CRLF", () => {
    const text =
      "\uFEFF# none\r\n---\r\n---\r\na: 1\r\n---\r\n# c\r\n---\r\nb: |\r\n  x\r\n  y\r\n...\r\n";
    assert.deepEqual(valuesOf(text), [{ a: 1 }, { b: "x\ny\n" }]);
  });

  it("has the line of each document and of each item", () => {
    const text = "---\n# a\na: 1\n---\nitems:\n- b: 1\n-\n  c: 1\n";
    const lines = [...readDocuments(text)].map((read) =>
      "problem" in read ? [] : [read.line, read.itemLines],
    );
    assert.deepEqual(lines, [
      [3, []],
      [5, [6, 8]],
    ]);
  });

  it("refuses a key that occurs twice, also in another spelling", () => {
    assert.equal(
      problemOf("a: 1\nb: {c: 1,\n  c: 2}\n"),
      "line 3: the key occurs twice in one object",
    );
    assert.match(problemOf("on: 1\nyes: 2\n"), /^line 2: the key occurs twice/);
    assert.match(problemOf('1: 1\n"1": 2\n'), /^line 2: the key occurs twice/);
  });

  it("refuses what JSON cannot hold", () => {
    for (const text of ["a: .inf", "a: -.INF", "a: .nan", "a: !!float .inf"]) {
      assert.equal(problemOf(text), "line 1: infinity and NaN are not values of JSON");
    }
    assert.equal(problemOf("? [1]\n: 2\n"), "line 1: a key must be text");
    assert.equal(problemOf("null: 2\n"), "line 1: a key must be text");
    assert.equal(problemOf("a: !!int x\n"), "line 1: a value is not what its tag states");
  });

  it("bounds what aliases repeat", () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const last = level === 0 ? '"lol"' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => last).join(", ")}]`;
    });
    assert.match(problemOf(levels.join("\n")), /^line \d+: aliases repeat too much/);
    assert.match(problemOf("a: &a [*a]\n"), /^line 1: an alias has no anchor before it/);
    assert.match(problemOf("a: &a {<<: *a}\n"), /^line 1: an alias has no anchor before it/);
  });

  it("bounds the nesting", () => {
    assert.match(problemOf(`a: ${"[".repeat(100_000)}`), /max depth|nesting is too deep/);
    const levels = Array.from({ length: 1_000 }, (_, level) => `${" ".repeat(level)}a:`);
    assert.match(problemOf(levels.join("\n")), /max depth|nesting is too deep/);
  });

  it("quotes nothing of a text that it cannot read", () => {
    const values = [
      'password: "hunter2',
      "password: hunter2: x",
      "password: [hunter2",
      "password: *hunter2",
      "\tpassword: hunter2",
      'password: "\\qhunter2"',
      "password: @hunter2",
      "password: hunter2\n hunter2\n  - hunter2: {",
      "password: !!int hunter2",
      "password: !<hunter2 x",
      "%hunter2 x\n---\na: 1\n %hunter2",
      "- hunter2\npassword: hunter2",
      "{password: hunter2}}",
      "a: b\n---\npassword: {hunter2: {hunter2",
      "a: &hunter2 &hunter2 b",
    ];
    for (const text of values) {
      const found = [...readDocuments(`a: 1\n---\n${text}`)];
      assert.doesNotMatch(JSON.stringify(found.filter((read) => "problem" in read)), /hunter2/);
    }
    assert.match(problemOf("a: 1\nb: [\n"), /^line \d+: /);
  });
});
