// ClusterRoles that gather the rules of others by label. The rules of an aggregated role are those
// of every plain role that it reaches, through other aggregated roles too; what is stored in its
// own `rules` does not count, because it is only a copy of this result for readers.

import { canonicalJson } from "../../kernel/canonical-json.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import { requirementsOf } from "../../kernel/label-selector.ts";
import type { LabelSelector } from "../../kernel/label-selector.ts";
import { matchesSelector } from "../../kernel/selector.ts";
import type { Requirement } from "../../kernel/selector.ts";
import { rulesOf } from "./policy.ts";
import type { PolicyRule } from "./policy.ts";

export interface ClusterRole {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
  readonly rules: readonly PolicyRule[];
  /** Absent for a plain role. An unreadable selector is left out, so it selects nothing. */
  readonly selectors: readonly (readonly Requirement[])[] | undefined;
}

export function clusterRoleOf(object: JsonObject): ClusterRole {
  const metadata = objectAt(object, "metadata");
  const isAggregated = Object.hasOwn(objectAt(object, "aggregationRule"), "clusterRoleSelectors");
  return {
    name: textAt(metadata, "name"),
    labels: textMapAt(metadata, "labels"),
    rules: rulesOf(object),
    selectors: isAggregated ? selectorsOf(object) : undefined,
  };
}

/** The rules of each aggregated role, by its name. */
export function aggregateRules(
  roles: ReadonlyMap<string, ClusterRole>,
): ReadonlyMap<string, readonly PolicyRule[]> {
  const sorted = [...roles.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const aggregated = sorted.filter(({ selectors }) => selectors !== undefined);
  return new Map(aggregated.map((role) => [role.name, distinct(reachable(role, sorted))]));
}

/** Roles may select each other in a circle, so each is entered once. */
function reachable(from: ClusterRole, sorted: readonly ClusterRole[]): readonly PolicyRule[] {
  const entered = new Set([from.name]);
  const collect = ({ selectors = [] }: ClusterRole): readonly PolicyRule[] =>
    selectors.flatMap((selector) =>
      sorted.flatMap((role) => {
        if (entered.has(role.name) || !matchesSelector(selector, role.labels)) return [];
        entered.add(role.name);
        return role.selectors === undefined ? role.rules : collect(role);
      }),
    );
  return collect(from);
}

function distinct(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byText = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const text = canonicalJson({ ...rule });
    if (!byText.has(text)) byText.set(text, rule);
  }
  return [...byText.values()];
}

function selectorsOf(object: JsonObject): readonly (readonly Requirement[])[] {
  const selectors = objectsAt(objectAt(object, "aggregationRule"), "clusterRoleSelectors");
  return selectors.flatMap((selector) => {
    try {
      return [requirementsOf(labelSelectorOf(selector))];
    } catch (error) {
      if (isSetpointError(error)) return [];
      throw error;
    }
  });
}

function labelSelectorOf(selector: JsonObject): LabelSelector {
  return {
    matchLabels: textMapAt(selector, "matchLabels"),
    matchExpressions: objectsAt(selector, "matchExpressions").map((expression) => ({
      key: textAt(expression, "key"),
      operator: textAt(expression, "operator"),
      values: textsAt(expression, "values"),
    })),
  };
}

function textMapAt(object: JsonObject, key: string): { readonly [key: string]: string } {
  const entries = Object.entries(objectAt(object, key));
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
