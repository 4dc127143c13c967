// Which namespaces may use a cluster-wide resource, as that resource states it: by name, by the
// labels of the namespace, or both. Without any statement none may.

import type { JsonObject } from "./json.ts";
import { objectAt, presentObjectAt, textsAt } from "./json-read.ts";
import { requirementsOf } from "./label-selector.ts";
import type { Resource } from "./resource.ts";
import { described, list, map, name, object, text } from "./schema-parts.ts";
import { matchesSelector } from "./selector.ts";

/** The schema of a label selector. */
export const labelSelector: JsonObject = object({
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
    selector: described(
      labelSelector,
      "Labels of namespaces. An empty selector allows all namespaces.",
    ),
  }),
  "Namespaces that may use the resource. Without names and selector, none may.",
);

/** The selector was checked when it was written. */
export function isNamespaceAllowed(
  allowed: JsonObject,
  { metadata }: Pick<Resource, "metadata">,
): boolean {
  if (textsAt(allowed, "names").includes(metadata.name)) return true;
  if (presentObjectAt(allowed, "selector") === undefined) return false;
  return matchesSelector(requirementsOf(objectAt(allowed, "selector")), metadata.labels);
}
