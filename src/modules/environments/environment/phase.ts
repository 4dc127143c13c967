// The phase of an Environment from its resources, its operation and its health. Pure.

import type { JsonObject } from "../../../kernel/json.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { environmentLimits } from "../limits.ts";
import type { EnvironmentPhase } from "./phases.ts";

export interface PhaseInput {
  readonly isDestroying: boolean;
  /** All resources are removed, and so is everything that a destruction runs. */
  readonly isRemoved: boolean;
  readonly isAwaitingApproval: boolean;
  /** A deployment was completed before. */
  readonly wasDeployed: boolean;
  /** An Operation that changes resources runs. */
  readonly isChanging: boolean;
  readonly isBusy: boolean;
  readonly failures: readonly { readonly resource: string; readonly reason: string }[];
  readonly blocked: number;
  readonly health: "healthy" | "pending" | "unhealthy";
  readonly healthMessage: string;
  /** Why the last operation could not be carried out; empty when it could. */
  readonly operationProblem: string;
  readonly before: EnvironmentPhase | undefined;
}

export interface PhaseReport {
  readonly phase: EnvironmentPhase;
  readonly reason: string;
  readonly message: string;
}

export function phaseFrom(input: PhaseInput): PhaseReport {
  const { failures } = input;
  if (input.isDestroying) return destruction(input);
  if (input.isAwaitingApproval) {
    const phase = input.wasDeployed ? "DeployedWaiting" : "Deploying";
    return { phase, reason: "AwaitingApproval", message: "a Plan must be approved" };
  }
  if (input.isChanging) return { phase: "Deploying", reason: "Deploying", message: "" };
  if (input.operationProblem !== "") {
    return { phase: "DeployedFail", reason: "DeploymentFailed", message: input.operationProblem };
  }
  if (failures.length > 0) {
    const [first] = failures;
    const isCancelled = failures.every(({ reason }) => reason === "Cancelled");
    const message = `${first?.resource}: ${first?.reason}${waitingText(input.blocked)}`;
    return { phase: "DeployedFail", reason: isCancelled ? "Cancelled" : "ResourceFailed", message };
  }
  if (input.isBusy) {
    const message = "resources are not ready";
    return { phase: "DeployedWaiting", reason: "ResourcesNotReady", message };
  }
  // Validation is visible in the history, also when there is nothing to call.
  if (input.health === "pending" || input.before === "Deploying") {
    return { phase: "DeployedWaiting", reason: "Validating", message: input.healthMessage };
  }
  if (input.health === "unhealthy") {
    return { phase: "DeployedFail", reason: "ValidationFailed", message: input.healthMessage };
  }
  return { phase: "DeployedOk", reason: "Deployed", message: "" };
}

function waitingText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? "; 1 other resource waits" : `; ${count} other resources wait`;
}

function destruction({ isRemoved, failures }: PhaseInput): PhaseReport {
  if (isRemoved) return { phase: "Destroyed", reason: "Destroyed", message: "" };
  const [first] = failures;
  if (first === undefined) return { phase: "Destroying", reason: "Destroying", message: "" };
  const message = `${first.resource}: ${first.reason}`;
  return { phase: "Destroying", reason: "DestructionFailed", message };
}

/** The transitions with one more when the phase or its reason is another one. */
export function withTransition(
  transitions: readonly JsonObject[],
  { phase, reason, message }: PhaseReport,
  at: string,
  operation: string,
): readonly JsonObject[] {
  const last = transitions.at(-1);
  if (last !== undefined && last["phase"] === phase && last["reason"] === reason) {
    return transitions;
  }
  const entry = {
    at,
    phase,
    reason,
    ...(message === "" ? {} : { message: shortText(message, 500) }),
    ...(operation === "" ? {} : { operation }),
  };
  return [...transitions, entry].slice(-environmentLimits.maxTransitions);
}
