// Columns of built-in kinds, which kube-apiserver computes instead of reading them from paths.
// Names, types, priorities and descriptions are its own; kinds that it has no columns for show
// their time of creation as text.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { ageColumn, column, creationDescription, nameColumn } from "./column.ts";
import { prose } from "./column.ts";
import type { Column } from "./column.ts";
import { coreEventColumns, newEventColumns } from "./event-columns.ts";
import { paramRefText } from "./param-ref.ts";

export function builtInColumns(id: string): readonly Column[] {
  const known = new Map(table).get(id);
  return known === undefined ? plainColumns() : known();
}

const table: readonly (readonly [string, () => readonly Column[]])[] = [
  ["configmaps", configMapColumns],
  ["secrets", secretColumns],
  ["namespaces", namespaceColumns],
  ["serviceaccounts", serviceAccountColumns],
  ["resourcequotas", quotaColumns],
  ["events", coreEventColumns],
  ["events.events.k8s.io", newEventColumns],
  ["leases.coordination.k8s.io", leaseColumns],
  ["rolebindings.rbac.authorization.k8s.io", () => bindingColumns("roleBinding", roleRefText)],
  [
    "clusterrolebindings.rbac.authorization.k8s.io",
    () => bindingColumns("clusterRoleBinding", clusterRoleRefText),
  ],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", webhookColumns],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", webhookColumns],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", validatingPolicyColumns],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", policyBindingColumns],
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", mutatingPolicyColumns],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", policyBindingColumns],
];

/** For kinds without columns of their own: roles, definitions, limit ranges and the like. */
function plainColumns(): readonly Column[] {
  const created = { name: "Created At", type: "date", description: creationDescription };
  return [
    nameColumn(),
    column(created, (object) => textAt(object, "metadata", "creationTimestamp")),
  ];
}

function configMapColumns(): readonly Column[] {
  const description = prose(
    "Data contains the configuration data. Each key must consist of alphanumeric ",
    "characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the ",
    "BinaryData field. The keys stored in Data must not overlap with the keys in the ",
    "BinaryData field, this is enforced during validation process.",
  );
  const data = column(
    { name: "Data", type: "string", description },
    (object) => size(object, "data") + size(object, "binaryData"),
  );
  return [nameColumn(), data, ageColumn()];
}

function secretColumns(): readonly Column[] {
  const typeText = prose(
    "Used to facilitate programmatic handling of secret data. More info: ",
    "https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
  );
  const dataText = prose(
    "Data contains the secret data. Each key must consist of alphanumeric characters, ",
    "'-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, ",
    "representing the arbitrary (possibly non-string) data value here. Described in ",
    "https://tools.ietf.org/html/rfc4648#section-4",
  );
  return [
    nameColumn(),
    column({ name: "Type", type: "string", description: typeText }, (object) =>
      textAt(object, "type"),
    ),
    column({ name: "Data", type: "string", description: dataText }, (object) =>
      size(object, "data"),
    ),
    ageColumn(),
  ];
}

function namespaceColumns(): readonly Column[] {
  const status = { name: "Status", type: "string", description: "The status of the namespace" };
  return [nameColumn(), column(status, (object) => textAt(object, "status", "phase")), ageColumn()];
}

function serviceAccountColumns(): readonly Column[] {
  const description = prose(
    "Secrets is a list of the secrets in the same namespace that pods running using this ",
    "ServiceAccount are allowed to use. Pods are only limited to this list if this ",
    'service account has a "kubernetes.io/enforce-mountable-secrets" annotation set to ',
    '"true". The "kubernetes.io/enforce-mountable-secrets" annotation is deprecated since ',
    "v1.32. Prefer separate namespaces to isolate access to mounted secrets. This field ",
    "should not be used to find auto-generated service account token secrets for use ",
    "outside of pods. Instead, tokens can be requested directly using the TokenRequest ",
    "API, or service account token secrets can be manually created. More info: ",
    "https://kubernetes.io/docs/concepts/configuration/secret",
  );
  const secrets = { name: "Secrets", type: "string", description };
  return [nameColumn(), column(secrets, (object) => listAt(object, "secrets").length), ageColumn()];
}

function quotaColumns(): readonly Column[] {
  const request = {
    name: "Request",
    type: "string",
    description: "Request represents a minimum amount of cpu/memory that a container may consume.",
  };
  const limit = {
    name: "Limit",
    type: "string",
    description: prose(
      "Limits control the maximum amount of cpu/memory that a container may use independent ",
      "of contention on the node.",
    ),
  };
  return [
    nameColumn(),
    column(request, (object) => quotaText(object, (name) => !name.startsWith("limits."))),
    column(limit, (object) => quotaText(object, (name) => name.startsWith("limits."))),
    ageColumn(),
  ];
}

function quotaText(object: JsonObject, isShown: (name: string) => boolean): string {
  const hard = objectAt(object, "status", "hard");
  const used = objectAt(object, "status", "used");
  return Object.keys(hard)
    .filter(isShown)
    .sort()
    .map((name) => `${name}: ${quantity(used, name)}/${quantity(hard, name)}`)
    .join(", ");
}

function quantity(amounts: JsonObject, name: string): string {
  const value = valueAt(amounts, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : "0";
}

function leaseColumns(): readonly Column[] {
  const description = prose(
    "holderIdentity contains the identity of the holder of a current lease. If ",
    "Coordinated Leader Election is used, the holder identity must be equal to the ",
    "elected LeaseCandidate.metadata.name field.",
  );
  const holder = { name: "Holder", type: "string", description };
  return [
    nameColumn(),
    column(holder, (object) => textAt(object, "spec", "holderIdentity")),
    ageColumn(),
  ];
}

const roleRefText = prose(
  "RoleRef can reference a Role in the current namespace or a ClusterRole in the global ",
  "namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
);
const clusterRoleRefText = prose(
  "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef ",
  "cannot be resolved, the Authorizer must return an error.",
);

function bindingColumns(word: string, roleText: string): readonly Column[] {
  const wide = (name: string, kind: string, text: (subject: JsonObject) => string): Column =>
    column({ name, type: "string", priority: 1, description: `${name} in the ${word}` }, (object) =>
      subjects(object, kind).map(text).join(", "),
    );
  return [
    nameColumn(),
    column(
      { name: "Role", type: "string", description: roleText },
      (object) => `${textAt(object, "roleRef", "kind")}/${textAt(object, "roleRef", "name")}`,
    ),
    ageColumn(),
    wide("Users", "User", (subject) => textAt(subject, "name")),
    wide("Groups", "Group", (subject) => textAt(subject, "name")),
    wide(
      "ServiceAccounts",
      "ServiceAccount",
      (subject) => `${textAt(subject, "namespace")}/${textAt(subject, "name")}`,
    ),
  ];
}

function subjects(object: JsonObject, kind: string): readonly JsonObject[] {
  return listAt(object, "subjects")
    .filter((subject) => isJsonObject(subject))
    .filter((subject) => textAt(subject, "kind") === kind);
}

function webhookColumns(): readonly Column[] {
  const description = "Webhooks indicates the number of webhooks registered in this configuration";
  const webhooks = { name: "Webhooks", type: "integer", description };
  return [
    nameColumn(),
    column(webhooks, (object) => listAt(object, "webhooks").length),
    ageColumn(),
  ];
}

function validatingPolicyColumns(): readonly Column[] {
  const description =
    "Validations indicates the number of validation rules defined in this configuration";
  return policyColumns({ name: "Validations", field: "validations", description });
}

function mutatingPolicyColumns(): readonly Column[] {
  const description =
    "Mutation indicates the number of mutations rules defined in this configuration";
  return policyColumns({ name: "Mutations", field: "mutations", description });
}

interface RuleCount {
  readonly name: string;
  readonly field: string;
  readonly description: string;
}

function policyColumns({ name, field, description }: RuleCount): readonly Column[] {
  const paramKind = {
    name: "ParamKind",
    type: "string",
    description: "ParamKind specifies the kind of resources used to parameterize this policy",
  };
  return [
    nameColumn(),
    column(
      { name, type: "integer", description },
      (object) => listAt(object, "spec", field).length,
    ),
    column(paramKind, (object) => paramKindText(valueAt(object, "spec", "paramKind"))),
    ageColumn(),
  ];
}

function paramKindText(kind: Json | undefined): string {
  if (!isJsonObject(kind)) return "<unset>";
  return `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}`;
}

function policyBindingColumns(): readonly Column[] {
  const policyName = {
    name: "PolicyName",
    type: "string",
    description: "PolicyName indicates the policy definition which the policy binding binded to",
  };
  const paramRef = {
    name: "ParamRef",
    type: "string",
    description: "ParamRef indicates the param resource which sets the configration param",
  };
  return [
    nameColumn(),
    column(policyName, (object) => textAt(object, "spec", "policyName")),
    column(paramRef, (object) => paramRefText(valueAt(object, "spec", "paramRef"))),
    ageColumn(),
  ];
}

function size(object: JsonObject, field: string): number {
  return Object.keys(objectAt(object, field)).length;
}
