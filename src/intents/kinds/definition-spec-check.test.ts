// Each expected text is what kube-apiserver 1.36 answers to the same definition.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../kernel/json.ts";
import { defaultDefinition } from "./definition-defaults.ts";
import { definitionErrors } from "./definition-check.ts";
import { definitionOf, letters, schema, spec, version } from "./definition-samples.ts";
import { fieldErrorText } from "../../kernel/field-error-text.ts";

type BadDefinition = readonly [title: string, definition: JsonObject, errors: readonly string[]];

const bad: readonly BadDefinition[] = [
  [
    "a scale without paths",
    definitionOf(spec({ versions: [version({ subresources: { scale: {} } })] })),
    [
      "spec.subresources.scale.specReplicasPath: Required value",
      "spec.subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  [
    "a scale with bad paths",
    definitionOf(
      spec({
        versions: [
          version({
            subresources: {
              scale: {
                specReplicasPath: "spec.a",
                statusReplicasPath: ".spec.b",
                labelSelectorPath: ".metadata.c",
              },
            },
          }),
        ],
      }),
    ),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: "spec.a": must be ' +
        "a simple json path starting with .",
      'spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.b": ' +
        "should be a json path under .status",
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.c": ' +
        "should be a json path under either .spec or .status",
    ],
  ],
  [
    "a scale with its paths swapped",
    definitionOf(
      spec({
        versions: [
          version({
            subresources: {
              scale: {
                specReplicasPath: ".status.a",
                statusReplicasPath: "x",
                labelSelectorPath: "y",
              },
            },
          }),
        ],
      }),
    ),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.a": ' +
        "should be a json path under .spec",
      'spec.subresources.scale.statusReplicasPath: Invalid value: "x": must be a ' +
        "simple json path starting with .",
      'spec.subresources.scale.labelSelectorPath: Invalid value: "y": must be a ' +
        "simple json path starting with .",
    ],
  ],
  [
    "different subresources in two versions",
    definitionOf(
      spec({
        versions: [
          version({ subresources: { scale: {} } }),
          version({ name: "v2", storage: false }),
        ],
      }),
    ),
    [
      "spec.versions[0].subresources.scale.specReplicasPath: Required value",
      "spec.versions[0].subresources.scale.statusReplicasPath: Required value",
    ],
  ],
  [
    "a column with nothing",
    definitionOf(
      spec({
        versions: [version({ additionalPrinterColumns: [{ name: "", type: "", jsonPath: "" }] })],
      }),
    ),
    [
      "spec.additionalPrinterColumns[0].name: Required value",
      "spec.additionalPrinterColumns[0].type: Required value: must be one of " +
        "boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
    ],
  ],
  [
    "a column with everything wrong",
    definitionOf(
      spec({
        versions: [
          version({
            additionalPrinterColumns: [
              { name: "A", type: "array", format: "hex", jsonPath: "spec" },
            ],
          }),
        ],
      }),
    ),
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "array": must be one ' +
        "of boolean,date,integer,number,string",
      'spec.additionalPrinterColumns[0].format: Invalid value: "hex": must be one ' +
        "of byte,date,date-time,double,float,int32,int64,password",
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a ' +
        "simple json path starting with .",
    ],
  ],
  [
    "columns of one of two versions",
    definitionOf(
      spec({
        versions: [
          version({}),
          version({
            name: "v2",
            storage: false,
            additionalPrinterColumns: [{ name: "A", type: "date", jsonPath: "a" }],
          }),
        ],
      }),
    ),
    [
      'spec.versions[1].additionalPrinterColumns[0].JSONPath: Invalid value: "a": ' +
        "must be a simple json path starting with .",
    ],
  ],
  [
    "a selectable field without a path",
    definitionOf(spec({ versions: [version({ selectableFields: [{ jsonPath: "" }] })] })),
    ["spec.selectableFields[0].jsonPath: Required value"],
  ],
  [
    "a selectable field that is not there",
    definitionOf(
      spec({
        versions: [
          version({
            selectableFields: [
              { jsonPath: ".spec.nothing" },
              { jsonPath: "spec.size" },
              { jsonPath: ".spec." },
              { jsonPath: ".spec[size]" },
              { jsonPath: ".spec.size.x" },
              { jsonPath: ".status" },
            ],
          }),
        ],
      }),
    ),
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec.nothing": is an ' +
        "invalid path: does not refer to a valid field",
      'spec.selectableFields[1].jsonPath: Invalid value: "spec.size": is an ' +
        "invalid path: expected [ or . but got: spec",
      'spec.selectableFields[2].jsonPath: Invalid value: ".spec.": is an invalid ' +
        "path: unexpected end of JSON path",
      'spec.selectableFields[3].jsonPath: Invalid value: ".spec[size]": is an ' +
        "invalid path: array notation is not allowed",
      'spec.selectableFields[4].jsonPath: Invalid value: ".spec.size.x": is an ' +
        "invalid path: does not refer to a valid field",
      'spec.selectableFields[5].jsonPath: Invalid value: ".status": is an invalid ' +
        "path: does not refer to a valid field",
    ],
  ],
  [
    "selectable fields of wrong types",
    definitionOf(
      spec({
        versions: [
          version({
            ...schema({
              type: "object",
              properties: {
                metadata: { type: "object", properties: { name: { type: "string" } } },
                spec: {
                  type: "object",
                  properties: {
                    n: { type: "number" },
                    s: { type: "string" },
                    map: { type: "object", additionalProperties: { type: "string" } },
                  },
                },
              },
            }),
            selectableFields: [
              { jsonPath: ".spec" },
              { jsonPath: ".spec.n" },
              { jsonPath: ".metadata.name" },
              { jsonPath: ".spec.s" },
              { jsonPath: ".spec.s" },
              { jsonPath: ".spec.map.key" },
            ],
          }),
        ],
      }),
    ),
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a ' +
        "field of type string, boolean or integer. Enum string fields and strings with " +
        "formats are allowed.",
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec.n": must point to ' +
        "a field of type string, boolean or integer. Enum string fields and strings " +
        "with formats are allowed.",
      'spec.selectableFields[2].jsonPath: Invalid value: ".metadata.name": must ' +
        "not point to fields in metadata",
      'spec.selectableFields[4].jsonPath: Duplicate value: ".spec.s"',
    ],
  ],
  [
    "too many selectable fields",
    definitionOf(
      spec({
        versions: [
          version({
            ...schema({
              type: "object",
              properties: { spec: { type: "object", properties: letters("abcdefghi") } },
            }),
            selectableFields: Array.from("abcdefghi", (c) => ({ jsonPath: `.spec.${c}` })),
          }),
        ],
      }),
    ),
    ["spec.selectableFields: Too many: 9: must have at most 8 items"],
  ],
  [
    "selectable fields of one of two versions",
    definitionOf(
      spec({
        versions: [
          version({}),
          version({ name: "v2", storage: false, selectableFields: [{ jsonPath: ".x" }] }),
        ],
      }),
    ),
    [
      'spec.versions[1].selectableFields: Invalid value: "": may only be set when ' +
        "`version.schema.openAPIV3Schema` is not included",
    ],
  ],
  [
    "selectable fields without a schema",
    definitionOf(
      spec({
        versions: [version({ schema: null, selectableFields: [{ jsonPath: ".spec.size" }] })],
      }),
    ),
    [
      "spec.versions[0].schema.openAPIV3Schema: Required value",
      'spec.selectableFields: Invalid value: "": may only be set when ' +
        "validations.schema is included",
    ],
  ],
  [
    "selectable fields of one version without a schema",
    definitionOf(
      spec({
        versions: [
          version({}),
          version({
            name: "v2",
            storage: false,
            schema: null,
            selectableFields: [{ jsonPath: ".spec.size" }],
          }),
        ],
      }),
    ),
    [
      "spec.versions[1].schema.openAPIV3Schema: Required value",
      'spec.versions[1].selectableFields: Invalid value: "": may only be set when ' +
        "`version.schema.openAPIV3Schema` is not included",
    ],
  ],
];

for (const [title, definition, errors] of bad) {
  test(`refused as Kubernetes does: ${title}`, () => {
    const found = definitionErrors(defaultDefinition(definition));
    assert.deepEqual(found.map(fieldErrorText), errors);
  });
}
