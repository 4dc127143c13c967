import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { allowedNamespacesErrors, isNamespaceAllowed } from "./allowed-namespaces.ts";

function namespace(name: string, labels: Readonly<Record<string, string>> = {}): Resource {
  const metadata = { name, uid: name, labels };
  return { apiVersion: "v1", kind: "Namespace", metadata } as unknown as Resource;
}

const isAllowed = (allowed: JsonObject, one: Resource): boolean => isNamespaceAllowed(allowed, one);

test("no statement allows no namespace", () => {
  for (const allowed of [{}, { names: [] }]) {
    assert.equal(isAllowed(allowed, namespace("a")), false);
  }
});

test("a namespace is allowed by its name or by its labels", () => {
  const allowed = { names: ["a"], selector: { matchLabels: { team: "dns" } } };
  assert.equal(isAllowed(allowed, namespace("a")), true);
  assert.equal(isAllowed(allowed, namespace("b", { team: "dns" })), true);
  assert.equal(isAllowed(allowed, namespace("b", { team: "web" })), false);
  assert.equal(isAllowed(allowed, namespace("b")), false);
});

test("an empty selector allows every namespace", () => {
  assert.equal(isAllowed({ selector: {} }, namespace("a")), true);
});

test("a selector that cannot be read is an error with its field", () => {
  const matchExpressions = [{ key: "team", operator: "Like" }];
  const [error, ...more] = allowedNamespacesErrors(
    { selector: { matchExpressions } },
    "spec.allow",
  );
  assert.equal(more.length, 0);
  assert.equal(error?.path, "spec.allow.selector.matchExpressions[0].operator");
  assert.deepEqual(allowedNamespacesErrors({}, "spec.allow"), []);
});
