// The kinds that every control plane has without any definition: names, scope, subresources and
// selectable fields as clients of the Kubernetes API know them. Schemas come from the type tables.
// Reviews are kinds, too, but they can only be created and are answered instead of stored.

import { assert } from "../../kernel/assert.ts";
import { defineKind } from "../../kernel/kind.ts";
import type { FieldRule, Kind, PrinterColumn } from "../../kernel/kind.ts";
import { documentSchemaOf } from "./message-schema.ts";
import { messageOf } from "./catalogue.ts";

interface BuiltinInput {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Kind["scope"];
  /** The first is stored. */
  readonly versions?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly hasStatus?: boolean;
  readonly selectable?: readonly string[];
  readonly columns?: readonly PrinterColumn[];
  readonly fieldRules?: readonly FieldRule[];
}

/** A subresource other than status and scale. */
export interface ExtraSubresource {
  /** The kind id of the parent. */
  readonly parent: string;
  readonly name: string;
  /** What its bodies are. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const createdAt: PrinterColumn = { ...age, name: "Created At" };
const reference = "kind namespace name uid apiVersion resourceVersion fieldPath".split(" ");
const rbac = "rbac.authorization.k8s.io";
const admission = "admissionregistration.k8s.io";

export const builtinKinds: readonly Kind[] = [
  builtin({
    ...named("", "Namespace", "namespaces", "Cluster"),
    shortNames: ["ns"],
    hasStatus: true,
    selectable: [".status.phase"],
    columns: [{ name: "Status", type: "string", jsonPath: ".status.phase" }, age],
  }),
  builtin({ ...named("", "ConfigMap", "configmaps"), shortNames: ["cm"] }),
  builtin({
    ...named("", "Secret", "secrets"),
    selectable: [".type"],
    fieldRules: [{ path: "/data/*", rule: "sealed" }],
  }),
  builtin({ ...named("", "ServiceAccount", "serviceaccounts"), shortNames: ["sa"] }),
  builtin({
    ...named("", "Event", "events"),
    shortNames: ["ev"],
    selectable: [
      ...reference.map((name) => `.involvedObject.${name}`),
      ".reason",
      ".reportingComponent",
      ".source",
      ".type",
    ],
  }),
  builtin({
    ...named("", "ResourceQuota", "resourcequotas"),
    shortNames: ["quota"],
    hasStatus: true,
  }),
  builtin({
    ...named("", "LimitRange", "limitranges"),
    shortNames: ["limits"],
    columns: [createdAt],
  }),
  builtin({
    ...named("coordination.k8s.io", "Lease", "leases"),
    columns: [{ name: "Holder", type: "string", jsonPath: ".spec.holderIdentity" }, age],
  }),
  builtin({
    ...named("events.k8s.io", "Event", "events"),
    shortNames: ["ev"],
    selectable: [
      ...reference.map((name) => `.regarding.${name}`),
      ".reason",
      ".reportingController",
      ".type",
    ],
  }),
  builtin({ ...named(rbac, "Role", "roles"), columns: [createdAt] }),
  builtin(named(rbac, "RoleBinding", "rolebindings")),
  builtin({ ...named(rbac, "ClusterRole", "clusterroles", "Cluster"), columns: [createdAt] }),
  builtin(named(rbac, "ClusterRoleBinding", "clusterrolebindings", "Cluster")),
  builtin({
    ...extension("apiextensions.k8s.io", "CustomResourceDefinition", "customresourcedefinitions"),
    shortNames: ["crd", "crds"],
    hasStatus: true,
    columns: [createdAt],
  }),
  builtin(extension(admission, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations")),
  builtin(
    extension(admission, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
  ),
  builtin({
    ...extension(admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    hasStatus: true,
  }),
  builtin(
    extension(admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
  ),
];

const authorization = "authorization.k8s.io";
const authentication = "authentication.k8s.io";

/** Kinds that can be created only, and are answered instead of stored. */
export const reviewKinds: readonly Kind[] = [
  builtin(named(authorization, "SubjectAccessReview", "subjectaccessreviews", "Cluster")),
  builtin(named(authorization, "LocalSubjectAccessReview", "localsubjectaccessreviews")),
  builtin(named(authorization, "SelfSubjectAccessReview", "selfsubjectaccessreviews", "Cluster")),
  builtin(named(authorization, "SelfSubjectRulesReview", "selfsubjectrulesreviews", "Cluster")),
  builtin(named(authentication, "TokenReview", "tokenreviews", "Cluster")),
  builtin({
    ...named(authentication, "SelfSubjectReview", "selfsubjectreviews", "Cluster"),
    versions: ["v1", "v1beta1"],
  }),
];

export const extraSubresources: readonly ExtraSubresource[] = [
  {
    parent: "namespaces",
    name: "finalize",
    group: "",
    version: "v1",
    kind: "Namespace",
    verbs: ["update"],
  },
  {
    parent: "serviceaccounts",
    name: "token",
    group: authentication,
    version: "v1",
    kind: "TokenRequest",
    verbs: ["create"],
  },
];

function named(
  group: string,
  kind: string,
  plural: string,
  scope: Kind["scope"] = "Namespaced",
): BuiltinInput {
  return { group, kind, plural, scope };
}

function extension(group: string, kind: string, plural: string): BuiltinInput {
  return { ...named(group, kind, plural, "Cluster"), categories: ["api-extensions"] };
}

function builtin(input: BuiltinInput): Kind {
  const { group, kind, plural, scope, shortNames = [], categories = [] } = input;
  return defineKind({
    group,
    names: { kind, plural, shortNames, categories },
    scope,
    origin: "built-in",
    subresources: { status: input.hasStatus ?? false },
    fieldRules: input.fieldRules ?? [],
    versions: (input.versions ?? ["v1"]).map((version, index) => ({
      name: version,
      served: true,
      storage: index === 0,
      schema: schemaFor(group === "" ? version : `${group}/${version}`, kind),
      selectableFields: input.selectable ?? [],
      printerColumns: input.columns ?? [],
    })),
  });
}

function schemaFor(apiVersion: string, kind: string): Kind["versions"][number]["schema"] {
  const found = messageOf(apiVersion, kind);
  assert(found !== undefined, `the tables have ${apiVersion} ${kind}`);
  return documentSchemaOf(found);
}
