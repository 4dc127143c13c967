/** Manifests are read as each kubectl reads them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { parseExact } from "../../src/kernel/int64.ts";
import { listAt, objectAt } from "../../src/kernel/json-read.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { readDocuments } from "../../src/kernel/yaml-documents.ts";
import { kubectlPaths } from "../peers/kubectl.ts";

const charsOf = (chars: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...chars.split("")), minLength, maxLength });

/** Words and numbers at the edges of what YAML 1.1 and Go know. */
const edges = [
  "true True tRue yes Yes yeS no NO on oN off Off y Y n N null Null nULL ~ 2001-01-01",
  "1:2 190:20:30 2001-12-14t21:59:43.10-05:00 .5e3 .5e 1e 0x 0b 0o 1E5 1e+5 +.5 .e3",
  "-.5e-3 0. 00 007 -007 +0o7 0_7 _7 7_ 1__0 9223372036854775807 9223372036854775808",
  "-9223372036854775809 18446744073709551615 18446744073709551616 0xffffffffffffffff",
  "0x10000000000000000 -0xffffffffffffffff 01777777777777777777777",
  "1.7976931348623157e308 1e309 1e-400",
].flatMap((line) => line.split(" "));

const plain = fc.oneof(
  fc.constantFrom(...edges),
  fc
    .tuple(
      fc.constantFrom("", "+", "-"),
      fc.constantFrom("", "0", "0x", "0o", "0b", "0X", "0O", "0B"),
      charsOf("01234567890_.eE", 0, 22),
    )
    .map((parts) => parts.join("")),
  charsOf("0123456789+-._eExXoObBaAfF:~yYnN=<", 1, 8),
);

/** Leaves out syntax, and infinity and NaN, which both refuse. */
function isPlain(text: string): boolean {
  if (text === "" || /^[-=?:]$|^-+$|^<<$|:$|^\.+$/.test(text)) return false;
  return !/^[-+]?\.(?:inf|nan)$/i.test(text);
}

/** A manifest as kubectl reads it without a server. */
function byKubectl(path: string, manifest: string): JsonObject {
  const args = ["annotate", "--local", "-f", "-", "-o", "json", "test=a"];
  const output = execFileSync(path, args, { input: manifest, maxBuffer: 2 ** 26 });
  return { ...objectAt(parseExact(output.toString()) as Json), metadata: {} };
}

function textOf(value: Json | undefined): string {
  return JSON.stringify(value ?? null);
}

/** The ways to write texts, lists and objects. */
const structures = [
  "a: |\n  x\n\n  y\n\n\nb: 1\n",
  "a: |-\n  x\n  ---\n  # no comment\nb: |+\n  y\n\n",
  "a: >\n  one\n  two\n\n  three\n   four\n",
  "a: |2\n   x\n  y\n",
  'a: "x\\ty\\u00e9\\n\\x41 \\\\ \\"q\\" "\n',
  "a: 'it''s'\nb: 'two\n  lines\n\n  three'\n",
  "a: one\n  two # comment\nb: x#y\nc: http://x:80/y\n",
  "a: [1, yes, {b: c, d: [e]}, 'f']\nb: {}\nc: []\n",
  "a:\n- b\n- - c\n  - d\n- e: 1\n  f: 2\n-\n",
  "? a\n: b\n? yes\n: c\n",
  "a: &x {p: 1, q: &y [1, 2]}\nb: *x\nc: *y\nd: {p: 3, <<: *x}\ne: {<<: [{p: 5}, *x]}\n",
  "a: &x 0755\nb: *x\nc: !!str 0755\nd: !!int '0755'\ne: !own {f: 1}\n",
  "a:   \nb: null\nc: ''\nd: ~\n",
  "a: b\r\nc: |\r\n  d\r\n  e\r\n",
  "'a b': 1\n\"c\": 2\nd e: 3\n1.5: 4\n0x10: 5\n2001-01-01: 6\n",
];

describe("the reader of manifests and kubectl", () => {
  for (const path of kubectlPaths()) {
    it(`agree about plain scalars: ${path.split("/").at(-1) ?? path}`, () => {
      const texts = fc.sample(plain, { seed: 7, numRuns: 4_000 }).filter(isPlain);
      const items = texts.map((text) => `- ${text}\n`).join("");
      const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nlist:\n${items}`;
      const expected = listAt(byKubectl(path, manifest), "list");
      assert.equal(expected.length, texts.length);
      const [read] = readDocuments(manifest);
      assert.ok(read !== undefined && "value" in read, JSON.stringify(read));
      const found = listAt(parseExact(JSON.stringify(read.value)) as Json, "list");
      const differences = texts.flatMap((text, index) =>
        textOf(found[index]) === textOf(expected[index])
          ? []
          : [`${text}: ${textOf(found[index])} and ${textOf(expected[index])}`],
      );
      assert.deepEqual(differences, []);
    });

    it(`agree about structures: ${path.split("/").at(-1) ?? path}`, () => {
      for (const structure of structures) {
        const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${structure}`;
        const [read] = readDocuments(manifest);
        assert.ok(read !== undefined && "value" in read, structure + JSON.stringify(read));
        const expected = byKubectl(path, manifest);
        assert.deepEqual({ ...objectAt(read.value), metadata: {} }, expected, structure);
      }
    });
  }
});
