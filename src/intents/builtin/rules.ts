// What the built-in kinds demand beyond their schemas, as pure functions by kind id. The pipeline
// calls them in this order: defaulting, then prepareForCreate or prepareForUpdate, then validation.
// Generic metadata is not judged here, apart from the syntax of names.

import type { FieldError } from "../../kernel/field-error.ts";
import type { Resource } from "../../kernel/resource.ts";
import { configMapRules, secretRules } from "./rules-config.ts";
import { definitionRules } from "./rules-definition.ts";
import { eventRules, newEventRules } from "./rules-event.ts";
import { leaseRules } from "./rules-lease.ts";
import { limitRangeRules } from "./rules-limit-range.ts";
import { namespaceRules } from "./rules-namespace.ts";
import { policyBindingRules, policyRules } from "./rules-policies.ts";
import { resourceQuotaRules } from "./rules-quota.ts";
import {
  clusterRoleBindingRules,
  clusterRoleRules,
  roleBindingRules,
  roleRules,
} from "./rules-rbac.ts";
import { serviceAccountRules } from "./rules-service-account.ts";
import { mutatingWebhookRules, validatingWebhookRules } from "./rules-webhooks.ts";

export interface KindRules {
  /** What is wrong with a name; names are DNS subdomains unless a kind says otherwise. */
  readonly nameProblems?: (name: string) => readonly string[];
  /** Fills in what the document leaves open; on every read of a body, after policies again. */
  readonly defaulting?: (resource: Resource) => Resource;
  /** Takes away what creators may not set and adds what the server sets. */
  readonly prepareForCreate?: (resource: Resource) => Resource;
  /** The same for updates; the subresource is empty for the resource itself. */
  readonly prepareForUpdate?: (resource: Resource, old: Resource, subresource: string) => Resource;
  /** What changes besides metadata once a deletion was asked for. */
  readonly prepareForDelete?: (resource: Resource, version: string) => Resource;
  /** Whether the validation takes long, so that a thread does it. It must be found out quickly. */
  readonly isHeavy?: (resource: Resource) => boolean;
  readonly validateCreate?: (resource: Resource) => readonly FieldError[];
  readonly validateUpdate?: (
    resource: Resource,
    old: Resource,
    subresource?: string,
  ) => readonly FieldError[];
  /** Throws when the resource may never be deleted. */
  readonly checkDelete?: (resource: Resource) => void;
  /** Whether something besides finalizers keeps a deleted resource. */
  readonly isHeld?: (resource: Resource) => boolean;
  /** What clients are told although the write succeeds. */
  readonly warnings?: (resource: Resource, old: Resource | undefined) => readonly string[];
  /** An update of what does not exist creates it. */
  readonly allowsCreateOnUpdate?: boolean;
  /** An update must say which revision it is about. */
  readonly needsRevision?: boolean;
  /** The status made by prepareForCreate is stored. */
  readonly keepsStatusOnCreate?: boolean;
  /** A write of the status may also change labels, annotations and other metadata. */
  readonly statusWritesMetadata?: boolean;
}

export const builtinRules: ReadonlyMap<string, KindRules> = new Map<string, KindRules>([
  ["namespaces", namespaceRules],
  ["configmaps", configMapRules],
  ["secrets", secretRules],
  ["serviceaccounts", serviceAccountRules],
  ["events", eventRules],
  ["events.events.k8s.io", newEventRules],
  ["resourcequotas", resourceQuotaRules],
  ["limitranges", limitRangeRules],
  ["leases.coordination.k8s.io", leaseRules],
  ["roles.rbac.authorization.k8s.io", roleRules],
  ["rolebindings.rbac.authorization.k8s.io", roleBindingRules],
  ["clusterroles.rbac.authorization.k8s.io", clusterRoleRules],
  ["clusterrolebindings.rbac.authorization.k8s.io", clusterRoleBindingRules],
  ["customresourcedefinitions.apiextensions.k8s.io", definitionRules],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", mutatingWebhookRules],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", validatingWebhookRules],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", policyRules],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", policyBindingRules],
]);
