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
  "Documentation elsewhere.",
  {
    description: [1, string, "What is found there."],
    url: [2, string, "Where it is."],
  },
);

export const validationRule = message(`${prefix}.ValidationRule`, "A rule in CEL.", {
  rule: [1, required(string), "The expression; self is the value."],
  message: [2, string, "What is said when the rule is broken."],
  messageExpression: [3, string, "A CEL expression that gives the message."],
  reason: [4, optional(string), "The reason of the refusal."],
  fieldPath: [5, string, "The field that is blamed."],
  optionalOldSelf: [
    6,
    optional(bool),
    "Also judge objects that are new; oldSelf is then optional.",
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
  "How objects of a version look.",
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
    description: [4, string, "What the column shows."],
    priority: [5, int32, "Zero is always shown; more is for wide tables."],
    jsonPath: [6, required(string), "Where the value is found."],
  },
);

export const customResourceSubresourceScale = message(
  `${prefix}.CustomResourceSubresourceScale`,
  "Where the numbers of the scale subresource are.",
  {
    specReplicasPath: [1, required(string), "Path of the wanted number."],
    statusReplicasPath: [2, required(string), "Path of the number seen."],
    labelSelectorPath: [3, optional(string), "Path of the selector in text form."],
  },
);

export const customResourceSubresourceStatus = message(
  `${prefix}.CustomResourceSubresourceStatus`,
  "Turns the status subresource on.",
  {},
);

export const customResourceSubresources = message(
  `${prefix}.CustomResourceSubresources`,
  "Which subresources exist.",
  {
    status: [
      1,
      optional(of(customResourceSubresourceStatus)),
      "Present: status is written through its own path only.",
    ],
    scale: [
      2,
      optional(of(customResourceSubresourceScale)),
      "Present: the number of replicas has its own path.",
    ],
  },
);

export const selectableField = message(
  `${prefix}.SelectableField`,
  "A field that field selectors may use.",
  {
    jsonPath: [1, required(string), "Where the value is found."],
  },
);

export const customResourceDefinitionVersion = message(
  `${prefix}.CustomResourceDefinitionVersion`,
  "One version of a kind.",
  {
    name: [1, required(string), "Name of the version, as v1."],
    served: [2, required(bool), "Whether the version is offered."],
    storage: [3, required(bool), "True for the one version that is stored."],
    deprecated: [7, bool, "Whether using the version is answered with a warning."],
    deprecationWarning: [8, optional(string), "The words of that warning."],
    schema: [4, optional(of(customResourceValidation)), "How objects of the version look."],
    subresources: [5, optional(of(customResourceSubresources)), "Which subresources exist."],
    additionalPrinterColumns: [6, atomic(of(customResourceColumnDefinition)), "Columns of tables."],
    selectableFields: [9, atomic(of(selectableField)), "Fields that field selectors may use."],
  },
);

export const customResourceDefinitionNames = message(
  `${prefix}.CustomResourceDefinitionNames`,
  "The names of a kind.",
  {
    plural: [1, required(string), "The name in paths."],
    singular: [2, string, "The name for one."],
    shortNames: [3, atomic(string), "Short forms of the name for command lines."],
    kind: [4, required(string), "The name in documents."],
    listKind: [5, string, "The name of lists."],
    categories: [6, atomic(string), "Groups of resources, as all, that the kind belongs to."],
  },
);

const { webhookClientConfig } = clientConfigTypes(prefix);

export const webhookConversion = message(
  `${prefix}.WebhookConversion`,
  "How versions are converted by a webhook.",
  {
    clientConfig: [2, optional(of(webhookClientConfig)), "How to reach the webhook."],
    conversionReviewVersions: [
      3,
      required(atomic(string)),
      "Versions of ConversionReview that it understands.",
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
  "What a kind is like.",
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
  "One aspect of the state of a definition.",
  {
    type: [1, required(string), "What is told by this entry."],
    status: [2, required(string), "True, False or Unknown."],
    lastTransitionTime: [3, always(time), "When the status last changed."],
    reason: [4, string, "One CamelCase word that says why."],
    message: [5, string, "A sentence for people."],
    observedGeneration: [6, int64, "Generation of the object that was observed."],
  },
);

export const customResourceDefinitionStatus = message(
  `${prefix}.CustomResourceDefinitionStatus`,
  "What is known of a definition.",
  {
    conditions: [
      1,
      always(keyedBy("type", of(customResourceDefinitionCondition))),
      "The latest observations.",
    ],
    acceptedNames: [2, always(of(customResourceDefinitionNames)), "The names in use."],
    storedVersions: [3, always(atomic(string)), "Versions that objects may be stored in."],
    observedGeneration: [4, int64, "Generation of the object that was observed."],
  },
);

export const customResourceDefinition = message(
  `${prefix}.CustomResourceDefinition`,
  "Defines a kind of object.",
  {
    metadata: [1, of(objectMeta), "Standard metadata of the resource."],
    spec: [2, required(of(customResourceDefinitionSpec)), "What the kind is like."],
    status: [3, of(customResourceDefinitionStatus), "What is known of the definition."],
  },
);
