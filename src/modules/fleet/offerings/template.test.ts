import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../kernel/json.ts";
import { TemplateProblem, compileTemplate } from "./template.ts";
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
