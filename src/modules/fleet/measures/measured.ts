// What the metrics know about one instance or cluster, and what they count when it changes. Pure.

import type { Resource } from "../../../kernel/resource.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import { isTrueAt } from "../../../kernel/json-read.ts";
import { shownPhase } from "../api/shown-phase.ts";
import { readCluster } from "../clusters/cluster.ts";
import { isLeaving } from "../clusters/phases.ts";
import { isEnding } from "../lifecycle/phases.ts";

export interface Measured {
  /** The shown phase of an instance, or the phase of a cluster. */
  readonly status: string;
  readonly createdMs: number;
  /** When the deletion was requested. */
  readonly deletedMs: number | undefined;
  readonly isEnding: boolean;
  /** Whether it was ever ready: its creation has ended then. */
  readonly hasBeenReady: boolean;
}

export interface MeasuredInstance extends Measured {
  /** An instance of a probe, which is not measured with those of customers. */
  readonly isInternal: boolean;
  readonly cluster: string;
  readonly versions: readonly MeasuredVersion[];
}

export interface MeasuredVersion {
  readonly component: string;
  readonly type: "actual" | "desired" | "upgrade";
  readonly version: string;
}

export function measuredInstance(resource: Resource): MeasuredInstance {
  const { metadata, spec, status } = resource;
  const phase = shownPhase(textAt(status, "phase"), metadata.deletionTimestamp !== undefined);
  return {
    ...agesOf(resource),
    status: phase,
    isEnding: isEnding(phase),
    isInternal: isTrueAt(spec, "isInternal"),
    cluster: textAt(status, "placement", "cluster"),
    versions: ["product", "operator"].flatMap((component) => versionsOf(status, component)),
  };
}

export function measuredCluster(resource: Resource): Measured {
  const { phase, isDeleting } = readCluster(resource);
  return { ...agesOf(resource), status: phase, isEnding: isDeleting || isLeaving(phase) };
}

function agesOf({ metadata, status }: Resource): Omit<Measured, "status" | "isEnding"> {
  const { creationTimestamp, deletionTimestamp } = metadata;
  return {
    createdMs: Date.parse(creationTimestamp),
    deletedMs: deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp),
    // The engine records the first time that the condition Ready was true.
    hasBeenReady: presentObjectAt(status, "reconcile", "succeeded") !== undefined,
  };
}

function versionsOf(status: unknown, component: string): readonly MeasuredVersion[] {
  const text = (of: string): string => textAt(objectAt(status as Resource, of), component);
  const [actual, desired] = [text("actualVersions"), text("desiredVersions")];
  const isUpgrading = isTrueAt(objectAt(status as Resource, "upgrading"), component);
  const all: readonly MeasuredVersion[] = [
    { component, type: "actual", version: actual },
    { component, type: "desired", version: desired },
    { component, type: "upgrade", version: isUpgrading ? desired : "" },
  ];
  return all.filter(({ version }) => version !== "");
}

export type Operation = "create" | "deprovision" | "delete";

export interface Counted {
  /** Operations that ended, each with its result. */
  readonly operations: readonly EndedOperation[];
  /** The age at which a new status was reached. */
  readonly reached: { readonly status: string; readonly ageSeconds: number } | undefined;
}

export interface EndedOperation {
  readonly operation: Operation;
  readonly isSuccess: boolean;
  /** False: a failure was counted before, and the operation has succeeded since. */
  readonly isNew: boolean;
  /** Of a success, where its beginning is known. */
  readonly seconds: number | undefined;
}

const none: Counted = { operations: [], reached: undefined };

/** `after` is undefined when the resource was removed. */
export function countedChange(
  before: Measured | undefined,
  after: Measured | undefined,
  atMs: number,
): Counted {
  if (after === undefined) return before === undefined ? none : countedRemoval(before, atMs);
  const operations: EndedOperation[] = [];
  const creation = endedCreation(before, after, atMs);
  if (creation !== undefined) operations.push(creation);
  if (after.isEnding && before?.isEnding !== true) {
    const success = { isSuccess: true, isNew: true, seconds: undefined };
    operations.push({ operation: "deprovision", ...success });
  }
  const ageSeconds = secondsBetween(after.createdMs, atMs);
  const isReached = before?.status !== after.status;
  return { operations, reached: isReached ? { status: after.status, ageSeconds } : undefined };
}

/** The first time that it is ready or failed. A failed creation may still succeed. */
function endedCreation(
  before: Measured | undefined,
  after: Measured,
  atMs: number,
): EndedOperation | undefined {
  if (before?.hasBeenReady === true || before?.status === after.status) return undefined;
  if (after.status === "ready") {
    const seconds = secondsBetween(after.createdMs, atMs);
    const isNew = before?.status !== "failed";
    return { operation: "create", isSuccess: true, isNew, seconds };
  }
  if (after.status !== "failed" || after.hasBeenReady) return undefined;
  return { operation: "create", isSuccess: false, isNew: true, seconds: undefined };
}

function countedRemoval({ deletedMs }: Measured, atMs: number): Counted {
  const seconds = deletedMs === undefined ? undefined : secondsBetween(deletedMs, atMs);
  const removal: EndedOperation = { operation: "delete", isSuccess: true, isNew: true, seconds };
  return { operations: [removal], reached: undefined };
}

function secondsBetween(fromMs: number, toMs: number): number {
  return Math.max(0, toMs - fromMs) / 1_000;
}
