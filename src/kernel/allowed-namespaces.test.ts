import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "./json.ts";
import type { Resource } from "./resource.ts";
import { isNamespaceAllowed } from "./allowed-namespaces.ts";

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
