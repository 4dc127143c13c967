// Whether rules that somebody holds cover rules that they want to give away. A wanted rule is taken
// apart into single verbs on single resources; each part must be covered by one rule that is held.
// What is missing is described compactly, in the words that Kubernetes uses.

import { hasOrAll, pathMatches } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";

/** One verb on one resource (of one name, or of all), or one verb on one path. */
type Part = ResourcePart | PathPart;

interface ResourcePart {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
}

interface PathPart {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

/** Descriptions of what `held` does not cover, sorted; empty when it covers everything. */
export function missingRights(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly string[] {
  const missing = wanted
    .flatMap(partsOf)
    .filter((part) => !held.some((rule) => ruleCovers(rule, part)));
  return [...new Set(describe(missing))].toSorted(byCodeUnits);
}

/** `["a" "b"]`, as Go prints a list of quoted strings. */
export function quotedList(items: readonly string[]): string {
  return `[${items.map((item) => JSON.stringify(item)).join(" ")}]`;
}

function partsOf(rule: PolicyRule): readonly Part[] {
  const { verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] } = rule;
  const names: readonly (string | undefined)[] = resourceNames ?? [undefined];
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name): Part => ({ kind: "resource", verb, group, resource, name })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb): Part => ({ kind: "path", verb, path })),
  );
  return [...ofResources, ...ofPaths];
}

function ruleCovers(rule: PolicyRule, part: Part): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] } = rule;
  if (!hasOrAll(verbs, part.verb)) return false;
  // A held rule that is limited to names covers no path either: paths have no names.
  if (part.kind === "path") {
    if (resourceNames !== undefined) return false;
    return nonResourceURLs.some((pattern) => pathMatches(pattern, part.path));
  }
  const { group, resource, name } = part;
  const slash = resource.indexOf("/");
  return (
    hasOrAll(apiGroups, group) &&
    (hasOrAll(resources, resource) ||
      (slash >= 0 && resources.includes(`*/${resource.slice(slash + 1)}`))) &&
    (resourceNames === undefined || (name !== undefined && resourceNames.includes(name)))
  );
}

/** Verbs on the same resource and name are gathered into one description; paths stand alone. */
function describe(parts: readonly Part[]): readonly string[] {
  const ofPaths = parts
    .filter((part) => part.kind === "path")
    .map((part) => described(pathTarget(part), [part.verb]));
  const ofResources = parts.filter((part) => part.kind === "resource");
  const byTarget = Map.groupBy(ofResources, resourceTarget);
  const gathered = [...byTarget].map(([target, found]) =>
    described(
      target,
      found.map(({ verb }) => verb),
    ),
  );
  return [...ofPaths, ...gathered];
}

function described(target: string, verbs: readonly string[]): string {
  return `{${target}, Verbs:${quotedList(verbs)}}`;
}

function pathTarget({ path }: PathPart): string {
  return `NonResourceURLs:${quotedList([path])}`;
}

function resourceTarget({ group, resource, name }: ResourcePart): string {
  const target = `APIGroups:${quotedList([group])}, Resources:${quotedList([resource])}`;
  return name === undefined ? target : `${target}, ResourceNames:${quotedList([name])}`;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
