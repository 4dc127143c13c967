// Status conditions after the Kubernetes conventions: one per type, in the order first set, and
// lastTransitionTime moves only when the status does. Setting what is already there returns the
// same list, so that a reconciler which says the same thing twice causes no write.

import { timeText } from "./clock.ts";
import type { Json } from "./json.ts";

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  /** One CamelCase word for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
  readonly [key: string]: Json;
}

/** A condition as a reconciler states it: the time is derived. */
export interface ConditionInput {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

export function setCondition(
  conditions: readonly Condition[],
  input: ConditionInput,
  nowMs: number,
): readonly Condition[] {
  const old = findCondition(conditions, input.type);
  if (old !== undefined && says(old, input)) return conditions;
  const isSame = old?.status === input.status;
  const lastTransitionTime = isSame ? old.lastTransitionTime : timeText(nowMs);
  const next: Condition = { ...input, lastTransitionTime };
  if (old === undefined) return [...conditions, next];
  return conditions.map((condition) => (condition === old ? next : condition));
}

/** Whether all of it is there already, and nothing else but the time. */
function says(old: Condition, input: ConditionInput): boolean {
  if (!Object.hasOwn(old, "lastTransitionTime")) return false;
  for (const key in input) {
    if (!Object.hasOwn(old, key) || old[key] !== input[key as keyof ConditionInput]) return false;
  }
  for (const key in old) {
    if (key !== "lastTransitionTime" && !Object.hasOwn(input, key)) return false;
  }
  return true;
}

export function findCondition(
  conditions: readonly Condition[],
  type: string,
): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[], type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}
