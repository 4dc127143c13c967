// A reference to a shared resource: a cluster-wide resource that states which namespaces may use
// it.

import { isNamespaceAllowed } from "../../kernel/allowed-namespaces.ts";
import { invalidField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { objectAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { LiveView } from "../live-view.ts";

export interface SharedReference {
  /** As "spec.zone". */
  readonly field: string;
  readonly name: string;
  /** Of the resource that is written. */
  readonly namespace: string;
  /** The kind id of the shared resource, and its name for people, such as "DnsZone". */
  readonly kind: string;
  readonly word: string;
}

export type SharedFound =
  | { readonly kind: "found"; readonly resource: Resource }
  | { readonly kind: "error"; readonly error: FieldError };

/** The kind of the shared resource must be in the live view. */
export function findShared(
  live: Pick<LiveView, "get">,
  { field, name, namespace, kind, word }: SharedReference,
): SharedFound {
  const resource = live.get({ kind, namespace: "", name })?.resource;
  const user = live.get({ kind: "namespaces", namespace: "", name: namespace })?.resource;
  const allowed = objectAt(resource, "spec", "allow", "namespaces");
  if (resource === undefined || user === undefined || !isNamespaceAllowed(allowed, user)) {
    // The same in all cases: a tenant must not find out which shared resources exist.
    const detail =
      `no ${word} of this name allows the namespace ${namespace}; an administrator can add it to ` +
      `spec.allow.namespaces of the ${word}`;
    return { kind: "error", error: invalidField(field, name, detail) };
  }
  if (resource.metadata.deletionTimestamp === undefined) return { kind: "found", resource };
  return { kind: "error", error: invalidField(field, name, `the ${word} is being deleted`) };
}
