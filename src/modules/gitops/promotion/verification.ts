/**
 * Decides what a binding verifies. Pure.
 *
 * An attempt ends as Passed or Failed, and another one begins with each new Snapshot, at each
 * request and at each interval. A version that has passed once stays verified: a later attempt that
 * fails is shown, and blocks no promotion. A failed one can be repeated, so no failure is final.
 */
import { timeText } from "../../../kernel/clock.ts";
import { compileExpression } from "../../../kernel/cel/environment.ts";
import { dynamicValue } from "../../../kernel/cel/schema-values.ts";
import { dynType } from "../../../kernel/cel/types.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";
import { verifyAnnotation } from "../names.ts";
import type { DeployedComponent } from "./binding-plan.ts";

export interface VerificationInput {
  readonly binding: Resource;
  readonly environment: Resource;
  readonly deployed: readonly DeployedComponent[];
  readonly isDeployed: boolean;
  readonly nowMs: number;
}

export interface VerificationDecision {
  /** For `status.verification`; undefined: there is nothing to verify. */
  readonly verification: JsonObject | undefined;
  readonly verified: readonly string[];
  readonly againMs: number | undefined;
}

const pollMs = 5_000;

export function decideVerification(input: VerificationInput): VerificationDecision {
  const { binding, environment, isDeployed, nowMs } = input;
  const snapshot = textAt(binding.spec, "snapshot");
  const wanted = objectAt(environment, "spec", "verification");
  const checks = objectsAt(wanted, "checks");
  const verified = textsAt(binding.status, "verified");
  const last = objectAt(binding, "status", "verification");
  const isSame = textAt(last, "snapshot") === snapshot;
  if (checks.length === 0) {
    return {
      verification: undefined,
      verified: isDeployed ? withVerified(verified, snapshot) : verified,
      againMs: undefined,
    };
  }
  if (!isDeployed) {
    return { verification: isSame ? last : undefined, verified, againMs: undefined };
  }
  const request = binding.metadata.annotations?.[verifyAnnotation] ?? "";
  const repeatMs = (numberAt(wanted, "repeatSeconds") ?? 0) * 1_000;
  const finishedMs = Date.parse(textAt(last, "finishedAt"));
  const isDue = repeatMs > 0 && nowMs >= finishedMs + repeatMs;
  const isRunning = isSame && textAt(last, "phase") === "Running";
  const isNew = !isSame || textAt(last, "request") !== request || isDue;
  if (!isRunning && !isNew) {
    const againMs = repeatMs > 0 ? Math.max(1, finishedMs + repeatMs - nowMs) : undefined;
    return { verification: last, verified, againMs };
  }
  const start = isRunning && textAt(last, "request") === request ? last : undefined;
  const attempt =
    start === undefined
      ? (isSame ? (numberAt(last, "attempt") ?? 0) : 0) + 1
      : (numberAt(last, "attempt") ?? 1);
  const startedAt = textAt(start, "startedAt") || timeText(nowMs);
  const results = evaluated(checks, input.deployed);
  const isPassed = results.every(({ passed }) => passed);
  const timeoutSeconds =
    numberAt(wanted, "timeoutSeconds") ?? gitopsLimits.verificationTimeoutSeconds;
  const leftMs = Date.parse(startedAt) + timeoutSeconds * 1_000 - nowMs;
  const phase = isPassed ? "Passed" : leftMs <= 0 ? "Failed" : "Running";
  const verification: JsonObject = {
    snapshot,
    attempt,
    phase,
    hasPassed: isPassed || (isSame && last["hasPassed"] === true),
    request,
    checks: results.map(({ name, passed, message }) => ({ name, passed, message })),
    startedAt,
    finishedAt: phase === "Running" ? null : timeText(nowMs),
  };
  return {
    verification,
    verified: isPassed ? withVerified(verified, snapshot) : verified,
    againMs:
      phase === "Running"
        ? Math.max(1, Math.min(pollMs, leftMs))
        : repeatMs > 0
          ? repeatMs
          : undefined,
  };
}

function withVerified(verified: readonly string[], snapshot: string): readonly string[] {
  if (verified[0] === snapshot) return verified;
  const others = verified.filter((each) => each !== snapshot);
  return [snapshot, ...others].slice(0, gitopsLimits.keptVerified);
}

interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string;
}

function evaluated(
  checks: readonly JsonObject[],
  deployed: readonly DeployedComponent[],
): readonly CheckResult[] {
  const value: Json = deployed.map(({ component, sync, health, revision, resources }) => ({
    component,
    sync,
    health,
    revision,
    resources: [...resources],
  }));
  const deployments = dynamicValue(value);
  return checks.map((check): CheckResult => {
    const name = textAt(check, "name");
    const failed = (message: string): CheckResult => ({
      name,
      passed: false,
      message: shortText(message, 500),
    });
    const compiled = compileExpression(textAt(check, "expression"), {
      variables: { deployments: dynType },
    });
    if (compiled.kind === "failed") return failed(compiled.message);
    const result = compiled.program.evaluate({ deployments }, limits.maxCelCallCost);
    if (result.kind !== "value") return failed(result.message);
    if (result.value === true) return { name, passed: true, message: "" };
    return failed(result.value === false ? "is false" : "is not a boolean");
  });
}
