// Selectors over the namespace of a request and over its object. What is cluster-wide is in no
// namespace and so never excluded by a namespace selector; a namespace is selected by its own
// labels, the new ones while it is written. An object is selected by its old or its new labels.

import type { Json } from "../../kernel/json.ts";
import { objectAt } from "../../kernel/json-read.ts";
import { requirementsOf } from "../../kernel/label-selector.ts";
import type { Resource } from "../../kernel/resource.ts";
import { matchesSelector } from "../../kernel/selector.ts";
import type { Requirement } from "../../kernel/selector.ts";
import type { LiveView } from "../live-view.ts";
import { notFound } from "../refusals.ts";
import { isNamespaceKind, namespaceOf, namespacesKind } from "./attributes.ts";
import type { AdmissionRequest } from "./admission.ts";

export interface SubjectSelectors {
  readonly namespace: readonly Requirement[];
  readonly object: readonly Requirement[];
}

export function subjectSelectorsOf(holder: Json): SubjectSelectors {
  return {
    namespace: selectorAt(holder, "namespaceSelector"),
    object: selectorAt(holder, "objectSelector"),
  };
}

/** The selector was checked when it was written. */
export function selectorAt(holder: Json, key: string): readonly Requirement[] {
  return requirementsOf(objectAt(holder, key));
}

/** Throws "not found" for a namespace that does not exist. */
export function matchesSubject(
  { namespace, object }: SubjectSelectors,
  request: AdmissionRequest,
  live: LiveView,
): boolean {
  if (object.length > 0) {
    const isSelected = [request.object, request.old].some(
      (one) => one !== undefined && matchesSelector(object, one.metadata.labels),
    );
    if (!isSelected) return false;
  }
  if (namespace.length === 0) return true;
  const name = namespaceOf(request);
  if (name === "" && !isNamespaceKind(request.target)) return true;
  return matchesSelector(namespace, namespaceLabels(request, name, live));
}

function namespaceLabels(
  { target, operation, object }: AdmissionRequest,
  name: string,
  live: LiveView,
): Resource["metadata"]["labels"] {
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  if (isNamespaceKind(target) && target.subresource === "" && isWritten) {
    return object?.metadata.labels;
  }
  const found = live.get({ kind: namespacesKind, namespace: "", name });
  if (found === undefined) {
    throw notFound({ group: "", names: { ...namespaceNames } }, name);
  }
  return found.resource.metadata.labels;
}

const namespaceNames = {
  kind: "Namespace",
  listKind: "NamespaceList",
  plural: "namespaces",
  singular: "namespace",
  shortNames: ["ns"],
  categories: [],
};
