// Events: an event lies in the namespace of what it is about. Events with an eventTime are held to
// more, and those that come through events.k8s.io must not use what that shape calls deprecated.
// Errors name the fields of the core shape, as clients have always seen them.

import { invalidField, requiredField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { equalJson, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import { numberAt, textAt, valueAt } from "../../kernel/json-read.ts";
import { labelKeyProblems } from "../../kernel/labels.ts";
import { subdomainProblems } from "../../kernel/names.ts";
import type { Resource } from "../../kernel/resource.ts";
import { toCoreEvent } from "./event-shapes.ts";
import type { KindRules } from "./rules.ts";
import { invalidEach } from "./syntax-checks.ts";

const maxWordBytes = 128;
const maxNoteBytes = 1_024;

/** Any name will do that fits into a path: old clients use all of them. */
export const eventRules: KindRules = {
  nameProblems: () => [],
  allowsCreateOnUpdate: true,
  validateCreate: (event) => baseErrors(event, "reportingComponent"),
  validateUpdate: (event) => baseErrors(event, "reportingComponent"),
};

export const newEventRules: KindRules = {
  nameProblems: subdomainProblems,
  allowsCreateOnUpdate: true,
  validateCreate(given) {
    const event = toCoreEvent(given);
    return [...baseErrors(event, "reportingController"), ...strictErrors(event)];
  },
  validateUpdate(given, before) {
    const event = toCoreEvent(given);
    const old = toCoreEvent(before);
    const isSameSeries = equalJson(series(event) ?? null, series(old) ?? null);
    return [
      ...baseErrors(event, "reportingController"),
      ...(isSameSeries ? [] : seriesErrors(event)),
      ...fixedErrors(event, old),
    ];
  },
};

function baseErrors(event: Resource, reporter: string): readonly FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  const own = subdomainProblems(namespace).map((text) =>
    invalidField("namespace", namespace, text),
  );
  const isNew = valueAt(event, "eventTime") !== undefined;
  return [...(isNew ? newStyleErrors(event, reporter) : placeErrors(event)), ...own];
}

function placeErrors(event: Resource): readonly FieldError[] {
  const { namespace = "" } = event.metadata;
  const involved = textAt(event, "involvedObject", "namespace");
  const isRight =
    involved === "" ? namespace === "" || namespace === "default" : namespace === involved;
  return isRight ? [] : [misplaced(involved)];
}

function newStyleErrors(event: Resource, reporter: string): readonly FieldError[] {
  const { namespace = "" } = event.metadata;
  const involved = textAt(event, "involvedObject", "namespace");
  const errors: FieldError[] = [];
  if (involved === "" && namespace !== "default" && namespace !== "kube-system") {
    errors.push(misplaced(involved));
  }
  const controller = textAt(event, "reportingComponent");
  if (controller === "") errors.push(requiredField(reporter));
  errors.push(...invalidEach(reporter, controller, labelKeyProblems(controller)));
  for (const name of ["reportingInstance", "action", "reason"]) {
    const text = textAt(event, name);
    if (text === "") errors.push(requiredField(name));
    errors.push(...lengthErrors(name, text, maxWordBytes));
  }
  return [...errors, ...lengthErrors("message", textAt(event, "message"), maxNoteBytes)];
}

function lengthErrors(field: string, text: string, max: number): readonly FieldError[] {
  if (Buffer.byteLength(text) <= max) return [];
  return [invalidField(field, "", `can have at most ${max} characters`)];
}

function strictErrors(event: Resource): readonly FieldError[] {
  const errors = [...seriesErrors(event)];
  const type = textAt(event, "type");
  if (valueAt(event, "eventTime") === undefined) errors.push(requiredField("eventTime"));
  if (type !== "Normal" && type !== "Warning") {
    errors.push(invalidField("type", "", `has invalid value: ${type}`));
  }
  const hasSource = ["component", "host"].some((name) => textAt(event, "source", name) !== "");
  const unwanted: readonly (readonly [field: string, isThere: boolean])[] = [
    ["firstTimestamp", valueAt(event, "firstTimestamp") !== undefined],
    ["lastTimestamp", valueAt(event, "lastTimestamp") !== undefined],
    ["count", (numberAt(event, "count") ?? 0) !== 0],
    ["source", hasSource],
  ];
  for (const [field, isThere] of unwanted) {
    if (isThere) errors.push(invalidField(field, "", "needs to be unset"));
  }
  return errors;
}

function seriesErrors(event: Resource): readonly FieldError[] {
  if (series(event) === undefined) return [];
  const errors: FieldError[] = [];
  if ((numberAt(event, "series", "count") ?? 0) < 2) {
    errors.push(invalidField("series.count", "", "should be at least 2"));
  }
  if (valueAt(event, "series", "lastObservedTime") === undefined) {
    errors.push(requiredField("series.lastObservedTime"));
  }
  return errors;
}

/** In the order in which they are judged; the reason is judged twice, as it always was. */
const fixedFields: readonly (readonly [name: string, empty: Json])[] = [
  ["involvedObject", null],
  ["reason", ""],
  ["message", ""],
  ["source", null],
  ["firstTimestamp", null],
  ["lastTimestamp", null],
  ["count", 0],
  ["reason", ""],
  ["type", ""],
  ["eventTime", null],
  ["action", ""],
  ["related", null],
  ["reportingComponent", ""],
  ["reportingInstance", ""],
];

/** Only the series of an event may go on changing. */
function fixedErrors(event: Resource, old: Resource): readonly FieldError[] {
  return fixedFields
    .filter(([name, empty]) => {
      return !equalJson(valueAt(event, name) ?? empty, valueAt(old, name) ?? empty);
    })
    .map(([name, empty]) => {
      const field = name === "reportingComponent" ? "reportingController" : name;
      return invalidField(field, shown(name, valueAt(event, name) ?? empty), "field is immutable");
    });
}

/** Whole objects are quoted with all fields of the server's own types, set or not. */
function shown(name: string, value: Json): Json {
  if (!isJsonObject(value)) return value;
  const fields = name === "source" ? sourceFields : referenceFields;
  return Object.fromEntries(fields.map(([key, spelled]) => [spelled, textAt(value, key)]));
}

const sourceFields = [
  ["component", "Component"],
  ["host", "Host"],
] as const;
const referenceFields = [
  ["kind", "Kind"],
  ["namespace", "Namespace"],
  ["name", "Name"],
  ["uid", "UID"],
  ["apiVersion", "APIVersion"],
  ["resourceVersion", "ResourceVersion"],
  ["fieldPath", "FieldPath"],
] as const;

function series(event: Resource): Json | undefined {
  return valueAt(event, "series");
}

function misplaced(namespace: string): FieldError {
  return invalidField("involvedObject.namespace", namespace, "does not match event.namespace");
}
