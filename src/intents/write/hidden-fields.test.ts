import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lastAppliedAnnotation } from "../../kernel/apply/last-applied.ts";
import { defineKind } from "../../kernel/kind.ts";
import type { CompiledFieldRule } from "../../kernel/kind.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import type { Resource } from "../../kernel/resource.ts";
import {
  hiddenPlaces,
  keepHidden,
  touchesHidden,
  withoutHidden,
  withoutHiddenCopy,
} from "./hidden-fields.ts";

const kind = defineKind({
  group: "shop.example",
  names: { plural: "databases", singular: "database", kind: "Database", listKind: "DatabaseList" },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { type: "object" },
      selectableFields: [],
      printerColumns: [],
      subresources: { status: false },
    },
  ],
  fieldRules: [{ path: "/spec/password", rule: "secret" }],
  origin: "definition",
});

function database(spec: Resource["spec"], lastApplied?: string): Resource {
  const annotations = lastApplied === undefined ? {} : { [lastAppliedAnnotation]: lastApplied };
  const metadata = { name: "orders", uid: "u", annotations };
  return { apiVersion: "shop.example/v1", kind: "Database", metadata, spec } as unknown as Resource;
}

function ruleOf(path: string): CompiledFieldRule {
  return { path, rule: "secret", segments: parsePointer(path) };
}

const spec = { size: 1, password: "horse" };

describe("hidden fields", () => {
  it("are not shown, and are kept by who does not send them", () => {
    const shown = withoutHidden(kind, database(spec));
    assert.deepEqual(shown["spec"], { size: 1 });
    const written = keepHidden(kind, database({ size: 2 }), database(spec));
    assert.deepEqual(written["spec"], { size: 2, password: "horse" });
  });

  it("are not in the copy that client-side apply keeps", () => {
    const copy = JSON.stringify({ apiVersion: "shop.example/v1", kind: "Database", spec });
    const stored = withoutHiddenCopy(kind, database(spec, copy));
    const text = stored.metadata.annotations?.[lastAppliedAnnotation] ?? "";
    assert.ok(!text.includes("horse"), text);
    assert.deepEqual(JSON.parse(text), { ...JSON.parse(copy), spec: { size: 1 } });
    assert.deepEqual(stored["spec"], spec);
  });

  it("are touched by places at, below and above them, and by no others", () => {
    const rules = { fieldRules: [ruleOf("/spec/users/*/password"), ruleOf("/list/1/key")] };
    const touching = [
      "",
      "/spec",
      "/spec/users/x",
      "/spec/users/x/password/y",
      "/list/-1",
      "/list/1",
    ];
    for (const place of touching) assert.ok(touchesHidden(rules, parsePointer(place)), place);
    const other = ["/spec/users/x/name", "/metadata", "/spec/note", "/list/0"];
    for (const place of other) assert.ok(!touchesHidden(rules, parsePointer(place)), place);
    const open = { ...ruleOf("/spec"), rule: "read-only" as const };
    assert.ok(!touchesHidden({ fieldRules: [open] }, ["spec"]));
  });

  it("are found where a document has them, and items of lists are not shown either", () => {
    const rules = { fieldRules: [ruleOf("/users/*/password"), ruleOf("/keys/*")] };
    const document = { users: { a: { password: "x" }, b: {} }, keys: ["y"] };
    assert.deepEqual(hiddenPlaces(rules, document), [
      ["users", "a", "password"],
      ["keys", "0"],
    ]);
    assert.deepEqual(withoutHidden(rules, document), { users: { a: {}, b: {} }, keys: [] });
  });

  it("leave a copy alone that has none of them or is none", () => {
    for (const copy of ["", "{", "[]", "null", '{"spec":{"size":1}}']) {
      const given = database(spec, copy);
      assert.equal(withoutHiddenCopy(kind, given), given);
    }
    const given = database(spec);
    assert.equal(withoutHiddenCopy(kind, given), given);
  });
});
