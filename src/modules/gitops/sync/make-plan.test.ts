import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as check, constantFrom, property, uniqueArray } from "fast-check";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { referenceKey } from "../object-reference.ts";
import type { KindScope } from "../targets/target.ts";
import { trackingId } from "./desired.ts";
import { makePlan } from "./make-plan.ts";
import type { InventoryEntry, PlanInput, PlanRules } from "./plan.ts";

const rules: PlanRules = {
  prune: true,
  pruneLast: false,
  allowEmpty: false,
  createNamespace: false,
  onError: "Stop",
  confirmedPrune: "",
  ignore: [],
  hooks: true,
};

function configMap(name: string, more: JsonObject = {}, data: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...more }, data };
}

function at(name: string, kind = "ConfigMap"): InventoryEntry["at"] {
  return { group: "", version: "v1", kind, namespace: "jane", name };
}

function live(name: string, uid: string, kind = "ConfigMap", deployment = "u"): JsonObject {
  const id = trackingId(deployment, at(name, kind));
  const annotations = { "gitops.setpoint.dev/tracking-id": id };
  return { apiVersion: "v1", kind, metadata: { name, namespace: "jane", uid, annotations } };
}

function entry(name: string, uid: string, wave = 0): InventoryEntry {
  return { at: at(name), uid, digest: "", wave, hook: "", pruneOptions: "" };
}

interface Given extends Partial<Omit<PlanInput, "rendered" | "live">> {
  readonly wanted?: readonly JsonObject[];
  readonly live?: readonly JsonObject[];
}

function planOf({ wanted = [], live: present = [], ...more }: Given): ReturnType<typeof makePlan> {
  const scope = { plural: "", isNamespaced: true, isProtected: false };
  const keyed = present.map((object): [string, JsonObject] => {
    const { name } = object["metadata"] as { readonly name: string };
    return [referenceKey(at(name, textAt(object, "kind"))), object];
  });
  return makePlan({
    deploymentUid: "u",
    rendered: wanted.map((object, index) => ({
      object,
      from: { file: `${index}.yaml` },
      digest: String(index),
    })),
    defaultNamespace: "jane",
    scopes: new Map([
      ["/v1/ConfigMap", scope],
      ["/v1/Secret", scope],
    ]),
    refusal: () => undefined,
    rules,
    hookSuffix: "x",
    live: new Map(keyed),
    predicted: new Map(),
    refused: new Map(),
    missingNamespaces: new Set(),
    isOther: () => false,
    inventory: [],
    ...more,
  });
}

test("objects are applied by wave, and pruned in reverse", () => {
  const annotations = (wave: number): JsonObject => ({
    annotations: { "argocd.argoproj.io/sync-wave": String(wave) },
  });
  const plan = planOf({
    wanted: [configMap("late", annotations(2)), configMap("early", annotations(-1))],
    live: [live("old-0", "a"), live("old-5", "b")],
    inventory: [entry("old-0", "a", 0), entry("old-5", "b", 5)],
  });
  const steps = plan.steps.map(({ wave, objects, prunes }) => {
    const names = [...objects, ...prunes].map((each) => each.at.name);
    return `${wave} ${names.join(",")}`;
  });
  assert.deepEqual(steps, ["-1 early", "0 old-5", "2 late", "5 old-0"]);
});

test("an object of the same name with another uid or owner is not pruned", () => {
  const inventory = [entry("one", "a")];
  const wanted = [configMap("kept")];
  assert.equal(planOf({ wanted, inventory, live: [live("one", "a")] }).counts.prune, 1);
  assert.equal(planOf({ wanted, inventory, live: [live("one", "b")] }).counts.prune, 0);
  const taken = live("one", "a", "ConfigMap", "other");
  assert.equal(planOf({ wanted, inventory, live: [taken] }).counts.prune, 0);
});

test("what cannot be read as an option, repeated and shared objects are problems", () => {
  const odd = configMap("odd", { annotations: { "argocd.argoproj.io/sync-options": "Magic=1" } });
  const plan = planOf({
    wanted: [odd, configMap("twice"), configMap("twice"), configMap("shared")],
    live: [live("shared", "s", "ConfigMap", "other")],
    isOther: (uid) => uid === "other",
  });
  assert.deepEqual(plan.problems.map(({ kind }) => kind).toSorted(), [
    "InvalidOption",
    "Repeated",
    "Shared",
  ]);
  assert.equal(plan.isSynced, false);
});

test("an object in another form of its kind has one identity and the rules of both", () => {
  const scope = { plural: "sites", isNamespaced: true, isProtected: true };
  const formOf = { group: "example.dev", version: "v1", kind: "Site" };
  const scopes = new Map<string, KindScope>([
    ["example.dev/v1/Site", scope],
    ["old.example.dev/v1beta1/Site", { ...scope, formOf }],
  ]);
  const site = { apiVersion: "old.example.dev/v1beta1", kind: "Site", metadata: { name: "main" } };
  const own: InventoryEntry["at"] = { ...formOf, namespace: "jane", name: "main" };
  const inventory = [{ ...entry("main", "a"), at: own }];
  const plan = planOf({ wanted: [site], scopes, inventory });
  assert.deepEqual(plan.problems, []);
  assert.equal(textAt(plan.objects[0]?.object, "apiVersion"), "old.example.dev/v1beta1");
  assert.deepEqual(plan.objects[0]?.at, own);
  for (const refused of ["example.dev", "old.example.dev"]) {
    const refusal = ({ group }: InventoryEntry["at"]): string | undefined =>
      group === refused ? "it is denied" : undefined;
    const [problem] = planOf({ wanted: [site], scopes, refusal }).problems;
    assert.equal(problem?.kind, "Refused", refused);
    assert.equal(problem.message, "Site.example.dev jane/main: it is denied");
  }
});

test("an object of a kind that the revision defines is planned", () => {
  const definition: JsonObject = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "sites.example.dev" },
    spec: {
      group: "example.dev",
      scope: "Namespaced",
      names: { kind: "Site", plural: "sites" },
      versions: [{ name: "v1" }],
    },
  };
  const site = { apiVersion: "example.dev/v1", kind: "Site", metadata: { name: "main" } };
  const plan = planOf({ wanted: [site, definition] });
  const kinds = plan.problems.map(({ at: reference }) => reference?.kind);
  assert.deepEqual(kinds, ["CustomResourceDefinition"], "only the unknown kind of the test");
  assert.deepEqual(
    plan.objects.map(({ at: reference }) => reference.kind),
    ["Site"],
  );
});

test("the values of a Secret are in no change", () => {
  const before = { ...live("keys", "a", "Secret"), data: { password: "b2xk" } };
  const after = { ...before, data: { password: "bmV3" } };
  const wanted = { apiVersion: "v1", kind: "Secret", metadata: { name: "keys" } };
  const predicted = new Map([[referenceKey(at("keys", "Secret")), after]]);
  const plan = planOf({ wanted: [wanted], live: [before], predicted });
  const [object] = plan.objects;
  assert.deepEqual(object?.changes, [{ path: "data.password", kind: "changed" }]);
});

test("an ignored field is taken from the live object", () => {
  const ignore = [
    {
      group: "",
      kind: "ConfigMap",
      namespace: "",
      name: "",
      jsonPointers: ["/data/replicas"],
      managers: [],
    },
  ];
  const present = { ...live("one", "a"), data: { replicas: "9", other: "1" } };
  const plan = planOf({
    wanted: [configMap("one", {}, { replicas: "1", other: "2" })],
    live: [present],
    rules: { ...rules, ignore },
  });
  assert.deepEqual(plan.objects[0]?.object["data"], { replicas: "9", other: "2" });
});

test("for any objects, nothing is both applied and pruned, and all deletions are held", () => {
  const names = uniqueArray(constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 6 });
  check(
    property(names, names, (wanted, had) => {
      const plan = planOf({
        wanted: wanted.map((name) => configMap(name)),
        live: had.map((name) => live(name, `uid-${name}`)),
        inventory: had.map((name) => entry(name, `uid-${name}`)),
      });
      const applied = plan.steps.flatMap(({ objects }) => objects.map((each) => each.at.name));
      const pruned = plan.steps.flatMap(({ prunes }) => prunes.map((each) => each.at.name));
      assert.deepEqual(applied.toSorted(), wanted.toSorted());
      const removed = had.filter((name) => !wanted.includes(name)).toSorted();
      if (wanted.length === 0) {
        assert.deepEqual(pruned, []);
        assert.equal(plan.held?.prunes.length ?? 0, had.length);
      } else assert.deepEqual(pruned.toSorted(), removed);
      const again = planOf({
        wanted: wanted.map((name) => configMap(name)).toReversed(),
        live: had.map((name) => live(name, `uid-${name}`)).toReversed(),
        inventory: had.map((name) => entry(name, `uid-${name}`)).toReversed(),
      });
      assert.equal(again.held?.hash, plan.held?.hash);
    }),
  );
});
