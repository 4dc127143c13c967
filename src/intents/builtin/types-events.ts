// Events in their newer shape; event-shapes.ts turns one shape into the other.

import {
  always,
  int32,
  message,
  microTime,
  of,
  optional,
  required,
  string,
  time,
} from "./message.ts";
import { eventSource, objectReference } from "./types-core.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.events.v1";

export const eventSeries = message(`${prefix}.EventSeries`, "A series of repeated events.", {
  count: [1, required(int32), "Number of occurrences."],
  lastObservedTime: [2, required(microTime), "Time of the last occurrence."],
});

export const event = message(`${prefix}.Event`, "Something that happened to an object.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  eventTime: [2, required(microTime), "Time of the first occurrence, in microseconds."],
  series: [3, optional(of(eventSeries)), "Data about repetitions, if any."],
  reportingController: [4, string, "Name of the reporting controller."],
  reportingInstance: [5, string, "Instance of the reporting controller."],
  action: [6, string, "Action that was taken or failed."],
  reason: [7, string, "Machine-readable reason in CamelCase."],
  regarding: [8, of(objectReference), "The object that the event is about."],
  related: [9, optional(of(objectReference)), "A related object."],
  note: [10, string, "Human-readable message."],
  type: [11, string, "Normal or Warning."],
  deprecatedSource: [12, of(eventSource), "Deprecated: for compatibility with core/v1 events."],
  deprecatedFirstTimestamp: [
    13,
    always(time),
    "Deprecated: for compatibility with core/v1 events.",
  ],
  deprecatedLastTimestamp: [14, always(time), "Deprecated: for compatibility with core/v1 events."],
  deprecatedCount: [15, int32, "Deprecated: for compatibility with core/v1 events."],
});
