import assert from "node:assert/strict";
import { test } from "node:test";
import { fleet } from "../module.ts";
import { readOffering } from "../offering.ts";
import { sampleOffering } from "../sample-offering.ts";
import { instanceKindOf } from "./instance-kind.ts";

const kinds = [
  ...(fleet.kinds ?? []).map(({ kind }) => kind),
  instanceKindOf(readOffering(sampleOffering())),
];

test("kubectl get shows no column of a fleet kind twice", () => {
  for (const { names, versions } of kinds) {
    for (const { printerColumns = [] } of versions) {
      // kubectl shows the name first, and the namespace before it.
      const titles = ["NAMESPACE", "NAME", ...printerColumns.map(({ name }) => name.toUpperCase())];
      assert.deepEqual(titles, [...new Set(titles)], names.kind);
    }
  }
});

test("fields of list items have no default, so that kubectl apply shows unchanged", () => {
  const defaults = (schema: unknown, isItem: boolean, path: string): readonly string[] => {
    if (typeof schema !== "object" || schema === null) return [];
    const own = isItem && "default" in schema && !path.endsWith("properties") ? [path] : [];
    return [
      ...own,
      ...Object.entries(schema).flatMap(([key, value]) =>
        defaults(value, isItem || key === "items", `${path}.${key}`),
      ),
    ];
  };
  const found = kinds.flatMap(({ names, versions }) => defaults(versions, false, names.kind));
  assert.deepEqual(found, []);
});
