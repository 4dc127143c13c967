import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { kindId, storageVersion } from "../../kernel/kind.ts";
import { builtinKinds, extraSubresources, reviewKinds } from "./builtin-kinds.ts";
import { allMessages, messageOf } from "./catalogue.ts";

describe("built-in kinds", () => {
  it("have ids of their own", () => {
    const ids = [...builtinKinds, ...reviewKinds].map(kindId);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.includes("events") && ids.includes("events.events.k8s.io"));
  });

  it("have a message for each version, and lists for what is stored", () => {
    for (const kind of [...builtinKinds, ...reviewKinds]) {
      for (const { name } of kind.versions) {
        const apiVersion = kind.group === "" ? name : `${kind.group}/${name}`;
        assert.ok(messageOf(apiVersion, kind.names.kind) !== undefined);
        const isStored = builtinKinds.includes(kind);
        assert.equal(messageOf(apiVersion, kind.names.listKind) !== undefined, isStored);
      }
    }
  });

  it("keep the contents of secrets sealed", () => {
    const secret = builtinKinds.find((kind) => kindId(kind) === "secrets");
    assert.deepEqual(
      secret?.fieldRules.map(({ path, rule }) => [path, rule]),
      [["/data/*", "sealed"]],
    );
  });

  it("name subresources of kinds that exist", () => {
    const ids = new Set(builtinKinds.map(kindId));
    for (const { parent, group, version, kind } of extraSubresources) {
      assert.ok(ids.has(parent));
      assert.ok(messageOf(group === "" ? version : `${group}/${version}`, kind) !== undefined);
    }
  });
});

describe("schemas of built-in kinds", () => {
  it("give every value a type, so that they are structural", () => {
    for (const kind of [...builtinKinds, ...reviewKinds]) {
      assertStructural(storageVersion(kind).schema, kindId(kind));
    }
  });

  it("say how lists are merged, as clients of the API expect", () => {
    const kind = builtinKinds.find((one) => kindId(one) === "serviceaccounts");
    assert.ok(kind !== undefined);
    const secrets = at(storageVersion(kind).schema, "properties", "secrets");
    assert.equal(secrets["x-kubernetes-list-type"], "map");
    assert.deepEqual(secrets["x-kubernetes-list-map-keys"], ["name"]);
    assert.equal(secrets["x-kubernetes-patch-strategy"], "merge");
    assert.equal(secrets["x-kubernetes-patch-merge-key"], "name");
    const meta = at(storageVersion(kind).schema, "properties", "metadata", "properties");
    assert.equal(at(meta, "finalizers")["x-kubernetes-list-type"], "set");
  });

  it("put the parts of inlined messages where JSON has them", () => {
    const kind = builtinKinds.find((one) => one.names.kind === "ValidatingAdmissionPolicy");
    assert.ok(kind !== undefined);
    const spec = at(storageVersion(kind).schema, "properties", "spec", "properties");
    const rules = at(spec, "matchConstraints", "properties", "resourceRules", "items");
    const names = Object.keys(at(rules, "properties")).sort();
    assert.deepEqual(names, [
      "apiGroups",
      "apiVersions",
      "operations",
      "resourceNames",
      "resources",
      "scope",
    ]);
  });

  it("describe every field that people may ask about", () => {
    for (const { kind, message } of allMessages()) {
      for (const [name, field] of message.fields) {
        assert.notEqual(field.description, "", `${kind}.${name}`);
      }
    }
  });
});

function at(value: Json | undefined, ...path: readonly string[]): JsonObject {
  let found = value;
  for (const key of path) found = isJsonObject(found) ? found[key] : undefined;
  assert.ok(isJsonObject(found), path.join("."));
  return found;
}

function assertStructural(schema: Json | undefined, path: string): void {
  assert.ok(isJsonObject(schema), path);
  const isOpen =
    schema["x-kubernetes-int-or-string"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true;
  assert.ok(typeof schema["type"] === "string" || isOpen, path);
  const properties = schema["properties"];
  for (const name of isJsonObject(properties) ? Object.keys(properties) : []) {
    assertStructural(at(properties, name), `${path}.${name}`);
  }
  if (schema["items"] !== undefined) assertStructural(schema["items"], `${path}[]`);
  const additional = schema["additionalProperties"];
  if (additional !== undefined) assertStructural(additional, `${path}{}`);
}
