// Definitions of kinds. The schema inside a definition is decoded in full from protobuf, but its
// own schema only says that it is an object: it contains itself, and structural schemas cannot.

import {
  always,
  atomic,
  bool,
  double,
  int32,
  int64,
  json,
  keyedBy,
  lazily,
  list,
  mapOf,
  message,
  of,
  optional,
  required,
  schemaOr,
  string,
  time,
} from "./message.ts";
import type { Message } from "./message.ts";
import { objectMeta } from "./types-meta.ts";
import { clientConfigTypes } from "./types-webhook-client.ts";

const prefix = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

export const externalDocumentation = message(
  `${prefix}.ExternalDocumentation`,
  "External documentation.",
  {
    description: [1, string, "Description of the documentation."],
    url: [2, string, "URL of the documentation."],
  },
);

export const validationRule = message(`${prefix}.ValidationRule`, "A rule in CEL.", {
  rule: [1, required(string), "The CEL expression; self is the value."],
  message: [2, string, "Error message if the rule fails."],
  messageExpression: [3, string, "CEL expression that returns the error message."],
  reason: [4, optional(string), "Machine-readable reason of the refusal."],
  fieldPath: [5, string, "Path of the field that the error names."],
  optionalOldSelf: [
    6,
    optional(bool),
    "Whether the rule also applies on create; oldSelf is then optional.",
  ],
});

export const jsonSchemaProps: Message = message(`${prefix}.JSONSchemaProps`, "A JSON schema.", {
  id: [1, string],
  $schema: [2, string],
  $ref: [3, optional(string)],
  description: [4, string],
  type: [5, string],
  format: [6, string],
  title: [7, string],
  default: [8, optional(json)],
  maximum: [9, optional(double)],
  exclusiveMaximum: [10, bool],
  minimum: [11, optional(double)],
  exclusiveMinimum: [12, bool],
  maxLength: [13, optional(int64)],
  minLength: [14, optional(int64)],
  pattern: [15, string],
  maxItems: [16, optional(int64)],
  minItems: [17, optional(int64)],
  uniqueItems: [18, bool],
  multipleOf: [19, optional(double)],
  enum: [20, atomic(json)],
  maxProperties: [21, optional(int64)],
  minProperties: [22, optional(int64)],
  required: [23, atomic(string)],
  items: [24, optional(schemaOr("schemas", () => jsonSchemaProps))],
  allOf: [25, atomic(lazily(() => jsonSchemaProps))],
  oneOf: [26, atomic(lazily(() => jsonSchemaProps))],
  anyOf: [27, atomic(lazily(() => jsonSchemaProps))],
  not: [28, optional(lazily(() => jsonSchemaProps))],
  properties: [29, mapOf(lazily(() => jsonSchemaProps))],
  additionalProperties: [30, optional(schemaOr("bool", () => jsonSchemaProps))],
  patternProperties: [31, mapOf(lazily(() => jsonSchemaProps))],
  dependencies: [32, mapOf(schemaOr("texts", () => jsonSchemaProps))],
  additionalItems: [33, optional(schemaOr("bool", () => jsonSchemaProps))],
  definitions: [34, mapOf(lazily(() => jsonSchemaProps))],
  externalDocs: [35, optional(of(externalDocumentation))],
  example: [36, optional(json)],
  nullable: [37, bool],
  "x-kubernetes-preserve-unknown-fields": [38, optional(bool)],
  "x-kubernetes-embedded-resource": [39, bool],
  "x-kubernetes-int-or-string": [40, bool],
  "x-kubernetes-list-map-keys": [41, list(string)],
  "x-kubernetes-list-type": [42, optional(string)],
  "x-kubernetes-map-type": [43, optional(string)],
  "x-kubernetes-validations": [44, list(of(validationRule))],
  // Ours; the number is far from those that Kubernetes may still give out.
  "x-setpoint-field-rule": [70_001, string, "read-only, create-only, write-only or secret."],
});

export const customResourceValidation = message(
  `${prefix}.CustomResourceValidation`,
  "Schema of a version.",
  {
    openAPIV3Schema: [1, optional(of(jsonSchemaProps)), "The structural schema."],
  },
);

export const customResourceColumnDefinition = message(
  `${prefix}.CustomResourceColumnDefinition`,
  "A column of a table.",
  {
    name: [1, required(string), "Heading of the column."],
    type: [2, required(string), "Type of the column."],
    format: [3, string, "Format of the column's type."],
    description: [4, string, "Description of the column."],
    priority: [5, int32, "0: always shown; more than 0: only in wide output."],
    jsonPath: [6, required(string), "Path of the value."],
  },
);

export const customResourceSubresourceScale = message(
  `${prefix}.CustomResourceSubresourceScale`,
  "Paths of the fields of the scale subresource.",
  {
    specReplicasPath: [1, required(string), "Path of the desired number of replicas."],
    statusReplicasPath: [2, required(string), "Path of the observed number of replicas."],
    labelSelectorPath: [3, optional(string), "Path of the selector as a string."],
  },
);

export const customResourceSubresourceStatus = message(
  `${prefix}.CustomResourceSubresourceStatus`,
  "Enables the status subresource.",
  {},
);

export const customResourceSubresources = message(
  `${prefix}.CustomResourceSubresources`,
  "Enabled subresources.",
  {
    status: [
      1,
      optional(of(customResourceSubresourceStatus)),
      "If set, status is written only through the status subresource.",
    ],
    scale: [
      2,
      optional(of(customResourceSubresourceScale)),
      "If set, the scale subresource is served.",
    ],
  },
);

export const selectableField = message(
  `${prefix}.SelectableField`,
  "A field that field selectors may use.",
  {
    jsonPath: [1, required(string), "Path of the value."],
  },
);

export const customResourceDefinitionVersion = message(
  `${prefix}.CustomResourceDefinitionVersion`,
  "One version of a kind.",
  {
    name: [1, required(string), "Name of the version, such as v1."],
    served: [2, required(bool), "Whether the version is served."],
    storage: [3, required(bool), "True for the one version that is stored."],
    deprecated: [7, bool, "Whether responses of the version have a deprecation warning."],
    deprecationWarning: [8, optional(string), "Text of the deprecation warning."],
    schema: [4, optional(of(customResourceValidation)), "Schema of the version."],
    subresources: [5, optional(of(customResourceSubresources)), "Enabled subresources."],
    additionalPrinterColumns: [6, atomic(of(customResourceColumnDefinition)), "Columns of tables."],
    selectableFields: [9, atomic(of(selectableField)), "Fields that field selectors may use."],
  },
);

export const customResourceDefinitionNames = message(
  `${prefix}.CustomResourceDefinitionNames`,
  "The names of a kind.",
  {
    plural: [1, required(string), "Plural name, used in URLs."],
    singular: [2, string, "Singular name."],
    shortNames: [3, atomic(string), "Short names for the command line."],
    kind: [4, required(string), "Kind of an object."],
    listKind: [5, string, "Kind of a list."],
    categories: [6, atomic(string), "Categories of the kind, such as all."],
  },
);

const { webhookClientConfig } = clientConfigTypes(prefix);

export const webhookConversion = message(
  `${prefix}.WebhookConversion`,
  "Webhook that converts versions.",
  {
    clientConfig: [2, optional(of(webhookClientConfig)), "How to reach the webhook."],
    conversionReviewVersions: [
      3,
      required(atomic(string)),
      "Supported versions of ConversionReview.",
    ],
  },
);

export const customResourceConversion = message(
  `${prefix}.CustomResourceConversion`,
  "How versions are converted.",
  {
    strategy: [1, required(string), "None or Webhook."],
    webhook: [2, optional(of(webhookConversion)), "The webhook that converts."],
  },
);

export const customResourceDefinitionSpec = message(
  `${prefix}.CustomResourceDefinitionSpec`,
  "Specification of a kind.",
  {
    group: [1, required(string), "Group of the kind."],
    names: [3, required(of(customResourceDefinitionNames)), "Names of the kind."],
    scope: [4, required(string), "Cluster or Namespaced."],
    versions: [7, required(atomic(of(customResourceDefinitionVersion))), "Versions of the kind."],
    conversion: [9, optional(of(customResourceConversion)), "How versions are converted."],
    preserveUnknownFields: [10, bool, "Deprecated: must be false."],
  },
);

export const customResourceDefinitionCondition = message(
  `${prefix}.CustomResourceDefinitionCondition`,
  "A condition of a definition.",
  {
    type: [1, required(string), "Type of the condition."],
    status: [2, required(string), "True, False or Unknown."],
    lastTransitionTime: [3, always(time), "When the status last changed."],
    reason: [4, string, "Machine-readable reason in CamelCase."],
    message: [5, string, "Human-readable message."],
    observedGeneration: [6, int64, "Generation of the object that was observed."],
  },
);

export const customResourceDefinitionStatus = message(
  `${prefix}.CustomResourceDefinitionStatus`,
  "Observed state of a definition.",
  {
    conditions: [
      1,
      always(keyedBy("type", of(customResourceDefinitionCondition))),
      "Current conditions.",
    ],
    acceptedNames: [2, always(of(customResourceDefinitionNames)), "Accepted names."],
    storedVersions: [3, always(atomic(string)), "Versions that objects may be stored in."],
    observedGeneration: [4, int64, "Generation of the object that was observed."],
  },
);

export const customResourceDefinition = message(
  `${prefix}.CustomResourceDefinition`,
  "Defines a kind of object.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(customResourceDefinitionSpec)), "Specification of the kind."],
    status: [3, of(customResourceDefinitionStatus), "Observed state of the definition."],
  },
);
