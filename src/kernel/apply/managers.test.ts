import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../json.ts";
import {
  apiVersion,
  apply,
  contentOf,
  entriesOf,
  ownersOf,
  tryApply,
  update,
  widget,
  widgetType,
} from "./widget-fixture.ts";
import { setOf } from "./field-set.ts";
import { keepTimes } from "./managed-object.ts";
import { applyConfiguration, resetFieldsOf } from "./managers.ts";
import type { Convert } from "./ownership.ts";
import { objectType } from "./type-schema.ts";
import { misfitText } from "./typed-validate.ts";

test("a create is owned by its writer, containers included, identity not", () => {
  const next = widget({ count: 1, set: ["b"], map: {} }, { labels: { a: "b" }, uid: "u" });
  assert.deepEqual(entriesOf(update(undefined, next, "curl")), [
    {
      manager: "curl",
      operation: "Update",
      apiVersion,
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: {
        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
        "f:spec": { ".": {}, "f:count": {}, "f:map": {}, "f:set": { ".": {}, 'v:"b"': {} } },
      },
    },
  ]);
});

test("an update moves the changed fields to its writer and dates only that one", () => {
  const created = update(undefined, widget({ count: 1, text: "x" }), "curl");
  const now = "2026-02-01T00:00:00Z";
  const updated = update(created, widget({ count: 2, text: "x" }), "scaler", { now });
  assert.deepEqual(
    entriesOf(updated).map(({ manager, time, fieldsV1 }) => [manager, time, fieldsV1]),
    [
      ["curl", "2026-01-01T00:00:00Z", { "f:spec": { ".": {}, "f:text": {} } }],
      ["scaler", now, { "f:spec": { "f:count": {} } }],
    ],
  );
});

test("an update that changes nothing keeps the very same entries", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  const next = widget({ count: 1 }, { resourceVersion: "7", generation: 2 });
  assert.equal(entriesOf(update(created, next, "other"))[0], entriesOf(created)[0]);
});

test("an update that only removes is dated by nobody", () => {
  const created = update(undefined, widget({ count: 1, text: "x" }), "curl");
  const now = "2026-02-01T00:00:00Z";
  const [entry, ...others] = entriesOf(update(created, widget({ count: 1 }), "other", { now }));
  assert.deepEqual(others, []);
  assert.equal(entry?.["time"], "2026-01-01T00:00:00Z");
  assert.deepEqual(entry?.["fieldsV1"], { "f:spec": { ".": {}, "f:count": {} } });
});

test("an object whose owners were forgotten stays untracked until it is applied", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  for (const managedFields of [[], [{}]]) {
    const reset = update(created, widget({ count: 1 }, { managedFields }), "curl");
    assert.equal(Object.hasOwn(reset["metadata"] as JsonObject, "managedFields"), false);
    const later = update(reset, widget({ count: 2 }), "curl");
    assert.deepEqual(entriesOf(later), []);
    const applied = apply(later, widget({ text: "x" }), "applier");
    assert.deepEqual(ownersOf(applied), {
      applier: { "f:spec": { "f:text": {} } },
      "before-first-apply": { "f:spec": { ".": {}, "f:count": {} } },
    });
  }
});

test("entries may be replaced by a client, and unusable ones are ignored", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  const entry = { manager: "me", operation: "Apply", apiVersion, fieldsType: "FieldsV1" };
  const fieldsV1 = { "f:spec": { "f:count": {} } };
  const sent = (managedFields: Json) => widget({ count: 1 }, { managedFields });
  const replaced = update(created, sent([{ ...entry, fieldsV1 }]), "curl");
  assert.deepEqual(ownersOf(replaced), { me: fieldsV1 });
  for (const bad of [[{ ...entry, operation: "x" }], [{ ...entry, fieldsV1: { zz: {} } }], "x"]) {
    assert.deepEqual(ownersOf(update(created, sent(bad), "curl")), ownersOf(created));
  }
});

test("a subresource cannot write managedFields", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  const next = widget({ count: 1 }, { managedFields: [] });
  assert.deepEqual(
    ownersOf(update(created, next, "x", { subresource: "status" })),
    ownersOf(created),
  );
});

test("the main endpoint owns no status, and /status owns no spec", () => {
  const next = { ...widget({ count: 1 }), status: { ready: true } };
  const created = update(undefined, next, "curl", { resetFields: resetFieldsOf("", true) });
  assert.deepEqual(ownersOf(created), { curl: { "f:spec": { ".": {}, "f:count": {} } } });
  const changed = { ...widget({ count: 9 }), status: { ready: false } };
  const overrides = { subresource: "status", resetFields: resetFieldsOf("status", true) };
  assert.deepEqual(
    entriesOf(update(created, changed, "curl", overrides)).map((entry) => [
      entry["subresource"],
      entry["fieldsV1"],
    ]),
    [
      [undefined, { "f:spec": { ".": {}, "f:count": {} } }],
      ["status", { "f:status": { "f:ready": {} } }],
    ],
  );
  const applied = apply(created, { ...changed, spec: { count: 1 } }, "a", {
    resetFields: resetFieldsOf("", true),
  });
  assert.deepEqual(ownersOf(applied)["a"], { "f:spec": { "f:count": {} } });
});

test("an applier that changes a field of another is refused unless it forces", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  assert.deepEqual(tryApply(created, widget({ count: 2 }), "applier"), {
    kind: "conflict",
    message: 'Apply failed with 1 conflict: conflict with "curl" using example.dev/v1: .spec.count',
    causes: [
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "curl" using example.dev/v1',
        field: ".spec.count",
      },
    ],
  });
  const forced = apply(created, widget({ count: 2 }), "applier", { force: true });
  assert.deepEqual(forced["spec"], { count: 2 });
  assert.deepEqual(ownersOf(forced), {
    applier: { "f:spec": { "f:count": {} } },
    curl: { "f:spec": {} },
  });
});

test("several conflicts are grouped by owner; appliers go without a version", () => {
  const spec = { count: 1, text: "x", ports: [{ port: 80, name: "web" }] };
  const status = { subresource: "status" };
  const mine = apply(undefined, widget(spec), "first");
  const live = update(mine, { ...mine, status: { ready: true } }, "kubelet", status);
  const config = {
    ...widget({ count: 2, ports: [{ port: 80, name: "x" }] }),
    status: { ready: false },
  };
  const outcome = tryApply(live, config, "second");
  assert.equal(outcome.kind, "conflict");
  assert.equal(
    outcome.kind === "conflict" ? outcome.message : "",
    "Apply failed with 3 conflicts: " +
      'conflicts with "first":\n- .spec.count\n- .spec.ports[port=80,protocol="TCP"].name\n' +
      'conflicts with "kubelet" with subresource "status" using example.dev/v1:\n- .status.ready',
  );
});

test("equal values are shared, and go only when all owners let go", () => {
  const one = apply(undefined, widget({ count: 1, set: ["a", "b"] }), "one");
  const both = apply(one, widget({ set: ["b"] }), "two");
  const left = apply(both, widget({}), "one");
  assert.deepEqual(left["spec"], { set: ["b"] });
  assert.deepEqual(ownersOf(left), {
    one: { "f:spec": {} },
    two: { "f:spec": { "f:set": { 'v:"b"': {} } } },
  });
});

test("a container that another owns and that lost its last item is null, to be defaulted", () => {
  const one = apply(undefined, widget({}), "one");
  const both = apply(one, widget({ set: ["b"] }), "two");
  assert.equal(apply(both, widget({}), "two")["spec"], null);
  const labelled = apply(
    update(both, widget({}, { labels: {} }), "u"),
    widget({}, { labels: { a: "b" } }),
    "two",
  );
  assert.deepEqual(Object.keys(apply(labelled, widget({}), "two")["metadata"] as JsonObject), [
    "name",
    "managedFields",
  ]);
});

test("a new owner of an unchanged object is recorded without a time", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  const applied = apply(created, widget({ count: 1 }), "applier");
  assert.deepEqual(contentOf(applied), contentOf(created));
  assert.equal(entriesOf(applied)[0]?.["time"], undefined);
  const again = apply(applied, widget({ count: 1 }), "applier", { now: "2027-01-01T00:00:00Z" });
  assert.deepEqual(again, applied);
});

test("fields of other writers survive the removal of what stood beside them", () => {
  const applied = apply(undefined, widget({ map: { k: "v" }, text: "x" }), "one");
  const live = update(applied, widget({ map: { k: "v", own: "o" }, text: "x" }), "writer");
  assert.deepEqual(apply(live, widget({}), "one")["spec"], { map: { own: "o" } });
});

/** Lists merged by key: live, applied, result. */
const orders: readonly (readonly [string, string, string])[] = [
  ["ab", "ba", "ba"],
  ["abc", "ca", "bca"],
  ["abcd", "dcba", "dcba"],
  ["abd", "c", "abdc"],
  ["ac", "abc", "abc"],
  ["bd", "abcde", "abcde"],
  ["dcb", "ab", "dcab"],
  ["xay", "ba", "xbay"],
];

test("applied items stand in the order of the configuration, the others around them", () => {
  for (const [live, applied, result] of orders) {
    const items = (names: string): Json[] => names.split("").map((name) => ({ name }));
    const before = update(undefined, widget({ items: items(live), set: live.split("") }), "curl");
    const after = apply(
      before,
      widget({ items: items(applied), set: applied.split("") }),
      "applier",
    );
    assert.deepEqual(
      after["spec"],
      { items: items(result), set: result.split("") },
      `${live} ${applied}`,
    );
  }
});

test("keys left out of a list item have their default", () => {
  const created = update(undefined, widget({ ports: [{ port: 80, name: "a" }] }), "curl");
  const config = widget({
    ports: [
      { port: 80, protocol: "TCP" },
      { port: 80, protocol: "UDP" },
    ],
  });
  assert.deepEqual(apply(created, config, "applier")["spec"], {
    ports: [
      { port: 80, name: "a", protocol: "TCP" },
      { port: 80, protocol: "UDP" },
    ],
  });
});

test("live repeats of a key are one value and never merged", () => {
  const repeated = [
    { name: "a", value: "1" },
    { name: "a", value: "2" },
  ];
  const created = update(undefined, widget({ items: repeated }), "curl");
  assert.deepEqual(ownersOf(created), {
    curl: { "f:spec": { ".": {}, "f:items": { ".": {}, 'k:{"name":"a"}': {} } } },
  });
  const config = widget({ items: [{ name: "a", value: "3" }] });
  assert.equal(tryApply(created, config, "x").kind, "conflict");
  const forced = apply(created, config, "x", { force: true });
  assert.deepEqual(forced["spec"], { items: [{ name: "a", value: "3" }] });
});

const misfits: readonly (readonly [JsonObject, string])[] = [
  [
    { ports: [{ port: 80 }, { port: 80 }] },
    '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
  ],
  [{ set: ["a", "a"] }, '.spec.set: duplicate entries for key [="a"]'],
  [{ size: 1 }, ".spec.size: field not declared in schema"],
  [{ count: "1" }, ".spec.count: expected numeric (int or float), got string"],
  [{ text: 1 }, ".spec.text: expected string, got &value.valueUnstructured{Value:1}"],
  [{ map: ["a"] }, ".spec.map: expected map, got &{[a]}"],
  [{ list: { a: 1 } }, ".spec.list: expected list, got &{map[a:1]}"],
  [
    { list: [{}] },
    ".spec.list[0]: expected string, got &value.valueUnstructured{Value:map[string]interface {}{}}",
  ],
  [
    { set: [{}] },
    ".spec.set: element 0: associative list without keys has an element that's a map type",
  ],
  [
    { items: ["a"] },
    ".spec.items: element 0: associative list with keys may not have non-map elements",
  ],
  [
    { items: [{}], count: true },
    "errors:\n  .spec.items: element 0: associative list with keys has an element that omits " +
      'all key fields ["name"] (and doesn\'t have default values for any key fields)\n' +
      "  .spec.count: expected numeric (int or float), got bool",
  ],
];

test("a configuration that does not fit is refused in the words of the API", () => {
  for (const [spec, problem] of misfits) {
    const outcome = tryApply(undefined, widget(spec, { namespace: "default" }), "x");
    assert.ok(outcome.kind === "misfit");
    const start = "failed to create typed patch object (default/w; example.dev/v1, Kind=Widget)";
    assert.equal(outcome.message, start);
    assert.equal(misfitText(outcome.errors), problem);
  }
});

test("a request for another type, or with managedFields, is a bad request", () => {
  const other = { ...widget({}), kind: "Gadget", apiVersion: "v1" };
  const wrong = tryApply(undefined, other, "x");
  assert.deepEqual(wrong, {
    kind: "bad-request",
    message: "invalid object type: /v1, Kind=Gadget",
  });
  assert.deepEqual(tryApply(undefined, widget({}, { managedFields: [] }), "x"), {
    kind: "bad-request",
    message: "metadata.managedFields must be nil",
  });
});

test("an object without a schema is merged by what it is: maps are, lists are not", () => {
  const type = objectType(undefined);
  const one = apply(undefined, widget({ a: { b: 1 }, list: [1, 2] }), "one", { type });
  const both = apply(one, widget({ a: { c: 2 } }), "two", { type });
  assert.deepEqual(both["spec"], { a: { b: 1, c: 2 }, list: [1, 2] });
  assert.equal(tryApply(both, widget({ list: [2] }), "two", { type }).kind, "conflict");
  assert.deepEqual(apply(both, widget({}), "one", { type })["spec"], { a: { c: 2 } });
});

test("a container that has become atomic belongs whole to all who owned a part", () => {
  const map = { type: "object", additionalProperties: { type: "string" } };
  const typeOf = (extra: JsonObject) =>
    objectType({
      properties: { spec: { type: "object", properties: { m: { ...map, ...extra } } } },
    });
  const type = typeOf({});
  const one = apply(undefined, widget({ m: { a: "1" } }), "one", { type });
  const both = apply(one, widget({ m: { b: "2" } }), "two", { type });
  const atomic = typeOf({ "x-kubernetes-map-type": "atomic" });
  assert.deepEqual(
    ownersOf(update(both, widget({ m: { a: "1", b: "2" }, z: 1 }), "u", { type: atomic })),
    {
      one: { "f:spec": { "f:m": {} } },
      two: { "f:spec": { "f:m": {} } },
      u: { "f:spec": { "f:z": {} } },
    },
  );
});

/** v2 calls `text` of v1 `title`, and there is no v3 any more. */
const convert: Convert = (from, version) => {
  if (version === "example.dev/v3") return undefined;
  if (from.object["spec"] === undefined) return { ...from, apiVersion: version };
  const { text, title, ...spec } = from.object["spec"] as JsonObject;
  const value = text ?? title;
  const name = version === apiVersion ? "text" : "title";
  const renamed = value === undefined ? spec : { ...spec, [name]: value };
  return {
    ...from,
    apiVersion: version,
    object: { ...from.object, apiVersion: version, spec: renamed },
  };
};

test("owners in another version are met there, and those of a dead version dropped", () => {
  const v2 = { apiVersion: "example.dev/v2", type: objectType(undefined), convert };
  const config = { ...widget({ title: "x", count: 1 }), apiVersion: "example.dev/v2" };
  const applied = apply(undefined, config, "two", v2);
  const live = { ...applied, apiVersion, spec: { text: "x", count: 1 } };
  assert.equal(tryApply(live, widget({ text: "y" }), "one", { convert }).kind, "conflict");
  const changed = update(live, widget({ text: "y", count: 1 }), "one", { convert });
  assert.deepEqual(ownersOf(changed), {
    two: { "f:spec": { ".": {}, "f:count": {} } },
    one: { "f:spec": { "f:text": {} } },
  });
  const again = apply(live, widget({ count: 1 }), "two", { convert, type: widgetType });
  assert.deepEqual(again["spec"], { count: 1 });
  const text = JSON.stringify(live).replaceAll("example.dev/v2", "example.dev/v3");
  const dead = JSON.parse(text) as JsonObject;
  const settled = update(dead, widget({ text: "z" }), "one", { convert });
  assert.deepEqual(ownersOf(settled), { one: { "f:spec": { "f:text": {} } } });
});

test("beyond ten updaters the oldest of a version become ancient changes", () => {
  let live = update(undefined, widget({}), "m00");
  for (let i = 1; i <= 12; i++) {
    const map = Object.fromEntries(Array.from({ length: i }, (_, j) => [`k${j}`, "v"]));
    const now = `2026-01-01T00:00:${String(i).padStart(2, "0")}Z`;
    live = update(live, widget({ map }), `m${String(i).padStart(2, "0")}`, { now });
  }
  const names = entriesOf(live).map((entry) => entry["manager"]);
  assert.equal(names.length, 10);
  assert.deepEqual(names.slice(0, 2), ["ancient-changes", "m04"]);
  assert.deepEqual(ownersOf(live)["ancient-changes"], {
    "f:spec": { ".": {}, "f:map": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} } },
  });
});

test("kubectl takes over from its own client-side apply, and keeps that up to date", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const last = JSON.stringify(widget({ text: "x", count: 1 }));
  const annotations = { [annotation]: last };
  const created = update(
    undefined,
    widget({ text: "x", count: 1 }, { annotations }),
    "kubectl-client-side-apply",
  );
  const config = widget({ text: "y", count: 1 });
  assert.equal(tryApply(created, config, "other").kind, "conflict");
  const applied = apply(created, config, "kubectl");
  const metadata = applied["metadata"] as JsonObject;
  assert.deepEqual(metadata["annotations"], {
    [annotation]:
      '{"apiVersion":"example.dev/v1","kind":"Widget","metadata":{"name":"w"},' +
      '"spec":{"count":1,"text":"y"}}\n',
  });
  const drifted = update(created, widget({ text: "z", count: 1 }, { annotations }), "editor");
  const outcome = tryApply(drifted, config, "kubectl");
  assert.equal(outcome.kind === "conflict" ? outcome.causes.length : 0, 1);
});

test("a write whose only effect is a new time gets the old time back", () => {
  const created = update(undefined, widget({ count: 1 }), "curl");
  const text = JSON.stringify(created).replaceAll("2026-01-01", "2027-01-01");
  const redated = JSON.parse(text) as JsonObject;
  assert.deepEqual(keepTimes(created, redated), created);
  assert.equal(keepTimes(created, { ...redated, spec: {} })["spec"] !== created["spec"], true);
});

test("the containers of a skeleton are owned by nobody who creates the object", () => {
  const skeleton = { spec: { nested: {} } };
  const spec = { nested: { inner: { x: "y" } }, map: { a: "b" } };
  const created = update(undefined, widget(spec), "curl", { skeleton });
  const fields = {
    "f:map": { ".": {}, "f:a": {} },
    "f:nested": { "f:inner": { ".": {}, "f:x": {} } },
  };
  assert.deepEqual(ownersOf(created), { curl: { "f:spec": fields } });
  const applied = apply(widget(spec), widget({ count: 1 }), "applier", { skeleton });
  assert.deepEqual(ownersOf(applied)["before-first-apply"], { "f:spec": fields });
});

test("reset fields may differ by version", () => {
  const resetFields = (version: string) =>
    version === apiVersion ? setOf(["f:spec", "f:count"]) : setOf();
  const created = update(undefined, widget({ count: 1, text: "x" }), "curl", { resetFields });
  assert.deepEqual(ownersOf(created), { curl: { "f:spec": { ".": {}, "f:text": {} } } });
});

test("an apply to a document of many managers is interrupted between its steps", () => {
  const keys = (prefix: string): JsonObject =>
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${prefix}${at}`, "v"]));
  let live: JsonObject | undefined;
  for (let manager = 0; manager < 20; manager++) {
    live = apply(live, widget({ map: keys(`m${manager}-`) }), `m${manager}`);
  }
  const config = widget({ map: keys("m0-") });
  const now = "2026-01-01T00:00:00Z";
  const given = { manager: "m0", apiVersion, type: widgetType, now };
  const work = applyConfiguration({ ...given, live, config, force: false });
  let slices = 1;
  let step = work.next();
  for (; step.done !== true; step = work.next()) slices += 1;
  assert.ok(slices > 10, `${slices} slices`);
  assert.equal(step.value.kind, "applied");
  const owners = step.value.kind === "applied" ? ownersOf(step.value.object) : {};
  assert.equal(Object.keys(owners).length, 20);
});
