import { test } from "node:test";
import { deepEqual, equal, ok } from "node:assert/strict";
import { limits } from "../../kernel/limits.ts";
import { atOnce } from "../../kernel/sliced.ts";
import { ruleAllows } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";
import { missingRights as slicedMissingRights } from "./rule-cover.ts";
import type { MissingRights } from "./rule-cover.ts";

function missingRights(...given: Parameters<typeof slicedMissingRights>): MissingRights {
  return atOnce(slicedMissingRights(...given));
}

function many(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

const huge: PolicyRule = {
  verbs: many("v", 400),
  apiGroups: many("g", 400),
  resources: many("r", 400),
};

test("a rule with 64 million parts is refused after the first missing ones", () => {
  const steps = { left: limits.maxRuleSteps };
  const { missing, isComplete } = missingRights([], [huge], steps);
  equal(isComplete, false);
  ok(missing.length > 0 && missing.length <= limits.maxMissingRights);
  ok(missing[0]?.startsWith('{APIGroups:["g0"], Resources:["r0"], Verbs:["v0" "v1"'));
  ok(limits.maxRuleSteps - steps.left < 20_000);
});

test("a rule that one held rule covers is not taken apart", () => {
  const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
  for (const held of [all, huge, { ...huge, verbs: ["*"] }]) {
    const steps = { left: limits.maxRuleSteps };
    deepEqual(missingRights([held], [huge], steps), { missing: [], isComplete: true });
    ok(limits.maxRuleSteps - steps.left < 10_000);
  }
});

test("a comparison that needs too many steps is not complete, and nothing counts as held", () => {
  const [low, high] = [huge.verbs.slice(0, 200), huge.verbs.slice(200)];
  const held = [
    { ...huge, verbs: low },
    { ...huge, verbs: high },
  ];
  deepEqual(missingRights(held, [huge]), { missing: [], isComplete: false });
});

test("thousands of rules against thousands take steps for each, not for each pair", () => {
  const rules = (fieldOf: (i: number) => Partial<PolicyRule>): readonly PolicyRule[] =>
    Array.from({ length: 8_000 }, (_, i) => ({
      verbs: ["get"],
      apiGroups: [""],
      resources: ["pods"],
      ...fieldOf(i),
    }));
  const sets = [
    rules((i) => ({ resourceNames: [`n${i}`] })),
    rules((i) => ({ resources: [`r${i}`] })),
    rules((i) => ({ apiGroups: [`g${i}`] })),
    rules((i) => ({ verbs: [`v${i}`] })),
  ];
  for (const set of sets) {
    const steps = { left: limits.maxRuleSteps };
    deepEqual(missingRights(set, set, steps), { missing: [], isComplete: true });
    ok(limits.maxRuleSteps - steps.left < 40 * set.length);
  }
});

test("a long comparison is interrupted in each of its parts, and its result is the same", () => {
  const rules = Array.from({ length: 30_000 }, (_, i) => ({
    verbs: ["get"],
    apiGroups: [`g${i}`],
    resources: ["pods"],
  }));
  const steps = { left: limits.maxRuleSteps };
  const work = slicedMissingRights(rules, [...rules, huge], steps);
  const used: number[] = [];
  let before = steps.left;
  let step = work.next();
  for (; step.done !== true; step = work.next()) {
    used.push(before - steps.left);
    before = steps.left;
  }
  deepEqual(step.value, missingRights(rules, [...rules, huge]));
  ok(used.length > 5, `${used.length} slices`);
  for (const amount of used) ok(amount < 1.1 * limits.ruleSliceSteps, `${amount} steps`);
});

test("long texts end the list of what is missing earlier", () => {
  const long = "x".repeat(limits.maxMissingChars);
  const wanted = { verbs: many("v", 50), apiGroups: [long], resources: many("r", 50) };
  const { missing, isComplete } = missingRights([], [wanted]);
  equal(isComplete, false);
  equal(missing.length, 1);
});

test("a name that looks like a wildcard is a name", () => {
  const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
  for (const name of ["*", "", "undefined"]) {
    const { missing } = missingRights([{ ...rule, resourceNames: [name] }], [rule]);
    deepEqual(missing, ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']);
  }
});

test("every combination of small rules is covered exactly when a held rule allows it", () => {
  const lists = [["a"], ["b"], ["*"], ["a", "b"]];
  const resources = [["x"], ["x/s"], ["*/s"], ["*"], ["x", "x/s"]];
  const paths = [["/a"], ["/a*"], ["/a/b", "/a/*"], ["*"]];
  const rules: PolicyRule[] = [];
  for (const verbs of lists) {
    for (const nonResourceURLs of paths) rules.push({ verbs, nonResourceURLs });
    for (const apiGroups of lists) {
      for (const some of resources) rules.push({ verbs, apiGroups, resources: some });
    }
  }
  for (const held of rules) {
    for (const wanted of rules) {
      const { missing, isComplete } = missingRights([held], [wanted]);
      equal(isComplete, true);
      equal(missing.length === 0, allowsAll(held, wanted), JSON.stringify({ held, wanted }));
    }
  }
});

function allowsAll(held: PolicyRule, wanted: PolicyRule): boolean {
  const { verbs, apiGroups = [], resources = [], nonResourceURLs = [] } = wanted;
  return verbs.every(
    (verb) =>
      nonResourceURLs.every((path) => ruleAllows(held, { kind: "path", verb, path })) &&
      apiGroups.every((group) =>
        resources.every((text) => {
          const [resource = "", subresource = ""] = text.split("/");
          const what = { group, resource, subresource, namespace: "", name: "" };
          return ruleAllows(held, { kind: "resource", verb, ...what });
        }),
      ),
  );
}
