// The types and states of an Operation. Pure.

export const operationTypes = [
  "Deploy",
  "Destroy",
  "Rollback",
  "Retry",
  "Action",
  "CheckDrift",
  "ReconcileDrift",
] as const;

export type OperationType = (typeof operationTypes)[number];

export const operationPhases = [
  "Queued",
  "AwaitingApproval",
  "Running",
  "Succeeded",
  "Failed",
  "Cancelled",
  /** A newer change replaced it before it began, or a destruction while it ran. */
  "Superseded",
] as const;

export type OperationPhase = (typeof operationPhases)[number];

const ended: ReadonlySet<string> = new Set(["Succeeded", "Failed", "Cancelled", "Superseded"]);

export function hasEnded(phase: string): boolean {
  return ended.has(phase);
}
