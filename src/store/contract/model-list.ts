/** Lists of the model: every entry is looked at, selectors are read from its terms. */
import { limits } from "../../kernel/limits.ts";
import type { Requirement } from "../../kernel/selector.ts";
import { fieldTerm, labelTerm, ownerTerm } from "../../kernel/terms.ts";
import { isCounted } from "../arguments.ts";
import type { FieldRequirement, ListQuery, Page } from "../port.ts";
import { compareCodePoints } from "./model-state.ts";
import type { Entry } from "./model-state.ts";

export function pageOf(entries: readonly Entry[], query: ListQuery, revision: number): Page {
  const { from, limit = limits.defaultPageItems } = query;
  const matching = entries
    .filter((entry) => isMatch(entry, query))
    .toSorted((a, b) => compareNames(a.key, b.key))
    .filter((entry) => from === undefined || compareNames(entry.key, from) > 0);
  const page = matching.slice(0, limit);
  const records = page.map(({ key, uid, revision: written, body }) => {
    return { key, uid, revision: written, body };
  });
  const last = page.at(-1)?.key;
  if (last === undefined || page.length === matching.length) return { revision, records };
  const next = { revision, namespace: last.namespace, name: last.name };
  if (!isCounted(query)) return { revision, records, next };
  return { revision, records, next, remaining: matching.length - page.length };
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

function compareNames(a: Named, b: Named): number {
  return compareCodePoints(a.namespace, b.namespace) || compareCodePoints(a.name, b.name);
}

function isMatch(entry: Entry, query: ListQuery): boolean {
  const { kind, namespace, labels = [], fields = [], owner } = query;
  const terms = new Set(entry.terms);
  return (
    entry.key.kind === kind &&
    (namespace === undefined || entry.key.namespace === namespace) &&
    (owner === undefined || terms.has(ownerTerm(owner))) &&
    labels.every((requirement) => meetsLabel(terms, requirement)) &&
    fields.every((requirement) => meetsField(terms, requirement))
  );
}

function meetsLabel(terms: ReadonlySet<string>, requirement: Requirement): boolean {
  const { key, operator } = requirement;
  const hasKey = [...terms].some((term) => term.startsWith(labelTerm(key, "")));
  switch (operator) {
    case "exists":
      return hasKey;
    case "absent":
      return !hasKey;
    case "in":
      return requirement.values.some((value) => terms.has(labelTerm(key, value)));
    case "notin":
      return !requirement.values.some((value) => terms.has(labelTerm(key, value)));
    default:
      return operator satisfies never;
  }
}

/** A resource without the field is not in the values, so `notin` finds it. */
function meetsField(terms: ReadonlySet<string>, requirement: FieldRequirement): boolean {
  const isIn = requirement.values.some((value) => terms.has(fieldTerm(requirement.path, value)));
  return requirement.operator === "in" ? isIn : !isIn;
}
