// Columns of events. Events are served in two shapes that mean the same; both show the same cells,
// and both fall back on each other's idea of time: a series, a last time, a first time, one time.

import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt, valueAt } from "../../../kernel/json-read.ts";
import { ageAt, column, nameColumn, prose } from "./column.ts";
import type { Column } from "./column.ts";

export function coreEventColumns(): readonly Column[] {
  return eventColumns({
    about: "involvedObject",
    message: "message",
    first: "firstTimestamp",
    last: "lastTimestamp",
    count: "count",
    source: "source",
    controller: "reportingComponent",
  });
}

export function newEventColumns(): readonly Column[] {
  return eventColumns({
    about: "regarding",
    message: "note",
    first: "deprecatedFirstTimestamp",
    last: "deprecatedLastTimestamp",
    count: "deprecatedCount",
    source: "deprecatedSource",
    controller: "reportingController",
  });
}

interface EventFields {
  readonly about: string;
  readonly message: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly source: string;
  readonly controller: string;
}

const descriptions = {
  last: "The time at which the most recent occurrence of this event was recorded.",
  type: "Type of this event (Normal, Warning), new types could be added in the future",
  reason: prose(
    "This should be a short, machine understandable string that gives the reason for the ",
    "transition into the object's current status.",
  ),
  object: "The object that this event is about.",
  subobject: prose(
    "If referring to a piece of an object instead of an entire object, this string should ",
    "contain a valid JSON/Go field access statement, such as ",
    "desiredState.manifest.containers[2]. For example, if the object reference is to a ",
    'container within a pod, this would take on a value like: "spec.containers{name}" ',
    '(where "name" refers to the name of the container that triggered the event) or if no ',
    'container name is specified "spec.containers[2]" (container with index 2 in this ',
    "pod). This syntax is chosen only to have some well-defined way of referencing a part ",
    "of an object.",
  ),
  source: "The component reporting this event. Should be a short machine understandable string.",
  message: "A human-readable description of the status of this operation.",
  first: "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
  count: "The number of times this event has occurred.",
} as const;

function eventColumns(fields: EventFields): readonly Column[] {
  const text = (name: string, description: string, cell: Column["cell"], priority = 0): Column =>
    column({ name, type: "string", description, priority }, cell);
  return [
    text("Last Seen", descriptions.last, (event, nowMs) => lastSeen(event, fields, nowMs)),
    text("Type", descriptions.type, (event) => textAt(event, "type")),
    text("Reason", descriptions.reason, (event) => textAt(event, "reason")),
    text("Object", descriptions.object, (event) => targetText(objectAt(event, fields.about))),
    text(
      "Subobject",
      descriptions.subobject,
      (event) => textAt(event, fields.about, "fieldPath"),
      1,
    ),
    text("Source", descriptions.source, (event) => sourceText(event, fields), 1),
    text("Message", descriptions.message, (event) => textAt(event, fields.message).trim()),
    text("First Seen", descriptions.first, (event, nowMs) => firstSeen(event, fields, nowMs), 1),
    text("Count", descriptions.count, (event) => occurrences(event, fields), 1),
    nameColumn(1),
  ];
}

function firstSeen(event: JsonObject, { first }: EventFields, nowMs: number): string {
  return ageAt(event, nowMs, textAt(event, first) === "" ? "eventTime" : first);
}

function lastSeen(event: JsonObject, fields: EventFields, nowMs: number): string {
  if (isJsonObject(valueAt(event, "series"))) {
    return ageAt(event, nowMs, "series", "lastObservedTime");
  }
  if (textAt(event, fields.last) === "") return firstSeen(event, fields, nowMs);
  return ageAt(event, nowMs, fields.last);
}

function occurrences(event: JsonObject, { count }: EventFields): number {
  const series = valueAt(event, "series");
  const counted = isJsonObject(series) ? valueAt(series, "count") : valueAt(event, count);
  if (isJsonObject(series)) return typeof counted === "number" ? counted : 0;
  // An event without a series happened once, whether it says so or not.
  return typeof counted === "number" && counted !== 0 ? counted : 1;
}

function targetText(target: JsonObject): string {
  const kind = textAt(target, "kind").toLowerCase();
  const name = textAt(target, "name");
  return name === "" ? kind : `${kind}/${name}`;
}

function sourceText(event: JsonObject, { source, controller }: EventFields): string {
  const component = textAt(event, source, "component") || textAt(event, controller);
  const instance = textAt(event, source, "host") || textAt(event, "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}
