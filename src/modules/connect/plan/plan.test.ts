// The plan as laws: whatever the three documents are, one write brings the object to what is
// wanted, takes nothing from others, and is not followed by another. And examples of what the laws
// do not tell.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { nullFreeObject } from "../../../kernel/arbitraries.ts";
import { equalJson, getOwn, isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { applyJsonPatch, parseJsonPatch } from "../../../kernel/json-patch.ts";
import { applyMergePatch } from "../../../kernel/merge-patch.ts";
import type { Binding, FieldEntry, ListEntry, Management } from "../binding.ts";
import { areAlike, areSame } from "./alike.ts";
import { withoutNulls } from "./documents.ts";
import { fieldTree, fieldsFor } from "./fields.ts";
import { createBody, planFor } from "./plan.ts";
import type { Plan, PlanInput } from "./plan.ts";

const replace = { method: "PUT" } as const;
const operationsBy: Readonly<Record<string, Binding["operations"]>> = {
  "PUT of the whole": { replace },
  "a merge patch": { patch: { method: "PATCH", style: "merge" } },
  "a JSON patch": { patch: { method: "PATCH", style: "json" } },
  "a patch that cannot remove, or PUT": { patch: { method: "PATCH", style: "set" }, replace },
  "a patch that replaces what it names": {
    patch: { method: "PATCH", style: "merge", replaces: ["/*"] },
  },
};

interface Given {
  readonly fields?: readonly FieldEntry[];
  readonly lists?: readonly ListEntry[];
  readonly management?: Management;
}

function inputOf(
  documents: Pick<PlanInput, "desired" | "lastApplied" | "observed"> & Partial<PlanInput>,
  { fields = [], lists = [], management = {} }: Given = {},
): PlanInput {
  return {
    fields: fieldsFor(fieldTree(fields, lists), management),
    known: [],
    digest: (value) => `digest of ${JSON.stringify(value)}`,
    operations: { replace },
    driftPolicy: "correct",
    ...documents,
  };
}

/** What a service has after the write of a plan. */
function after(observed: JsonObject, plan: Plan): Json {
  if (plan.kind === "nothing") return observed;
  assert.equal(plan.kind, "write");
  if (plan.verb === "replace") return plan.body;
  const style = "style" in plan.operation ? plan.operation.style : "merge";
  if ("replaces" in plan.operation && isJsonObject(plan.body)) {
    return withoutNulls({ ...observed, ...plan.body });
  }
  if (style !== "json") return applyMergePatch(observed, plan.body);
  return applyJsonPatch(observed, parseJsonPatch(plan.body));
}

/** Whether all that others have set is still there: leaves that are neither wanted nor applied. */
function keepsOthers(
  before: JsonObject,
  now: Json | undefined,
  ours: readonly (Json | undefined)[],
): boolean {
  return Object.entries(before).every(([key, value]) => {
    const below = ours.map((each) =>
      each !== undefined && isJsonObject(each) ? getOwn(each, key) : undefined,
    );
    const next = now !== undefined && isJsonObject(now) ? getOwn(now, key) : undefined;
    if (below.every((each) => each === undefined)) return equalJson(value, next);
    if (!isJsonObject(value) || !below.every((each) => each === undefined || isJsonObject(each))) {
      return true;
    }
    return keepsOthers(value, next, below);
  });
}

const triple = fc.record({
  desired: nullFreeObject,
  lastApplied: fc.option(nullFreeObject, { nil: undefined }),
  observed: nullFreeObject,
});

/** Nulls inside of lists are no fields. */
const clean = (value: JsonObject): JsonObject => withoutNulls(value) as JsonObject;

for (const [how, operations] of Object.entries(operationsBy)) {
  test(`one write by ${how} is enough, and takes nothing from others`, () => {
    fc.assert(
      fc.property(triple, (given) => {
        const [desired, observed] = [clean(given.desired), clean(given.observed)];
        const lastApplied = given.lastApplied && clean(given.lastApplied);
        const plan = planFor(inputOf({ desired, lastApplied, observed, operations }));
        const now = after(observed, plan);
        assert(isJsonObject(now));
        const next = inputOf({ desired, lastApplied: desired, observed: now, operations });
        assert.equal(planFor(next).kind, "nothing");
        assert(keepsOthers(observed, now, [desired, lastApplied ?? {}]));
      }),
    );
  });
}

test("what is known to be shown differently is no reason to write", () => {
  fc.assert(
    fc.property(nullFreeObject, nullFreeObject, (wanted, shown) => {
      const [desired, observed] = [clean(wanted), clean(shown)];
      const first = planFor(inputOf({ desired, lastApplied: desired, observed }));
      if (first.kind !== "write") return;
      const known = first.changes.flatMap(({ path, before, after: sent }) =>
        sent === undefined ? [] : [{ path, sent, ...(before !== undefined && { shown: before }) }],
      );
      const again = planFor(inputOf({ desired, lastApplied: desired, observed, known }));
      assert.equal(again.kind, "nothing");
    }),
  );
});

test("elements of a list are told apart by their keys, and those of others stay", () => {
  const lists = [{ path: "/rrsets", keys: ["/name", "/type"] }];
  const element = (name: string, ttl: number): JsonObject => ({ name, type: "A", ttl });
  const plan = planFor(
    inputOf(
      {
        desired: { rrsets: [element("b", 2), element("a", 1)] },
        lastApplied: { rrsets: [element("a", 9), element("gone", 1)] },
        observed: { rrsets: [element("soa", 7), element("a", 9), element("gone", 1)] },
      },
      { lists },
    ),
  );
  assert.equal(plan.kind, "write");
  assert.deepEqual(plan.body, { rrsets: [element("soa", 7), element("a", 1), element("b", 2)] });
  assert.deepEqual(
    plan.changes.map(({ path, why }) => `${path} ${why}`),
    ["/rrsets/b,A/name wanted", "/rrsets/b,A/type wanted", "/rrsets/b,A/ttl wanted"].concat(
      "/rrsets/a,A/ttl wanted",
      "/rrsets/gone,A removed",
    ),
  );
});

test("a set has no order, and a list has one", () => {
  const documents = { desired: { list: ["b", "a"] }, lastApplied: undefined };
  const observed = { list: ["a", "b"] };
  const set = { lists: [{ path: "/list", keys: [] }] };
  assert.equal(planFor(inputOf({ ...documents, observed }, set)).kind, "nothing");
  assert.equal(planFor(inputOf({ ...documents, observed })).kind, "write");
});

test("what PATCH replaces is sent with all that others have in it", () => {
  const patch = { method: "PATCH", style: "set", replaces: ["/tags"] } as const;
  const given = {
    desired: { tags: { team: "b" }, size: 2 },
    lastApplied: { tags: { team: "a", old: "1" }, size: 1 },
    observed: { tags: { team: "a", old: "1", theirs: "2" }, size: 1 },
  };
  const plan = planFor(inputOf({ ...given, operations: { patch } }));
  assert.equal(plan.kind, "write");
  assert.deepEqual(plan.body, { tags: { team: "b", theirs: "2" }, size: 2 });
  const none = { desired: {}, lastApplied: { tags: { a: "1" } }, observed: { tags: { a: "1" } } };
  const emptied = planFor(inputOf({ ...none, operations: { patch } }));
  assert.equal(emptied.kind, "write");
  assert.deepEqual(emptied.body, { tags: {} });
});

test("only what no request takes is told as what cannot be changed", () => {
  const patch = { method: "PATCH", style: "merge", takes: ["/color"] } as const;
  const given = { desired: { color: "b", size: 2 }, lastApplied: {}, observed: { color: "a" } };
  const plan = planFor(inputOf({ ...given, operations: { patch } }));
  assert(plan.kind === "stuck" && plan.reason === "CannotUpdate");
  assert.deepEqual(
    plan.changes.map(({ path }) => path),
    ["/size"],
  );
});

test("read-only fields are never sent, and what is not shown is sent with the whole", () => {
  const fields = [
    { path: "/serial", class: "read-only", from: "annotation" },
    { path: "/password", class: "write-only", isSecret: true, from: "name" },
    { path: "/items/*/id", class: "read-only", from: "annotation" },
  ] as const;
  const plan = planFor(
    inputOf(
      {
        desired: { name: "b", password: "secret", items: [{ x: 1 }] },
        lastApplied: { name: "a", password: 'digest of "secret"', items: [{ x: 1 }] },
        observed: { name: "a", serial: 7, items: [{ x: 1, id: "1" }] },
        known: [{ path: "/items", sent: [{ x: 1 }], shown: [{ x: 1, id: "1" }] }],
      },
      { fields },
    ),
  );
  assert.equal(plan.kind, "write");
  assert.deepEqual(plan.body, { name: "b", password: "secret", items: [{ x: 1 }] });
  assert.deepEqual(
    plan.changes.map(({ path }) => path),
    ["/name"],
  );
});

test("a changed secret is written and never told", () => {
  const fields = [{ path: "/key", class: "writable", isSecret: true, from: "name" }] as const;
  const desired = { key: "new" };
  const lastApplied = { key: 'digest of "old"' };
  const plan = planFor(inputOf({ desired, lastApplied, observed: { key: "*" } }, { fields }));
  assert.equal(plan.kind, "write");
  assert.deepEqual(plan.changes, [
    {
      path: "/key",
      after: "new",
      why: "wanted",
      class: "writable",
      isSecret: true,
      isReplaceable: false,
    },
  ]);
});

test("a fixed field is told, or leads to a new object where that is allowed", () => {
  const fields = [{ path: "/size", class: "create-only", from: "annotation" }] as const;
  const documents = { desired: { size: 2 }, lastApplied: { size: 1 }, observed: { size: 1 } };
  assert.equal(planFor(inputOf(documents, { fields })).kind, "stuck");
  const management = { replace: ["/size"] };
  assert.equal(planFor(inputOf(documents, { fields, management })).kind, "recreate");
  const same = { ...documents, lastApplied: { size: 2 } };
  const drifted = planFor(inputOf(same, { fields }));
  assert(drifted.kind === "nothing" && drifted.drift.length === 1);
});

test("a creation has neither what only the service sets nor what can only be updated", () => {
  const fields = [
    { path: "/id", class: "read-only", from: "annotation" },
    { path: "/late", class: "update-only", from: "difference" },
  ] as const;
  const all = fieldsFor(fieldTree(fields, []));
  const desired = { id: 1, late: 2, name: "a", size: 3 };
  assert.deepEqual(createBody(desired, all, { method: "POST" }), { name: "a", size: 3 });
  const takes = { method: "POST", takes: ["name"] } as const;
  assert.deepEqual(createBody(desired, all, takes), { name: "a" });
});

const alike: readonly (readonly [Json, Json, boolean])[] = [
  ["westeurope", "West Europe", true],
  ["ecdsa256", "ECDSAP256SHA256", true],
  ["example.org", "example.org.", true],
  ["Wrong", "Native", false],
  ["10", "100", false],
  [10, "10", true],
  ["a", "b", false],
  [[], "", true],
  [["b", "a"], ["A", "b"], true],
  [{ a: "X" }, { a: "x", b: 1 }, true],
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z", true],
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", false],
  [true, false, false],
];

test("another way of writing is told from another value", () => {
  for (const [sent, shown, expected] of alike) {
    assert.equal(areAlike(sent, shown), expected, JSON.stringify([sent, shown]));
  }
});

test("what is called almost alike may be another object, and is not the same", () => {
  assert.equal(areAlike("key-hold", "key-hold-answer"), true);
  assert.equal(areSame("key-hold", "key-hold-answer"), false);
  assert.equal(areSame("ecdsa256", "ECDSAP256SHA256"), false);
  assert.equal(areSame("West US", "westus"), true);
  assert.equal(areSame("2999-01-01T00:00:00Z", "2999-01-01T00:00:00.000Z"), true);
  assert.equal(areSame({ name: "a" }, { name: "a", isEqual: true }), true);
});
