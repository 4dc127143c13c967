// Random values for the property tests of this folder. Keys and scalars come from small sets, so
// that two random documents share much, and the sets hold what breaks careless code: prototype
// names, integer-like keys, pointer escapes, quotes, half surrogates, integers of 64 bits.

import * as fc from "fast-check";
import { integerOf, maxInt64, minInt64 } from "./int64.ts";
import { isJsonObject, setOwn } from "./json.ts";
import type { Json, JsonObject, MutableJsonObject } from "./json.ts";
import type { Metadata, Resource } from "./resource.ts";

const surrogates = { first: 0xd800, count: 0x800 } as const;

/**
 * Any character but half surrogates, as `unit: "binary"` of fast-check, which makes a table of a
 * million characters for each such string before the first test runs.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - surrogates.count).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (character) => {
    const point = typeof character === "string" ? (character.codePointAt(0) ?? 0) : 0;
    if (typeof character !== "string" || String.fromCodePoint(point) !== character) {
      throw new Error("not one character");
    }
    return point < surrogates.first ? point : point - surrogates.count;
  },
);

const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "b", "c", "d") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "0", "1", "a/b", "~1", ""),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
);

/** Whole numbers of up to 64 bits as documents hold them, many of them at the borders. */
export const anyInteger: fc.Arbitrary<number | bigint> = fc
  .oneof(
    fc.bigInt({ min: minInt64, max: maxInt64 }),
    fc.constantFrom(minInt64, maxInt64, 2n ** 53n, 2n ** 53n - 1n, 2n ** 53n + 1n, -(2n ** 53n)),
  )
  .map(integerOf);

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json[]>(null, true, false, 0, 1, "", "x", '"metadata":{', "\\", "\ud800"),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  anyInteger,
  fc.string({ unit: anyCharacter, maxLength: 8 }),
);

const tree = fc.letrec<{ value: Json; list: Json[]; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 4, depthSize: "small" }, scalar, tie("object"), tie("list")),
  list: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.array(fc.tuple(key, tie("value")), { maxLength: 5 }).map(objectOf),
}));

export const anyJson: fc.Arbitrary<Json> = tree.value;
export const anyObject: fc.Arbitrary<JsonObject> = tree.object;

/** JSON in which no object member is null, for merge patches, which cannot express one. */
export const nullFreeJson: fc.Arbitrary<Json> = anyJson.map(withoutNullMembers);
export const nullFreeObject = anyObject.map((value) => withoutNullMembers(value) as JsonObject);

export const anyResource: fc.Arbitrary<Resource> = fc
  .record({
    apiVersion: fc.oneof(fc.constantFrom("v1", '"metadata":{', '\\"metadata":{'), fc.string()),
    kind: fc.oneof(fc.constantFrom("Widget", '"},"metadata":{'), fc.string()),
    metadata: fc.record({ known: knownMetadata(), unknown: anyObject }),
    others: anyObject,
  })
  .map(resourceOf);

interface Parts {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly known: Partial<Metadata>; readonly unknown: JsonObject };
  readonly others: JsonObject;
}

function resourceOf({ apiVersion, kind, metadata, others }: Parts): Resource {
  const whole = { ...metadata.unknown, ...metadata.known } as Metadata;
  return { ...others, apiVersion, kind, metadata: whole };
}

function knownMetadata() {
  return fc.record(
    {
      name: fc.string({ maxLength: 8 }),
      namespace: fc.string({ maxLength: 8 }),
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
      generation: fc.nat(),
    },
    { requiredKeys: [] },
  );
}

function objectOf(entries: readonly (readonly [string, Json])[]): JsonObject {
  const object: MutableJsonObject = {};
  for (const [name, value] of entries) setOwn(object, name, value);
  return object;
}

function withoutNullMembers(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return objectOf(entries.map(([name, inner]) => [name, withoutNullMembers(inner)]));
}
