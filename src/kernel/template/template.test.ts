import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../json.ts";
import { TemplateProblem, compileTemplate } from "./template.ts";
import type { Template } from "./template.ts";
import { textParts } from "./template-text.ts";

const variables = {
  instance: { spec: { owner: "alice", size: 3 }, metadata: { name: "rex" } },
  route: { domain: "rex.example.com" },
};

function rendered(document: Json): Json {
  const compiled = compileTemplate(document, Object.keys(variables), "template");
  assert.ok(compiled.kind === "compiled", JSON.stringify(compiled));
  return compiled.template.render(variables);
}

test("a text that is one expression takes the type of its value", () => {
  const document = {
    a: "${instance.spec.size}",
    b: "${instance.metadata.name}-${instance.spec.size + 1}",
    c: ["${[route.domain]}", "plain", 4, null, true],
    d: '${ {"owner": instance.spec.owner} }',
    e: "$${literal}",
  };
  assert.deepEqual(rendered(document), {
    a: 3,
    b: "rex-4",
    c: [["rex.example.com"], "plain", 4, null, true],
    d: { owner: "alice" },
    e: "${literal}",
  });
});

test("every expression that does not compile is an error at its field", () => {
  const document = { a: "${instance.", b: { c: ["${nothing}"] }, d: "${instance.spec" };
  const compiled = compileTemplate(document, ["instance"], "spec.template");
  assert.ok(compiled.kind === "failed");
  assert.deepEqual(
    compiled.errors.map(({ path }) => path),
    ["spec.template.a", "spec.template.b.c[0]", "spec.template.d"],
  );
});

test("an expression without a value names its field and shows no value of the instance", () => {
  const document = { a: { b: "${instance.spec.missing}" } };
  assert.throws(
    () => rendered(document),
    (error) => error instanceof TemplateProblem && error.message.startsWith("template.a.b: "),
  );
  assert.throws(() => rendered({ a: "x-${instance.spec}" }), /must be a text, number or boolean/);
});

test("braces and quotes inside an expression do not end it", () => {
  assert.deepEqual(textParts("a${ {'x': '}'}['x'] }b"), [
    { kind: "text", text: "a" },
    { kind: "expression", source: "{'x': '}'}['x']" },
    { kind: "text", text: "b" },
  ]);
  assert.equal(textParts("${'}"), undefined);
});

test("a part is rendered without the texts that have no variables", () => {
  const document = { a: "${x.a}", b: ["${x.b}", "plain"], c: { d: "${y.d}-${x.a}" }, e: 1 };
  const compiled = compileTemplate(document, ["x", "y"], "template");
  assert.ok(compiled.kind === "compiled");
  const { template } = compiled;
  assert.deepEqual(
    template.texts.map(({ path, place, reads }) => [path, place, reads]),
    [
      ["template.a", ["a"], [["x", "a"]]],
      ["template.b[0]", ["b", "0"], [["x", "b"]]],
      [
        "template.c.d",
        ["c", "d"],
        [
          ["y", "d"],
          ["x", "a"],
        ],
      ],
    ],
  );
  const part = template.renderPart(({ reads }) =>
    reads.some(([root]) => root === "y")
      ? undefined
      : { values: { x: { a: 7, b: "b" } }, hidden: false },
  );
  assert.deepEqual(part, { a: 7, b: ["b", "plain"], c: {}, e: 1 });
});

function compiledOf(document: Json): Template {
  const compiled = compileTemplate(document, ["x"], "template");
  assert.ok(compiled.kind === "compiled");
  return compiled.template;
}

test("an error of an expression with hidden variables does not quote them", () => {
  for (const source of ["{'a': 1}[x.p]", "url(x.p)", "ip(x.p)", "'a'.matches(x.p)", "x[x.p]"]) {
    const template = compiledOf({ a: `\${${source}}` });
    const values = { x: { p: "hunter[2" } };
    assert.throws(
      () => template.renderPart(() => ({ values, hidden: false })),
      /hunter|\[2/,
      source,
    );
    assert.throws(
      () => template.renderPart(() => ({ values, hidden: true })),
      (error: Error) => !/hunter|\[2/.test(error.message),
      source,
    );
  }
});

test("the expressions of a document share a limited amount of work", () => {
  const numbers = Array.from({ length: 400 }, (_, index) => index);
  const large = Object.fromEntries(numbers.map((index) => [`k${index}`, index]));
  const x = { numbers, large, same: { ...large } };
  for (const source of [
    "x.numbers.filter(a, x.numbers.exists(b, a == b + 1)).size()",
    "x.numbers.filter(a, x.large == x.same).size()",
    "x.numbers.map(a, x.numbers.map(b, x.numbers.sort()[0])).size()",
    "x.numbers.map(a, x.numbers + x.numbers + x.numbers + x.numbers)",
    "x.numbers.filter(a, a + 1000 in x.numbers).size()",
  ]) {
    const template = compiledOf(Array.from({ length: 10 }, () => `\${${source}}`));
    assert.throws(() => template.render({ x }), /need too much work/, source);
  }
});

test("a document with too many or too long expressions is refused with one error", () => {
  const long = Array.from({ length: 9_000 }, () => "1").join(",");
  for (const document of [
    Array.from({ length: 5_000 }, () => "${x}"),
    [`\${[${long}]}`],
    Array.from({ length: 20 }, () => `\${[${long.slice(0, 15_000)}1]}`),
  ]) {
    const compiled = compileTemplate(document, ["x"], "template");
    assert.ok(compiled.kind === "failed");
    assert.equal(compiled.errors.length, 1);
    assert.match(compiled.errors[0]?.detail ?? "", /at most/);
  }
});
