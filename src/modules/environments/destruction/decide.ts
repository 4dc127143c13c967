// When an Environment with a planned destruction is reminded of, announced and destroyed. Pure.

import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { isTrueAt, objectAt } from "../../../kernel/json-read.ts";

export interface DestructionFacts {
  readonly dueMs: number;
  readonly nowMs: number;
  readonly onDue: "Destroy" | "Keep";
  readonly isProtected: boolean;
  /** Seconds before the date. */
  readonly remindSeconds: readonly number[] | undefined;
  /** The times of the reminders and reports that were sent. */
  readonly reminded: readonly number[];
  readonly announcedMs: number | undefined;
  readonly graceMs: number;
}

export type DestructionStep =
  | { readonly kind: "wait"; readonly againMs: number | undefined }
  | { readonly kind: "remind"; readonly reminderMs: number }
  | { readonly kind: "report"; readonly reason: "DestructionSkipped" | "DestructionKept" }
  | { readonly kind: "announce" }
  | { readonly kind: "destroy"; readonly isOverdue: boolean };

/** Two days, two hours, half an hour. */
const defaultReminders = [172_800, 7_200, 1_800];
/** A date that is noticed later than this passed while no server ran. */
const punctualMs = 60_000;

export function decideDestruction(facts: DestructionFacts): DestructionStep {
  const { dueMs, nowMs, isProtected, onDue, reminded } = facts;
  if (nowMs < dueMs) return beforeDate(facts);
  if (isProtected || onDue === "Keep") {
    if (reminded.some((at) => at >= dueMs)) return { kind: "wait", againMs: undefined };
    return { kind: "report", reason: isProtected ? "DestructionSkipped" : "DestructionKept" };
  }
  const { announcedMs = 0, graceMs } = facts;
  // An announcement before the date was for an earlier date.
  const isAnnounced = announcedMs >= dueMs;
  const isOverdue = nowMs - dueMs > punctualMs || isAnnounced;
  if (!isOverdue) return { kind: "destroy", isOverdue };
  if (!isAnnounced) return { kind: "announce" };
  const leftMs = announcedMs + graceMs - nowMs;
  return leftMs > 0 ? { kind: "wait", againMs: leftMs } : { kind: "destroy", isOverdue };
}

/** One reminder for the latest time that has passed: those before it are not sent late. */
function beforeDate(facts: DestructionFacts): DestructionStep {
  const { dueMs, nowMs, reminded, remindSeconds = defaultReminders } = facts;
  const times = remindSeconds.map((seconds) => dueMs - seconds * 1_000).toSorted((a, b) => a - b);
  const passed = times.findLast((at) => at <= nowMs);
  if (passed !== undefined && !reminded.some((at) => at >= passed)) {
    return { kind: "remind", reminderMs: passed };
  }
  const next = times.find((at) => at > nowMs) ?? dueMs;
  return { kind: "wait", againMs: next - nowMs };
}

/** Whether the date that came is still planned: it may have been moved, cleared or protected. */
export function isStillPlanned(spec: JsonObject, planned: JsonObject): boolean {
  return equalJson(objectAt(spec, "plannedDestruction"), planned) && !isTrueAt(spec, "protected");
}
