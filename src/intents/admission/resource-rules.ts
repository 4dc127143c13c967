// Rules about operations and resources, as webhooks and policies have them, and the kind in whose
// form the request is shown to who wrote the rule: the kind of the request where the rule names
// it, otherwise another version of the same kind, unless only exact matches are wanted.

import type { Json } from "../../kernel/json.ts";
import { listAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Found, KindRegistry } from "../kinds/registry.ts";
import { isNamespaceKind } from "./attributes.ts";
import type { AdmissionRequest } from "./admission.ts";

export interface ResourceRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: string;
  /** Empty for all names. */
  readonly names: readonly string[];
}

export interface ResourceRules {
  readonly rules: readonly ResourceRule[];
  /** Whether other versions of the kind are looked at when none of the rules names this one. */
  readonly isEquivalent: boolean;
}

export function resourceRulesOf(holder: Json, key: string): ResourceRules {
  return {
    rules: listAt(holder, key).map(ruleOf),
    isEquivalent: textAt(holder, "matchPolicy") === "Equivalent",
  };
}

function ruleOf(rule: Json): ResourceRule {
  return {
    operations: textsAt(rule, "operations"),
    groups: textsAt(rule, "apiGroups"),
    versions: textsAt(rule, "apiVersions"),
    resources: textsAt(rule, "resources").map((text) => {
      const slash = text.indexOf("/");
      return slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
    }),
    scope: textAt(rule, "scope"),
    names: textsAt(rule, "resourceNames"),
  };
}

export type RuleSubject = Pick<AdmissionRequest, "operation" | "target">;

/** The kind and version that the rules are about; undefined when they are not about the request. */
export function matchRules(
  { rules, isEquivalent }: ResourceRules,
  subject: RuleSubject,
  kinds: KindRegistry,
  name?: string,
): Found | undefined {
  const { served, version } = subject.target;
  const own: Found = { served, version };
  const fits = (rule: ResourceRule, found: Found): boolean =>
    matches(rule, subject, found) &&
    (rule.names.length === 0 || (name !== undefined && rule.names.includes(name)));
  for (const rule of rules) if (fits(rule, own)) return own;
  if (!isEquivalent) return undefined;
  const others = equivalentsOf(own, kinds);
  for (const rule of rules) {
    for (const other of others) if (fits(rule, other)) return other;
  }
  return undefined;
}

/** Other versions of the kind, and other kinds that show the same resources. */
function equivalentsOf({ served, version }: Found, kinds: KindRegistry): readonly Found[] {
  return kinds
    .all()
    .filter(({ id }) => id === served.id)
    .flatMap((other) =>
      [...other.versions.values()]
        .filter((one) => one !== version && one.definition.served)
        .map((one) => ({ served: other, version: one })),
    );
}

function matches(
  rule: ResourceRule,
  { operation, target }: RuleSubject,
  { served, version }: Found,
): boolean {
  const { group, names } = served.kind;
  return (
    isInScope(rule.scope, target) &&
    hasOrAll(rule.operations, operation) &&
    hasOrAll(rule.groups, group) &&
    hasOrAll(rule.versions, version.name) &&
    rule.resources.some(
      ([resource, sub]) =>
        (resource === "*" || resource === names.plural) &&
        (sub === "*" || sub === target.subresource),
    )
  );
}

function isInScope(scope: string, target: RuleSubject["target"]): boolean {
  const isCluster = isNamespaceKind(target) || target.served.kind.scope === "Cluster";
  if (scope === "Namespaced") return !isCluster;
  return scope === "Cluster" ? isCluster : true;
}

function hasOrAll(items: readonly string[], wanted: string): boolean {
  return items.includes("*") || items.includes(wanted);
}
