// Reads what was reported in a document. Anybody may have written it: what has not its shape counts
// as absent, and texts are cut to a length that people still read.

import { isCurrentCondition, observedGeneration } from "../../kernel/current-conditions.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";

export interface Report {
  readonly status: string;
  readonly reason: string;
  /** The reason and the message; undefined when there is neither. */
  readonly text: string | undefined;
  /** Which spec it is about, as far as it or the status says so. */
  readonly generation: number | undefined;
  readonly isCurrent: boolean;
}

/** A condition as it was reported. */
export function reported(resource: Resource, type: string): Report | undefined {
  const conditions = objectsAt(resource.status, "conditions");
  const found = conditions.find((condition) => textAt(condition, "type") === type);
  if (found === undefined) return undefined;
  const reason = textAt(found, "reason");
  const parts = [reason, textAt(found, "message")];
  const text = parts.filter((part) => part !== "").join(": ");
  return {
    status: textAt(found, "status"),
    reason,
    text: text === "" ? undefined : cut(text),
    generation: observedGeneration(resource, found),
    isCurrent: isCurrentCondition(resource, found),
  };
}

/** The engine's part of the status. */
export function reconcileOf(resource: Resource): JsonObject {
  return objectAt(resource.status, "reconcile");
}

/** Whether the last run was about the spec as it is now. */
export function isCurrent(resource: Resource): boolean {
  const observed = numberAt(resource.status, "observedGeneration");
  return observed === undefined || observed >= resource.metadata.generation;
}

export function annotationOf({ metadata }: Resource, name: string): string | undefined {
  const text = textAt(metadata, "annotations", name);
  return text === "" ? undefined : text;
}

/** Set on an owner that shall go after what it owns. */
export const foreground = "foregroundDeletion";

export function finalizersOf({ metadata }: Resource): readonly string[] {
  return textsAt(metadata, "finalizers");
}

/** Milliseconds until a time that was written down; undefined when it is none. */
export function untilTime(text: string, nowMs: number): number | undefined {
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}

const longestText = 1_000;

export function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}...`;
}

const mostNamed = 3;

/** "a", "a and b", "a, b, c and 2 more". */
export function listText(items: readonly string[]): string {
  const named = items.slice(0, mostNamed);
  const more = items.length - named.length;
  if (more > 0) return `${named.join(", ")} and ${more} more`;
  const last = named.at(-1) ?? "nothing";
  return named.length < 2 ? last : `${named.slice(0, -1).join(", ")} and ${last}`;
}
