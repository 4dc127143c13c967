// Events have two shapes over one store: the core shape is what is stored, the one of
// events.k8s.io names the same fields differently. Both functions keep what neither shape names.

import { setOwn } from "../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../kernel/json.ts";

/** Names in the core shape and in the newer one; all other fields have one name. */
const pairs = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
] as const;

const toNew: ReadonlyMap<string, string> = new Map(pairs);
const toCore: ReadonlyMap<string, string> = new Map(pairs.map(([core, fresh]) => [fresh, core]));

const newEventApiVersion = "events.k8s.io/v1";

/** An event of events.k8s.io/v1 in the shape of the core group. */
export function toCoreEvent<T extends JsonObject>(event: T): T {
  return renamed(event, toCore, "v1");
}

/** An event of the core group in the shape of events.k8s.io/v1. */
export function toNewEvent<T extends JsonObject>(event: T): T {
  return renamed(event, toNew, newEventApiVersion);
}

function renamed<T extends JsonObject>(
  event: T,
  names: ReadonlyMap<string, string>,
  apiVersion: string,
): T {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(event)) {
    setOwn(result, names.get(name) ?? name, name === "apiVersion" ? apiVersion : value);
  }
  // Both shapes are events; metadata, kind and apiVersion are where they were.
  return result as T;
}
