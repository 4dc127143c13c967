// What is wrong with a document by the rules of its kind: metadata, schema, rules in CEL and the
// rules of built-in kinds. Pure, so that a thread can do it for a document that takes long
// (check-job.ts).

import { appendAll } from "../../kernel/append.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import type { Kind } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { KindRules } from "../builtin/rules.ts";
import type { CompiledType } from "../kinds/compiled-type.ts";
import {
  coreFinalizerErrors,
  metadataErrors,
  metadataUpdateErrors,
  pathSegmentProblems,
  resourceNameProblems,
} from "./metadata-check.ts";

/** What a document is checked by. */
export interface CheckedKind {
  readonly kind: Pick<Kind, "group" | "origin" | "scope">;
  readonly type: Pick<CompiledType, "validate">;
  readonly rules: KindRules | undefined;
}

export interface CheckedDocument {
  readonly resource: Resource;
  /** Undefined for a creation. */
  readonly old: Resource | undefined;
  readonly subresource: string;
}

export function documentErrors(kind: CheckedKind, document: CheckedDocument): FieldError[] {
  const { resource, old, subresource } = document;
  return old === undefined
    ? createErrors(kind, resource)
    : updateErrors(kind, resource, old, subresource);
}

function createErrors(checked: CheckedKind, resource: Resource): FieldError[] {
  const { rules, kind, type } = checked;
  const isNamespaced = kind.scope === "Namespaced";
  const nameProblems = rules?.nameProblems ?? resourceNameProblems;
  const errors = [...metadataErrors(resource.metadata, { isNamespaced, nameProblems })];
  if (hasCoreFinalizers(checked)) appendAll(errors, coreFinalizerErrors(resource.metadata));
  appendAll(errors, type.validate(resource, { old: undefined, subresource: "", errors }));
  appendAll(errors, rules?.validateCreate?.(resource) ?? []);
  return errors;
}

/**
 * Kubernetes looks at metadata once for all kinds and again for each kind, so that the causes of
 * a refused update name the same problem several times; the message names it once.
 */
function updateErrors(
  checked: CheckedKind,
  resource: Resource,
  old: Resource,
  subresource: string,
): FieldError[] {
  const { rules, kind, type } = checked;
  const { metadata } = resource;
  const isNamespaced = kind.scope === "Namespaced";
  const common = metadataErrors(metadata, { isNamespaced, nameProblems: pathSegmentProblems });
  const changes = metadataUpdateErrors(metadata, old.metadata);
  const own: FieldError[] = [...changes];
  if (hasCoreFinalizers(checked)) appendAll(own, coreFinalizerErrors(metadata));
  appendAll(own, type.validate(resource, { old, subresource, errors: own }));
  appendAll(own, rules?.validateUpdate?.(resource, old, subresource) ?? []);
  return [...common, ...changes, ...own];
}

/** The groups whose metadata has only the rules that all kinds share. */
const plainGroups = new Set(["admissionregistration.k8s.io", "apiextensions.k8s.io"]);

function hasCoreFinalizers({ kind }: CheckedKind): boolean {
  return kind.origin === "built-in" && !plainGroups.has(kind.group);
}
