// Which namespaces may use a cluster-wide resource, as that resource states it: by name, by the
// labels of the namespace, or both. Without any statement none may.

import { selectorFieldErrors } from "../builtin/syntax-checks.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { objectAt, presentObjectAt, textsAt } from "../../kernel/json-read.ts";
import { requirementsOf } from "../../kernel/label-selector.ts";
import type { Resource } from "../../kernel/resource.ts";
import { described, list, map, name, object, text } from "../../kernel/schema-parts.ts";
import { matchesSelector } from "../../kernel/selector.ts";

const selector = object({
  matchLabels: map({ type: "string", maxLength: 63 }, 100),
  matchExpressions: list(
    object({ key: text, operator: text, values: list({ type: "string", maxLength: 63 }, 100) }, [
      "key",
      "operator",
    ]),
    100,
  ),
});

/** The schema of the statement. */
export const allowedNamespaces: JsonObject = described(
  object({
    names: described(list(name, 1_000), "Names of namespaces."),
    selector: described(selector, "Labels of namespaces. An empty selector allows all namespaces."),
  }),
  "Namespaces that may use the resource. Without names and selector, none may.",
);

export function allowedNamespacesErrors(allowed: JsonObject, field: string): readonly FieldError[] {
  return selectorFieldErrors(allowed, "selector", field);
}

/** The selector was checked when it was written. */
export function isNamespaceAllowed(
  allowed: JsonObject,
  { metadata }: Pick<Resource, "metadata">,
): boolean {
  if (textsAt(allowed, "names").includes(metadata.name)) return true;
  if (presentObjectAt(allowed, "selector") === undefined) return false;
  return matchesSelector(requirementsOf(objectAt(allowed, "selector")), metadata.labels);
}
