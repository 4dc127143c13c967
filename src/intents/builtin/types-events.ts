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

export const eventSeries = message(`${prefix}.EventSeries`, "Repetitions of an event.", {
  count: [1, required(int32), "How often it happened."],
  lastObservedTime: [2, required(microTime), "When it was last seen."],
});

export const event = message(`${prefix}.Event`, "Something that happened to an object.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  eventTime: [2, required(microTime), "When it was first seen, in microseconds."],
  series: [3, optional(of(eventSeries)), "Facts about repetitions, if there are any."],
  reportingController: [4, string, "The controller that reported."],
  reportingInstance: [5, string, "Which instance of the reporter it was."],
  action: [6, string, "What was done or failed."],
  reason: [7, string, "One CamelCase word that says why."],
  regarding: [8, of(objectReference), "The object that the event is about."],
  related: [9, optional(of(objectReference)), "A second object that has to do with it."],
  note: [10, string, "A sentence for people."],
  type: [11, string, "Normal or Warning."],
  deprecatedSource: [12, of(eventSource), "Kept for the older form of events."],
  deprecatedFirstTimestamp: [13, always(time), "Kept for the older form of events."],
  deprecatedLastTimestamp: [14, always(time), "Kept for the older form of events."],
  deprecatedCount: [15, int32, "Kept for the older form of events."],
});
