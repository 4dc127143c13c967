// Each expected text is what kube-apiserver 1.36 answers to the same definition.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { definitionErrors } from "./definition-check.ts";
import {
  definitionOf,
  label,
  named,
  schema,
  spec,
  subdomain,
  version,
} from "./definition-samples.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

type BadDefinition = readonly [title: string, definition: JsonObject, errors: readonly string[]];

const zero: JsonObject = {
  ID: "",
  Schema: "",
  Ref: null,
  Description: "",
  Type: "",
  Nullable: false,
  Format: "",
  Title: "",
  Default: null,
  Maximum: null,
  ExclusiveMaximum: false,
  Minimum: null,
  ExclusiveMinimum: false,
  MaxLength: null,
  MinLength: null,
  Pattern: "",
  MaxItems: null,
  MinItems: null,
  UniqueItems: false,
  MultipleOf: null,
  Enum: null,
  MaxProperties: null,
  MinProperties: null,
  Required: null,
  Items: null,
  AllOf: null,
  OneOf: null,
  AnyOf: null,
  Not: null,
  Properties: null,
  AdditionalProperties: null,
  PatternProperties: null,
  Dependencies: null,
  AdditionalItems: null,
  Definitions: null,
  ExternalDocs: null,
  Example: null,
  XPreserveUnknownFields: null,
  XEmbeddedResource: false,
  XIntOrString: false,
  XListMapKeys: null,
  XListType: null,
  XMapType: null,
  XValidations: null,
};

function schemaText(own: JsonObject): JsonObject {
  return { ...zero, ...own };
}

function versionsText(versions: readonly (readonly [string, boolean])[]): string {
  return JSON.stringify(
    versions.map(([Name, Storage]) => ({
      Name,
      Served: true,
      Storage,
      Deprecated: false,
      DeprecationWarning: null,
      Schema: null,
      Subresources: null,
      AdditionalPrinterColumns: null,
      SelectableFields: null,
    })),
  );
}

const atRoot =
  ": only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum " +
  "MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items " +
  "Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at " +
  "the root of the schema if the status subresource is enabled";

const bad: readonly BadDefinition[] = [
  [
    "name differs from plural and group",
    { ...definitionOf(spec({})), metadata: { name: "widgets.example.com" } },
    [
      'metadata.name: Invalid value: "widgets.example.com": must be ' +
        'spec.names.plural+"."+spec.group',
    ],
  ],
  ["no group", named("widgets.", spec({ group: "" })), ["spec.group: Required value"]],
  [
    "group without a dot",
    named("widgets.example", spec({ group: "example" })),
    ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  ],
  [
    "group in upper case",
    named("widgets.Example.dev", spec({ group: "Example.dev" })),
    ['spec.group: Invalid value: "Example.dev": ' + subdomain],
  ],
  ["no scope", definitionOf(spec({ scope: "" })), ["spec.scope: Required value"]],
  [
    "unknown scope",
    definitionOf(spec({ scope: "Galaxy" })),
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    "no plural",
    named(".example.dev", spec({ names: { kind: "Widget" } })),
    ["spec.names.plural: Required value"],
  ],
  [
    "plural in upper case",
    named("Widgets.example.dev", spec({ names: { plural: "Widgets", kind: "Widget" } })),
    ['spec.names.plural: Invalid value: "Widgets": ' + label],
  ],
  [
    "no kind",
    definitionOf(spec({ names: { plural: "widgets" } })),
    [
      "spec.names.singular: Required value",
      "spec.names.kind: Required value",
      "spec.names.listKind: Required value",
    ],
  ],
  [
    "kind with an underscore",
    definitionOf(spec({ names: { plural: "widgets", kind: "My_Widget" } })),
    [
      'spec.names.singular: Invalid value: "my_widget": ' + label,
      'spec.names.kind: Invalid value: "My_Widget": may have mixed case, but ' +
        "should otherwise match: " +
        label,
      'spec.names.listKind: Invalid value: "My_WidgetList": may have mixed case, ' +
        "but should otherwise match: " +
        label,
    ],
  ],
  [
    "kind as its list",
    definitionOf(spec({ names: { plural: "widgets", kind: "Widget", listKind: "Widget" } })),
    ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  ],
  [
    "bad singular, short name and category",
    definitionOf(
      spec({
        names: {
          plural: "widgets",
          kind: "Widget",
          singular: "1w",
          shortNames: ["ok", "W"],
          categories: ["a_b"],
        },
      }),
    ),
    [
      'spec.names.singular: Invalid value: "1w": ' + label,
      'spec.names.shortNames[1]: Invalid value: "W": ' + label,
      'spec.names.categories[0]: Invalid value: "a_b": ' + label,
    ],
  ],
  [
    "kind that is too long",
    definitionOf(
      spec({ names: { plural: "widgets", kind: "W".repeat(64), singular: "w", listKind: "WL" } }),
    ),
    [
      "spec.names.kind: Invalid value: " +
        '"WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW": may ' +
        "have mixed case, but should otherwise match: must be no more than 63 " +
        "characters",
    ],
  ],
  [
    "no versions",
    definitionOf(spec({ versions: [] })),
    [
      "spec.versions: Invalid value: []: must have exactly one version marked as " +
        "storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    "no storage version",
    definitionOf(spec({ versions: [version({ storage: false })] })),
    [
      "spec.versions: Invalid value: " +
        versionsText([["v1", false]]) +
        ": must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
  ],
  [
    "two storage versions",
    definitionOf(spec({ versions: [version({}), version({ name: "v2" })] })),
    [
      "spec.versions: Invalid value: " +
        versionsText([
          ["v1", true],
          ["v2", true],
        ]) +
        ": must have exactly one version marked as storage version",
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2',
    ],
  ],
  [
    "two versions of one name",
    definitionOf(spec({ versions: [version({}), version({ storage: false })] })),
    [
      "spec.versions: Invalid value: " +
        versionsText([
          ["v1", true],
          ["v1", false],
        ]) +
        ": must contain unique version names",
    ],
  ],
  [
    "a version with a bad name",
    definitionOf(spec({ versions: [version({ name: "V1" })] })),
    [
      'spec.versions[0].name: Invalid value: "V1": ' + label,
      'spec.version: Invalid value: "V1": ' + label,
    ],
  ],
  [
    "a version with a numeric name",
    definitionOf(spec({ versions: [version({ name: "1" })] })),
    [
      'spec.versions[0].name: Invalid value: "1": ' + label,
      'spec.version: Invalid value: "1": ' + label,
    ],
  ],
  [
    "no schema",
    definitionOf(spec({ versions: [version({ schema: null })] })),
    ["spec.versions[0].schema.openAPIV3Schema: Required value"],
  ],
  [
    "empty schema holder",
    definitionOf(spec({ versions: [version({ schema: {} })] })),
    ["spec.versions[0].schema.openAPIV3Schema: Required value"],
  ],
  [
    "one of two versions without a schema",
    definitionOf(
      spec({ versions: [version({}), version({ name: "v2", storage: false, schema: null })] }),
    ),
    ["spec.versions[1].schema.openAPIV3Schema: Required value"],
  ],
  [
    "a warning without deprecation",
    definitionOf(spec({ versions: [version({ deprecationWarning: "x" })] })),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set ' +
        "for deprecated versions",
    ],
  ],
  [
    "an empty warning",
    definitionOf(spec({ versions: [version({ deprecated: true, deprecationWarning: "" })] })),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    "a long warning with a line break",
    definitionOf(
      spec({
        versions: [version({ deprecated: true, deprecationWarning: `é\n${"x".repeat(256)}` })],
      }),
    ),
    [
      'spec.versions[0].deprecationWarning: Invalid value: "é\\n' +
        "x".repeat(256) +
        '": must be <= 256 characters long',
      'spec.versions[0].deprecationWarning: Invalid value: "é\\n' +
        "x".repeat(256) +
        '": must only contain printable UTF-8 characters; non-printable character ' +
        "found at index 2",
    ],
  ],
  [
    "unknown fields preserved",
    definitionOf(spec({ preserveUnknownFields: true })),
    [
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set " +
        "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema " +
        "instead",
    ],
  ],
  [
    "unknown fields preserved with defaults",
    definitionOf(
      spec({
        preserveUnknownFields: true,
        versions: [
          version(
            schema({ type: "object", properties: { spec: { type: "object", default: {} } } }),
          ),
        ],
      }),
    ),
    [
      "spec.preserveUnknownFields: Invalid value: true: must be false in order to " +
        "use defaults in the schema",
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set " +
        "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema " +
        "instead",
    ],
  ],
  [
    "a protected group without approval",
    named("widgets.widgets.k8s.io", spec({ group: "widgets.k8s.io" })),
    [
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected " +
        'groups must have approval annotation "api-approved.kubernetes.io", see ' +
        "https://github.com/kubernetes/enhancements/pull/1111",
    ],
  ],
  [
    "a protected group with a bad approval",
    {
      ...definitionOf(spec({ group: "kubernetes.io" })),
      metadata: {
        name: "widgets.kubernetes.io",
        annotations: { "api-approved.kubernetes.io": "yes" },
      },
    },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": ' +
        'protected groups must have approval annotation "api-approved.kubernetes.io" ' +
        'with either a URL or a reason starting with "unapproved", see ' +
        "https://github.com/kubernetes/enhancements/pull/1111",
    ],
  ],
  [
    "root with a wrong type and status",
    definitionOf(
      spec({
        versions: [version({ ...schema({ type: "string" }), subresources: { status: {} } })],
      }),
    ),
    [
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": only ' +
        '"object" is allowed as the type at the root of the schema if the status ' +
        "subresource is enabled",
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be ' +
        "object at the root",
    ],
  ],
  [
    "root that is nullable",
    definitionOf(spec({ versions: [version(schema({ type: "object", nullable: true }))] })),
    [
      "spec.validation.openAPIV3Schema.nullable: Forbidden: nullable cannot be true " +
        "at the root",
    ],
  ],
  [
    "root with a default and status",
    definitionOf(
      spec({
        versions: [
          version({
            ...schema({ type: "object", anyOf: [{ required: ["spec"] }] }),
            subresources: { status: {} },
          }),
        ],
      }),
    ),
    [
      "spec.validation.openAPIV3Schema: Invalid value: " +
        JSON.stringify(
          schemaText({ Type: "object", AnyOf: [schemaText({ Required: ["spec"] })] }),
        ) +
        atRoot,
    ],
  ],
  [
    "root with additional properties and status",
    definitionOf(
      spec({
        versions: [
          version({
            ...schema({
              type: "object",
              description: "d",
              "x-kubernetes-preserve-unknown-fields": true,
              maxProperties: 3,
              "x-kubernetes-map-type": "atomic",
              properties: {
                a: { type: "string", enum: ["x"], minLength: 1 },
                b: { type: "array", items: { type: "number", minimum: 1.5 } },
              },
            }),
            subresources: { status: {} },
          }),
        ],
      }),
    ),
    [
      "spec.validation.openAPIV3Schema: Invalid value: " +
        JSON.stringify(
          schemaText({
            Description: "d",
            Type: "object",
            MaxProperties: 3,
            Properties: {
              a: schemaText({ Type: "string", MinLength: 1, Enum: ["x"] }),
              b: schemaText({
                Type: "array",
                Items: { Schema: schemaText({ Type: "number", Minimum: 1.5 }), JSONSchemas: null },
              }),
            },
            XPreserveUnknownFields: true,
            XMapType: "atomic",
          }),
        ) +
        atRoot,
    ],
  ],
];

for (const [title, definition, errors] of bad) {
  test(`refused as Kubernetes does: ${title}`, () => {
    const found = definitionErrors(defaultDefinition(definition));
    assert.deepEqual(found.map(fieldErrorText), errors);
  });
}
