// Which changes of a resource are worth an Event: those that a person who looks later wants to
// know, and not every try. Pure: derived from the document before and after a report, so that two
// processes that report the same tell the same. Runs tell more by themselves (their steps, and what
// their author says); how often the same may be told is in event-rate.ts.

import { findCondition } from "../../kernel/conditions.ts";
import type { Condition } from "../../kernel/conditions.ts";
import { isHeldByEngine } from "../../kernel/engine-finalizers.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import type { EngineEvent } from "../ports.ts";
import type { Resource } from "../../kernel/resource.ts";
import {
  conditionsOf,
  deletingReason,
  readyType,
  reconcileStatusOf,
  statusOf,
  syncedType,
  textOf,
  waitingReason,
} from "../run/status.ts";

export type EventText = Pick<EngineEvent, "type" | "reason" | "message">;

/** Reasons of the condition Synced that have a meaning here. */
export const pausedReason = "ReconcilePaused";
/** Over within seconds, and no more than a matter of load. */
const passingReason = "Busy";
const maxShownToken = 64;

/** What happened between two states of a resource; `after` is its last state when it is gone. */
export function eventsBetween(before: Resource, after: Resource): readonly EventText[] {
  const events = [
    ...syncedEvents(before, after),
    ...readyEvents(before, after),
    ...requestEvents(before, after),
    ...deletionEvents(before, after),
  ];
  return events.filter(
    (event, at) => !events.slice(0, at).some((other) => isSameText(event, other)),
  );
}

function syncedEvents(before: Resource, after: Resource): readonly EventText[] {
  const old = conditionOf(before, syncedType);
  const now = conditionOf(after, syncedType);
  if (now === undefined) return [];
  if (old?.status === now.status && old.reason === now.reason) {
    return isReminder(before, after) ? [warning(now.reason, lastingText(now))] : [];
  }
  if (now.reason === pausedReason) return [normal("Paused", now.message)];
  const resumed = old?.reason === pausedReason ? [normal("Resumed", "reconciliation resumed")] : [];
  if (now.status !== "False") {
    const hadFailed = old?.status === "False" && old.reason !== passingReason;
    // What goes has not come to work again: that it is released says all.
    const isGoing = after.metadata.deletionTimestamp !== undefined;
    if (!hadFailed || isGoing || resumed.length > 0) return resumed;
    return [normal("Recovered", `ready again after ${old.reason}`)];
  }
  if (now.reason === passingReason) return resumed;
  return [...resumed, warning(now.reason, lastingText(now))];
}

/** Without the time of the next try, which would make another Event of each. */
function lastingText({ reason, message }: Condition): string {
  return reason === "CircuitOpen" ? (message.split(": ", 1)[0] ?? message) : message;
}

/** Events are kept for an hour: what goes on failing is told again, though not with each try. */
function isReminder(before: Resource, after: Resource): boolean {
  const [old = 0, now = 0] = [before, after].map(
    (resource) => reconcileStatusOf(statusOf(resource)).attempts,
  );
  return now > old && (now > 8 || Number.isInteger(Math.log2(now)));
}

function readyEvents(before: Resource, after: Resource): readonly EventText[] {
  const old = conditionOf(before, readyType);
  const now = conditionOf(after, readyType);
  if (now === undefined) return [];
  if (old?.status !== "True" && now.reason === waitingReason && old?.reason !== waitingReason) {
    return [normal(waitingReason, now.message || blockersText(after))];
  }
  if (old?.status === now.status) return [];
  if (now.status === "True") return [normal(now.reason, now.message || "the resource is ready")];
  // At its beginning nothing is ready, and at its end nothing will be.
  if (old?.status !== "True" || after.metadata.deletionTimestamp !== undefined) return [];
  return [warning(now.reason, now.message || "the resource is no longer ready")];
}

function blockersText(resource: Resource): string {
  const blockers = objectsAt(resource.status, "reconcile", "waitingFor");
  const [first, ...others] = blockers.map(
    (each) => `${textAt(each, "kind")}/${textAt(each, "name")}`,
  );
  if (first === undefined) return "waits for a condition that the reconciler does not name";
  return others.length === 0
    ? `waits for ${first}`
    : `waits for ${first} and ${others.length} more`;
}

function requestEvents(before: Resource, after: Resource): readonly EventText[] {
  const old = reconcileStatusOf(statusOf(before)).handledRequest;
  const now = textOf(reconcileStatusOf(statusOf(after)).handledRequest);
  if (now === undefined || now === old) return [];
  return [normal("RequestHandled", `the request ${now.slice(0, maxShownToken)} was handled`)];
}

function deletionEvents(before: Resource, after: Resource): readonly EventText[] {
  if (after.metadata.deletionTimestamp === undefined) return [];
  if (isHeldByEngine(before) && !isHeldByEngine(after)) {
    return [normal("Released", "the finalizer was removed")];
  }
  const hasBegun = conditionOf(before, readyType)?.reason === deletingReason;
  const isBegun = conditionOf(after, readyType)?.reason === deletingReason;
  return isBegun && !hasBegun ? [normal("Deleting", "deletion started")] : [];
}

function conditionOf(resource: Resource, type: string): Condition | undefined {
  return findCondition(conditionsOf(statusOf(resource)), type);
}

function isSameText(one: EventText, other: EventText): boolean {
  return one.reason === other.reason && one.message === other.message;
}

function normal(reason: string, message: string): EventText {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): EventText {
  return { type: "Warning", reason, message };
}
