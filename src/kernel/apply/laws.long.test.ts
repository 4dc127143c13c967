// The laws of server-side apply, on random configurations: what must hold whatever is applied.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyJson, anyObject } from "../arbitraries.ts";
import { equalJson, isJsonObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import {
  apply,
  contentOf,
  entriesOf,
  tryApply,
  update,
  widget,
  widgetType,
} from "./widget-fixture.ts";
import { decodeFieldSet, difference, hasPath, isEmptySet, pathsOf, union } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { atOnce } from "../sliced.ts";
import { applyConfiguration, recordUpdate } from "./managers.ts";
import { objectType } from "./type-schema.ts";
import { compareObjects } from "./typed-compare.ts";
import { appliedFields, presentFields } from "./typed-fields.ts";
import { extractItems, removeItems } from "./typed-remove.ts";

const word = fc.constantFrom("x", "y", "z", "<&>", "");
const aName = fc.constantFrom("a", "b", "c", "d");
const words = fc.uniqueArray(word, { maxLength: 4 });
const anItem = fc.record({ name: aName, value: word, tags: words }, { requiredKeys: ["name"] });
const aPort = fc.record(
  { port: fc.constantFrom(80, 443, 8080), protocol: fc.constantFrom("TCP", "UDP"), name: word },
  { requiredKeys: ["port"] },
);

/** A spec that fits the widget schema; keyed lists and sets have no repeats. */
const anySpec: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      text: word,
      count: fc.nat(3),
      nested: fc.record(
        { inner: fc.record({ x: word }, { requiredKeys: [] }) },
        { requiredKeys: [] },
      ),
      atomic: fc.record({ a: word }, { requiredKeys: [] }),
      map: fc.dictionary(aName, word, { maxKeys: 3 }),
      list: fc.array(word, { maxLength: 3 }),
      set: words,
      items: fc.uniqueArray(anItem, { maxLength: 4, selector: (value) => value.name }),
      ports: fc.uniqueArray(aPort, {
        maxLength: 3,
        selector: ({ port, protocol = "TCP" }) => `${port}/${protocol}`,
      }),
      free: fc.dictionary(aName, fc.oneof(word, fc.array(word), fc.dictionary(aName, word)), {
        maxKeys: 3,
      }),
    },
    { requiredKeys: [] },
  )
  .map((spec) => JSON.parse(JSON.stringify(spec)) as JsonObject);

const anyWidget: fc.Arbitrary<JsonObject> = anySpec.map((spec) => widget(spec));

const runs = { numRuns: 100 };
const manager = fc.constantFrom("a", "b", "c");
const write = fc.record({ isApply: fc.boolean(), manager, object: anyWidget });
const history = fc.array(write, { minLength: 1, maxLength: 5 });

type Write = { readonly isApply: boolean; readonly manager: string; readonly object: JsonObject };

function replay(writes: readonly Write[]): JsonObject {
  let live: JsonObject | undefined;
  for (const { isApply, manager: name, object } of writes) {
    if (isApply) live = apply(live, object, name, { force: true });
    else live = update(live, object, name);
  }
  return live ?? widget({});
}

function fieldsOf(entry: JsonObject | undefined): FieldSet {
  const decoded = decodeFieldSet(entry?.["fieldsV1"]);
  return decoded.kind === "set" ? decoded.set : {};
}

function applierOf(object: JsonObject, name: string): FieldSet {
  const found = entriesOf(object).find(
    (entry) => entry["manager"] === name && entry["operation"] === "Apply",
  );
  return fieldsOf(found);
}

test("applying the same configuration again changes nothing at all", () => {
  fc.assert(
    fc.property(history, anyWidget, (writes, config) => {
      const once = apply(replay(writes), config, "z", { force: true });
      const again = apply(once, config, "z", { now: "2030-01-01T00:00:00Z" });
      assert.deepEqual(again, once);
    }),
    runs,
  );
});

test("what was applied is there, as it was applied", () => {
  fc.assert(
    fc.property(history, anyWidget, (writes, config) => {
      const result = apply(replay(writes), config, "z", { force: true });
      const fields = appliedFields(config, widgetType);
      const { removed } = compareObjects(config, result, widgetType);
      assert.ok(isEmptySet(removed), JSON.stringify(removed));
      const { modified } = compareObjects(config, result, widgetType);
      const lost = pathsOf(fields).filter((path) => hasPath(modified, path));
      assert.ok(lost.every((path) => isContainer(config, path.at(-1))));
    }),
    runs,
  );
});

/** An empty map or list of the configuration has an opinion on nothing. */
function isContainer(config: JsonObject, element: string | undefined): boolean {
  const spec = config["spec"];
  const value = isJsonObject(spec) ? spec[element?.slice(2) ?? ""] : undefined;
  return typeof value === "object" || element === "f:inner";
}

test("every owned field is there", () => {
  fc.assert(
    fc.property(history, (writes) => {
      const object = replay(writes);
      const present = presentFields(object, widgetType);
      for (const entry of entriesOf(object)) {
        for (const path of pathsOf(fieldsOf(entry))) {
          assert.ok(hasPath(present, path), `${JSON.stringify(path)} in ${JSON.stringify(object)}`);
        }
      }
    }),
    runs,
  );
});

test("an update leaves no changed field with a former owner alone", () => {
  fc.assert(
    fc.property(history, anyWidget, (writes, next) => {
      const live = replay(writes);
      const result = update(live, next, "writer");
      const { added, modified } = compareObjects(live, next, widgetType);
      const gained = union(added, modified);
      const hasOwners = entriesOf(live).length > 0;
      for (const entry of entriesOf(result)) {
        const isWriter = entry["manager"] === "writer";
        const lost = difference(gained, difference(gained, fieldsOf(entry)));
        assert.equal(isEmptySet(lost), !isWriter || isEmptySet(gained));
      }
      if (hasOwners && !isEmptySet(gained)) {
        assert.ok(entriesOf(result).some((entry) => entry["manager"] === "writer"));
      }
    }),
    runs,
  );
});

test("disjoint configurations may be applied in any order", () => {
  fc.assert(
    fc.property(anyWidget, anyWidget, (one, other) => {
      const spec = isJsonObject(one["spec"]) ? one["spec"] : {};
      const rest = isJsonObject(other["spec"]) ? other["spec"] : {};
      const disjoint = Object.fromEntries(
        Object.entries(rest).filter(([key]) => !Object.hasOwn(spec, key)),
      );
      const second = widget(disjoint);
      const ab = apply(apply(undefined, one, "a"), second, "b");
      const ba = apply(apply(undefined, second, "b"), one, "a");
      assert.ok(equalJson(contentOf(ab), contentOf(ba)));
      assert.ok(equalJson(applierOf(ab, "a"), applierOf(ba, "a")));
      assert.ok(equalJson(applierOf(ab, "b"), applierOf(ba, "b")));
    }),
    runs,
  );
});

test("applying less removes exactly what nobody else owns", () => {
  fc.assert(
    fc.property(anyWidget, anyWidget, anyWidget, (first, shared, less) => {
      const both = apply(apply(undefined, first, "a"), shared, "b", { force: true });
      const result = apply(both, less, "a", { force: true });
      const kept = union(applierOf(result, "a"), applierOf(result, "b"));
      const before = appliedFields(both, widgetType);
      const after = presentFields(result, widgetType);
      for (const path of pathsOf(difference(before, after))) assert.ok(!hasPath(kept, path));
      for (const path of pathsOf(applierOf(both, "a"))) {
        const isOurs = path[0] === "f:spec" && !hasPath(kept, path) && !isAbove(kept, path);
        if (isOurs) assert.ok(!hasPath(after, path), JSON.stringify(path));
      }
    }),
    runs,
  );
});

function isAbove(set: FieldSet, path: readonly string[]): boolean {
  return pathsOf(set).some((other) => path.every((element, index) => other[index] === element));
}

test("a conflict is found exactly when an unforced apply would take a field", () => {
  fc.assert(
    fc.property(history, anyWidget, (writes, config) => {
      const live = replay(writes);
      const outcome = tryApply(live, config, "z");
      const forced = apply(live, config, "z", { force: true });
      const taken = entriesOf(live).some((entry) => {
        const { manager: name, operation } = entry;
        const after = entriesOf(forced).find(
          (other) => other["manager"] === name && other["operation"] === operation,
        );
        const { removed } = compareObjects(live, forced, widgetType);
        const lost = difference(difference(fieldsOf(entry), fieldsOf(after)), removed);
        return !isEmptySet(lost);
      });
      assert.equal(outcome.kind === "conflict", taken);
    }),
    runs,
  );
});

test("removing and extracting split a value in two", () => {
  fc.assert(
    fc.property(anyWidget, anyWidget, (object, other) => {
      const fields = appliedFields(other, widgetType);
      const present = presentFields(object, widgetType);
      const removed = presentFields(removeItems(object, widgetType, fields), widgetType);
      const extracted = presentFields(extractItems(object, widgetType, fields), widgetType);
      for (const path of pathsOf(removed)) assert.ok(hasPath(present, path));
      for (const path of pathsOf(extracted)) assert.ok(hasPath(present, path));
    }),
    runs,
  );
});

test("no input is changed, and none makes it throw", () => {
  const anyType = fc.option(anyObject, { nil: undefined }).map(objectType);
  fc.assert(
    fc.property(anyObject, anyObject, anyJson, anyType, (live, next, entries, type) => {
      const metadata = { ...(isJsonObject(live["metadata"]) ? live["metadata"] : {}) };
      const stored = { ...live, metadata: { ...metadata, managedFields: entries } };
      const sent = { apiVersion: "v1", kind: "Any", ...next, metadata: { name: "n" } };
      const context = { manager: "m", apiVersion: "v1", type, now: "2026-01-01T00:00:00Z" };
      const before = JSON.stringify([stored, sent]);
      const created = atOnce(recordUpdate({ ...context, live: undefined, next: sent }));
      atOnce(recordUpdate({ ...context, live: stored, next: sent }));
      atOnce(recordUpdate({ ...context, live: created, next: { ...sent, ...stored } }));
      atOnce(applyConfiguration({ ...context, live: stored, config: sent, force: true }));
      atOnce(applyConfiguration({ ...context, live: created, config: sent, force: false }));
      assert.equal(JSON.stringify([stored, sent]), before);
    }),
    runs,
  );
});
