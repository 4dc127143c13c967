// Which schemas are special cases of another one. A schema with a discriminator is extended by
// schemas that name it in their allOf; no reference leads from it to them, so all schemas of all
// files are looked through, once for a document.

import { getOwn, isJsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Documents } from "./load.ts";
import { targetOf } from "./location.ts";
import { formatPointer } from "../../../kernel/pointer.ts";
import { below, follow, idOf, keyOf, objectOf, placeAt } from "./place.ts";
import type { Layers, Place } from "./place.ts";

/** Those of the schema itself and, through `allOf`, those of them. */
export function subtypesOf(documents: Documents, schema: Layers): readonly Place[] {
  const discriminator = keyOf(schema, "discriminator");
  const thing = schema.layers.at(-1);
  if (discriminator === undefined || thing === undefined) return [];
  const index = indexOf(documents);
  const found = new Map<string, Place>();
  const queue = [idOf(thing), ...schema.refs];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const subtype of index.get(id) ?? []) {
      const subtypeId = idOf(subtype);
      if (found.has(subtypeId)) continue;
      found.set(subtypeId, subtype);
      queue.push(subtypeId);
    }
  }
  for (const mapped of mappedTypes(documents, discriminator)) found.set(idOf(mapped), mapped);
  return [...found.values()];
}

type Index = ReadonlyMap<string, readonly Place[]>;

const indexes = new WeakMap<Documents, Index>();

function indexOf(documents: Documents): Index {
  const known = indexes.get(documents);
  if (known !== undefined) return known;
  const index = new Map<string, Place[]>();
  for (const schema of schemasOf(documents)) {
    for (const base of basesOf(schema)) {
      const subtypes = index.get(base);
      if (subtypes === undefined) index.set(base, [schema]);
      else subtypes.push(schema);
    }
  }
  indexes.set(documents, index);
  return index;
}

function* schemasOf({ files }: Documents): Generator<Place> {
  for (const [file, node] of files) {
    const root: Place = { file, pointer: "", node };
    for (const keys of [["definitions"], ["components", "schemas"]]) {
      const holder = below(root, ...keys);
      if (holder === undefined) continue;
      for (const name of Object.keys(objectOf(holder))) {
        const schema = below(holder, name);
        if (schema !== undefined) yield schema;
      }
    }
  }
}

function basesOf({ file, node }: Place): readonly string[] {
  const allOf = isJsonObject(node) ? getOwn(node, "allOf") : undefined;
  if (!Array.isArray(allOf)) return [];
  return allOf.flatMap((part) => {
    const ref = isJsonObject(part) ? getOwn(part, "$ref") : undefined;
    const target = typeof ref === "string" ? targetOf(ref, file) : undefined;
    return target === undefined ? [] : [`${target.file}#${formatPointer(target.tokens)}`];
  });
}

/** OpenAPI 3 may list them by the value of the property. */
function mappedTypes(documents: Documents, discriminator: Place): readonly Place[] {
  const mapping = objectAt(discriminator.node, "mapping");
  return Object.values(mapping).flatMap((value) => {
    if (typeof value !== "string") return [];
    const ref = value.includes("/") ? value : `#/components/schemas/${value}`;
    const place = placeAt(documents, ref, discriminator);
    if (place === undefined) return [];
    return follow(documents, place).layers.slice(-1);
  });
}
