import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { compileTemplate } from "../../../kernel/template/template.ts";
import { combinationsOf } from "./combinations.ts";
import { decideSet, renderSet } from "./decide-set.ts";
import type { Rendered } from "./decide-set.ts";

const rules = { keeps: false, allowEmpty: false, confirmed: "" };
const set = { name: "previews", namespace: "jane" };

function rendered(names: readonly string[], name = "preview-${branch.name}"): Rendered {
  const document: JsonObject = {
    metadata: { name, labels: { branch: "${branch.name}" } },
    spec: { source: { path: "deploy", targetRevision: "${branch.name}" }, type: "automated" },
  };
  const compiled = compileTemplate(document, ["branch", "set"], "spec.template");
  assert.ok(compiled.kind === "compiled");
  const values = names.map((each) => ({ text: `branch ${each}`, value: { name: each } }));
  const combinations = combinationsOf(new Map([["branch", values]]), 100);
  assert.ok(combinations !== undefined);
  return renderSet(compiled.template, combinations, set);
}

/** The deployments as the set applied them. */
function present(names: readonly string[]): readonly Resource[] {
  return rendered(names).wanted.map(({ name, document }) => {
    const metadata = Object.assign({ uid: name }, document.metadata);
    return Object.assign({}, document, { metadata }) as unknown as Resource;
  });
}

const numbers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `b${index}`);

test("a deployment is rendered for each combination", () => {
  const [first] = rendered(["main"]).wanted;
  assert.equal(first?.name, "preview-main");
  assert.equal(first.from, "branch main");
  assert.deepEqual(first.document["spec"], {
    source: { path: "deploy", targetRevision: "main" },
    type: "automated",
  });
  assert.deepEqual(first.document.metadata.labels, {
    branch: "main",
    "gitops.setpoint.dev/set": "previews",
  });
});

test("what cannot be rendered is a problem that names its origin, and stops deletions", () => {
  const invalid = rendered(["main", "Feature"]);
  assert.deepEqual(
    invalid.wanted.map(({ name }) => name),
    ["preview-main"],
  );
  assert.match(invalid.problems[0] ?? "", /^branch Feature: the name "preview-Feature" is not/);
  const same = rendered(["a", "b"], "one");
  assert.match(same.problems[0] ?? "", /^branch b: one is the same name as for branch a/);
  const missing = rendered(["a"], "preview-${branch.slug}");
  assert.match(missing.problems[0] ?? "", /^branch a: spec\.template\.metadata\.name: /);
  assert.deepEqual(decideSet(invalid, present(["main", "old"]), rules).remove, []);
});

test("a deployment is applied when it is missing or differs, and fields of others are kept", () => {
  const wanted = rendered(["a", "b"]);
  const names = (live: readonly Resource[]): readonly string[] =>
    decideSet(wanted, live, rules).apply.map(({ name }) => name);
  const [a, b] = present(["a", "b"]);
  assert.ok(a !== undefined && b !== undefined);
  assert.deepEqual(names([]), ["preview-a", "preview-b"]);
  assert.deepEqual(names([a, b]), []);
  const pinned = { ...a, spec: { ...(a.spec as JsonObject), pin: { revision: "c" } } };
  assert.deepEqual(names([pinned as never, b]), [], "a field of another client");
  const edited = { ...a, spec: { ...(a.spec as JsonObject), type: "manual" } };
  assert.deepEqual(names([edited as never, b]), ["preview-a"]);
});

test("what is not generated any more is deleted, unless the set keeps it", () => {
  const live = present(["a", "b", "c"]);
  assert.deepEqual(decideSet(rendered(["a", "b"]), live, rules).remove, ["preview-c"]);
  assert.deepEqual(decideSet(rendered(["a"]), live, { ...rules, keeps: true }).remove, []);
  assert.deepEqual(decideSet(rendered([]), present(["a"]), rules).remove, ["preview-a"]);
});

test("deletion of all of several, or of most of many, waits for its confirmation", () => {
  const all = decideSet(rendered([]), present(["a", "b"]), rules);
  assert.equal(all.held?.reason, "All");
  assert.deepEqual(all.remove, []);
  assert.equal(
    decideSet(rendered([]), present(["a", "b"]), { ...rules, allowEmpty: true }).held,
    undefined,
  );
  const live = present(numbers(20));
  const many = decideSet(rendered(numbers(9)), live, rules);
  assert.equal(many.held?.reason, "Many");
  assert.equal(many.held.names.length, 11);
  const confirmed = { ...rules, confirmed: many.held.hash };
  assert.equal(decideSet(rendered(numbers(9)), live, confirmed).remove.length, 11);
  const other = decideSet(rendered(numbers(8)), live, confirmed);
  assert.equal(other.held?.reason, "Many", "a confirmation is for exactly these deletions");
  assert.equal(decideSet(rendered(numbers(11)), live, rules).remove.length, 9);
});
