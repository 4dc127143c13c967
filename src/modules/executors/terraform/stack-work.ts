// What a TerraformStack needs now. Pure.

import { annotations } from "../../../kernel/annotations.ts";
import { isTrueAt, numberAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorsGroup } from "../group.ts";

export const checkDriftAnnotation = "environments.setpoint.dev/check-drift";
export const reconcileDriftAnnotation = "environments.setpoint.dev/reconcile-drift";
export const restoreAnnotation = `${executorsGroup}/restore-state`;

/** The values of the annotations that the work answers; they are stored when it is done. */
export interface HandledRequests {
  readonly checkDrift?: string;
  readonly reconcileDrift?: string;
  readonly restore?: string;
  readonly reconcile?: string;
}

export type StackWork =
  | { readonly kind: "apply"; readonly handled: HandledRequests }
  | { readonly kind: "checkDrift"; readonly handled: HandledRequests }
  | { readonly kind: "restore"; readonly version: string; readonly handled: HandledRequests }
  | { readonly kind: "none"; readonly nextMs: number | undefined };

export function decideStackWork(stack: Resource, nowMs: number): StackWork {
  const { annotations: given = {}, generation } = stack.metadata;
  const handledOf = (name: string): string => textAt(stack, "status", "requests", name);
  const asked = (annotation: string, name: string): string | undefined => {
    const value = given[annotation] ?? "";
    return value === "" || value === handledOf(name) ? undefined : value;
  };
  const restore = asked(restoreAnnotation, "restore");
  if (restore !== undefined) return { kind: "restore", version: restore, handled: { restore } };
  const handled = {
    ...present("checkDrift", asked(checkDriftAnnotation, "checkDrift")),
    ...present("reconcileDrift", asked(reconcileDriftAnnotation, "reconcileDrift")),
    ...present("reconcile", asked(annotations.request, "reconcile")),
  };
  const isApplied = numberAt(stack, "status", "appliedGeneration") === generation;
  const isDrifted = textAt(stack, "status", "drift", "state") === "Drifted";
  const isRepaired = isDrifted && isTrueAt(stack, "spec", "drift", "reconcile");
  const isAsked = handled.reconcileDrift !== undefined || handled.reconcile !== undefined;
  if (!isApplied || isAsked || isRepaired) return { kind: "apply", handled };
  const dueMs = driftDueMs(stack);
  if (handled.checkDrift !== undefined || (dueMs !== undefined && nowMs >= dueMs)) {
    return { kind: "checkDrift", handled };
  }
  return { kind: "none", nextMs: dueMs === undefined ? undefined : dueMs - nowMs };
}

/** When drift is checked next; undefined: only on request. */
function driftDueMs(stack: Resource): number | undefined {
  const seconds = numberAt(stack, "spec", "drift", "intervalSeconds") ?? 0;
  if (seconds === 0) return undefined;
  const last =
    textAt(stack, "status", "drift", "checkedAt") || textAt(stack, "status", "appliedAt");
  return (last === "" ? 0 : Date.parse(last)) + seconds * 1_000;
}

function present<K extends string>(
  name: K,
  value: string | undefined,
): { readonly [key in K]?: string } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [key in K]?: string });
}
