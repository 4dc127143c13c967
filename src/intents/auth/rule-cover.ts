// Whether rules that somebody holds cover rules that they want to give away. A wanted rule that no
// single held rule covers is taken apart, one part at a time, into single verbs on single
// resources; each part must be covered by one rule that is held. The comparison has a limited
// number of steps, because the parts of a small rule can be millions. What is missing is described
// compactly, in the words that Kubernetes uses.

import { limits } from "../../kernel/limits.ts";
import type { Sliced } from "../../kernel/sliced.ts";
import { indexRules, stepSlices } from "./held-rules.ts";
import type { Dimensions, HeldRules, Key, Steps, Value } from "./held-rules.ts";
import { withoutStars } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";

export interface MissingRights {
  /** Descriptions of what is not held, sorted; of many, only some. */
  readonly missing: readonly string[];
  /** False when there may be more than `missing` describes. */
  readonly isComplete: boolean;
}

type Part = readonly Key[];

interface Missing {
  /** Each of group, resource, verb and name. */
  readonly ofResources: Part[];
  /** Each of path and verb. */
  readonly ofPaths: Part[];
  chars: number;
}

/** What `held` does not cover; nothing, and complete, when it covers everything. */
export function* missingRights(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
  steps: Steps = { left: limits.maxRuleSteps },
): Sliced<MissingRights> {
  const isSliceOver = stepSlices(steps);
  const resources = yield* indexRules(held, resourceKeys, { steps, isSliceOver });
  // A held rule that is limited to names covers no path either: paths have no names.
  const unnamed = held.filter(({ resourceNames }) => resourceNames === undefined);
  const paths = yield* indexRules(unnamed, pathKeys, { steps, isSliceOver });
  const pathValue = pathValues(unnamed, steps);
  const missing: Missing = { ofResources: [], ofPaths: [], chars: 0 };
  let isCompared = true;
  for (const rule of wanted) {
    steps.left -= stepsOfRule + 2 * valuesIn(rule);
    const comparison = { steps, missing, isSliceOver };
    const [ofResources, ofPaths] = [missing.ofResources, missing.ofPaths];
    isCompared =
      steps.left >= 0 &&
      (yield* compare(resources, resourceValues(rule), { ...comparison, parts: ofResources })) &&
      (rule.nonResourceURLs === undefined ||
        (yield* compare(paths, pathValue(rule), { ...comparison, parts: ofPaths })));
    if (!isCompared) break;
  }
  const texts = [...new Set(describe(missing))].toSorted(byCodeUnits);
  const named = texts.slice(0, limits.maxMissingRights);
  return { missing: named, isComplete: isCompared && named.length === texts.length };
}

/** Of each rule that is compared, beside those of its values. */
const stepsOfRule = 16;

interface Comparison {
  readonly steps: Steps;
  readonly isSliceOver: () => boolean;
  readonly missing: Missing;
  /** Where the missing parts of this kind are collected. */
  readonly parts: Part[];
}

/** Collects missing parts; false when it stopped before the end. */
function* compare(
  held: HeldRules,
  wanted: Dimensions<Value>,
  { steps, isSliceOver, missing, parts }: Comparison,
): Sliced<boolean> {
  if (wanted.some((values) => values.length === 0)) return steps.left >= 0;
  if (isSliceOver()) yield;
  if (held.coversAll(wanted)) return true;
  for (const part of partsOf(wanted)) {
    if (isSliceOver()) yield;
    if (held.coversPart(part)) continue;
    if (steps.left < 0 || missing.chars > limits.maxMissingChars) return false;
    const texts = part.map(({ text }) => text);
    parts.push(texts);
    missing.chars += texts.reduce((sum, text) => sum + (text?.length ?? 0), partChars);
  }
  return true;
}

/** What the description of a part adds to its values, about. */
const partChars = 16;

/** One combination of values after the other: their product may be too large for the memory. */
function* partsOf(
  wanted: Dimensions<Value>,
  chosen: readonly Value[] = [],
): Generator<readonly Value[]> {
  const values = wanted[chosen.length];
  if (values === undefined) yield chosen;
  else for (const value of values) yield* partsOf(wanted, [...chosen, value]);
}

function valuesIn(rule: PolicyRule): number {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const ofResources = apiGroups.length + resources.length + resourceNames.length;
  return verbs.length + ofResources + nonResourceURLs.length;
}

function resourceKeys(rule: PolicyRule): Dimensions<Key> {
  const { verbs, apiGroups = [], resources = [], resourceNames } = rule;
  return [apiGroups, resources, verbs, resourceNames ?? [undefined]];
}

function pathKeys({ verbs, nonResourceURLs = [] }: PolicyRule): Dimensions<Key> {
  return [nonResourceURLs, verbs];
}

function resourceValues(rule: PolicyRule): Dimensions<Value> {
  const { verbs, apiGroups = [], resources = [], resourceNames } = rule;
  const names = resourceNames?.map((name) => valueOf(name, [undefined])) ?? [
    valueOf(undefined, []),
  ];
  return [apiGroups.map(orAll), resources.map(resourceValue), verbs.map(orAll), names];
}

function resourceValue(resource: string): Value {
  const slash = resource.indexOf("/");
  if (slash < 0) return orAll(resource);
  return valueOf(resource, ["*", `*/${resource.slice(slash + 1)}`]);
}

/** A path is covered by itself and by every held pattern whose stars match it. */
function pathValues(
  held: readonly PolicyRule[],
  steps: Steps,
): (rule: PolicyRule) => Dimensions<Value> {
  const paths = held.flatMap(({ nonResourceURLs = [] }) => nonResourceURLs);
  const patterns = [...new Set(paths)].filter((pattern) => pattern.endsWith("*"));
  const prefixes = patterns.map((pattern) => ({ pattern, prefix: withoutStars(pattern) }));
  const matching = (path: string): readonly string[] =>
    prefixes
      .filter(({ prefix }) => {
        steps.left -= costOf(prefix);
        return steps.left >= 0 && path.startsWith(prefix);
      })
      .map(({ pattern }) => pattern);
  return ({ verbs, nonResourceURLs = [] }) => [
    nonResourceURLs.map((path) => valueOf(path, matching(path))),
    verbs.map(orAll),
  ];
}

function orAll(text: string): Value {
  return valueOf(text, ["*"]);
}

function valueOf(text: Key, others: readonly Key[]): Value {
  return { text, keys: [text, ...others], cost: costOf(text) + (others.length >>> 2) };
}

/** One step, and more for texts that take longer to compare. */
function costOf(text: Key): number {
  return 1 + ((text?.length ?? 0) >>> 8);
}

/** `["a" "b"]`, as Go prints a list of quoted strings. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(" ")}]`;
}

/** Verbs on the same resource and name are gathered into one description; paths stand alone. */
function describe({ ofResources, ofPaths }: Missing): readonly string[] {
  const byTarget = Map.groupBy(ofResources, resourceTarget);
  const gathered = [...byTarget].map(([target, found]) =>
    described(
      target,
      found.map(([, , verb = ""]) => verb),
    ),
  );
  return [...ofPaths.map(describedPath), ...gathered];
}

function described(target: string, verbs: readonly string[]): string {
  return `{${target}, Verbs:${quotedList(verbs)}}`;
}

function describedPath([path = "", verb = ""]: Part): string {
  return described(`NonResourceURLs:${quotedList([path])}`, [verb]);
}

function resourceTarget([group = "", resource = "", , name]: Part): string {
  const target = `APIGroups:${quotedList([group])}, Resources:${quotedList([resource])}`;
  return name === undefined ? target : `${target}, ResourceNames:${quotedList([name])}`;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
