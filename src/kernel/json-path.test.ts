import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isSetpointError } from "./errors.ts";
import type { Json } from "./json.ts";
import { compileJsonPath } from "./json-path.ts";

const document = {
  metadata: { name: "w", annotations: { "example.dev/team": "blue" } },
  spec: {
    size: 3,
    ratio: 1.5,
    ports: [
      { name: "http", port: 80 },
      { name: "tls", port: 443, on: true },
    ],
    odd: { "a.b": 1, "it's": 2 },
  },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Stalled", status: "False" },
    ],
  },
  empty: null,
} satisfies Json;

const cases: readonly (readonly [string, readonly Json[] | undefined])[] = [
  [".", []],
  [".metadata.name", ["w"]],
  [".spec.size", [3]],
  [".spec.missing.deeper", []],
  [".spec.size.deeper", []],
  [".empty", [null]],
  [".empty.deeper", []],
  [".metadata.annotations.example\\.dev/team", ["blue"]],
  [".metadata.annotations['example\\.dev/team']", ["blue"]],
  [".spec.odd.a\\.b", [1]],
  [".spec.ports[0].name", ["http"]],
  [".spec.ports[-1].name", ["tls"]],
  [".spec.ports[*].port", [80, 443]],
  [".spec.ports[:].port", [80, 443]],
  [".spec.ports[0:1].port", [80]],
  [".spec.ports[::2].port", [80]],
  [".spec.ports[0,1].port", [80, 443]],
  [".spec.ports[2].name", undefined],
  [".spec.size[0]", undefined],
  [".spec.ports[1:1].name", []],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Ready')].status", ["True"]],
  [".status.conditions[?(@.type!='Ready')].status", ["False"]],
  ['.status.conditions[?(@.type == "None")].status', []],
  [".spec.ports[?(@.port>=443)].name", ["tls"]],
  [".spec.ports[?(@.port<100)].name", ["http"]],
  [".spec.ports[?(@.name>'http')].port", [443]],
  [".spec.ports[?(@.on)].name", ["tls"]],
  [".spec.ports[?(@.on==true)].name", ["tls"]],
  [".spec.ports[?(@.port=='80')].name", undefined],
  [".spec.ports[?(@.on>true)].name", undefined],
  [".spec.size[?(@.a==1)]", undefined],
  ["..port", [80, 443]],
  [".spec.*.name", []],
  [".spec.ports.*.name", ["http", "tls"]],
  ["$.spec.size", [3]],
];

for (const [path, expected] of cases) {
  test(`the path ${path} finds ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(compileJsonPath(path).find(document), expected);
  });
}

test("a path that cannot be read is refused when it is compiled", () => {
  const bad = [
    ".a[",
    ".a[x]",
    ".a[?(@.b==1]",
    ".a[?(@.b=1)]",
    ".a....b",
    ".a{b}",
    ".a[?('x)]",
    "x",
  ];
  for (const path of bad) {
    assert.throws(
      () => compileJsonPath(path),
      (error) => isSetpointError(error, "request.invalid"),
      path,
    );
  }
});

test("inherited names are not fields", () => {
  assert.deepEqual(compileJsonPath(".constructor").find({}), []);
  assert.deepEqual(compileJsonPath(".__proto__").find({}), []);
});

test("compiling any text either succeeds or is refused with request.invalid", () => {
  const alphabet = fc.constantFrom(..."a.b[]*?()@'\"=<>!0-:,\\ ${}".split(""));
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 24 }), (text) => {
      try {
        compileJsonPath(text).find(document);
      } catch (error) {
        assert.ok(isSetpointError(error, "request.invalid"), String(error));
      }
    }),
  );
});
