// The next step of a Probe in one region, from facts alone. Pure.

import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Probe, ProbeRun, Verdict } from "./probe.ts";

export interface ProbeFacts {
  readonly probe: Pick<Probe, "intervalMs" | "timeoutMs" | "verify" | "isPaused">;
  readonly run: ProbeRun;
  /** The region is still one of the Probe, and the Probe is not being deleted. */
  readonly isWanted: boolean;
  /** The instance of the run; undefined when it does not exist. */
  readonly instance: Resource | undefined;
  readonly nowMs: number;
}

export type ProbeStep =
  /** Remembers the name of a new instance, before it is created. */
  | { readonly kind: "begin" }
  | { readonly kind: "create" }
  /** Sends the request that verifies the instance, if there is one. */
  | { readonly kind: "verify" }
  | { readonly kind: "judge"; readonly verdict: Verdict }
  | { readonly kind: "delete" }
  /** The deletion takes too long. */
  | { readonly kind: "late" }
  /** The instance does not exist any more. */
  | { readonly kind: "end" }
  /** Nothing to do before the instance changes, or until `againMs`. */
  | { readonly kind: "rest"; readonly againMs: number | undefined };

export function decideProbe(facts: ProbeFacts): ProbeStep {
  const { probe, run, isWanted, instance, nowMs } = facts;
  if (run.instance === undefined) {
    if (!isWanted || probe.isPaused) return { kind: "rest", againMs: undefined };
    const nextAtMs = run.startedAtMs + probe.intervalMs;
    return nowMs < nextAtMs ? { kind: "rest", againMs: nextAtMs - nowMs } : { kind: "begin" };
  }
  if (run.verdict !== undefined) return ending(facts);
  if (!isWanted) {
    const reason = "the Probe does not cover the region any more";
    return { kind: "judge", verdict: { result: "success", reason } };
  }
  const endMs = run.startedAtMs + probe.timeoutMs;
  if (nowMs >= endMs) return failed(`not ready and verified after ${seconds(probe.timeoutMs)}`);
  if (instance === undefined) return { kind: "create" };
  const phase = textAt(instance.status, "phase");
  if (instance.metadata.deletionTimestamp !== undefined) {
    return failed("the instance was deleted by another client");
  }
  if (phase === "failed") {
    return failed(`the instance failed: ${textAt(instance.status, "failedReason")}`);
  }
  if (phase === "ready") return { kind: "verify" };
  return { kind: "rest", againMs: endMs - nowMs };
}

function ending({ probe, run, instance, nowMs }: ProbeFacts): ProbeStep {
  if (instance === undefined) return { kind: "end" };
  const isDeleting = instance.metadata.deletionTimestamp !== undefined;
  if (!isDeleting || run.deletingAtMs === undefined) return { kind: "delete" };
  const lateMs = run.deletingAtMs + probe.timeoutMs;
  if (run.isLate) return { kind: "rest", againMs: undefined };
  return nowMs >= lateMs ? { kind: "late" } : { kind: "rest", againMs: lateMs - nowMs };
}

function failed(reason: string): ProbeStep {
  return { kind: "judge", verdict: { result: "failure", reason } };
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
