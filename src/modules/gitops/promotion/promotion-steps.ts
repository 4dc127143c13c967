/** The environments of a PromotionRun, and the result of each. Pure. */
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt, textsAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { gitopsLimits } from "../limits.ts";

/** The first environment, then the automated ones below it, level by level. */
export function environmentsOf(
  run: Resource,
  environments: readonly Resource[],
): readonly string[] {
  const target = textAt(run.spec, "manualPromotion", "targetEnvironment");
  if (target !== "") return [target];
  const found = [textAt(run.spec, "automatedPromotion", "initialEnvironment")];
  for (const name of found) {
    const below = environments
      .filter(({ spec }) => textAt(spec, "parentEnvironment") === name && isAutomated(spec))
      .map(({ metadata }) => metadata.name)
      .filter((each) => !found.includes(each))
      .toSorted();
    found.push(...below);
    if (found.length >= gitopsLimits.maxPromotionSteps) break;
  }
  return found.slice(0, gitopsLimits.maxPromotionSteps);
}

function isAutomated(spec: unknown): boolean {
  const strategy = textAt(spec as JsonObject, "deploymentStrategy");
  return strategy === "Automated" || strategy === "AppStudioAutomated";
}

export interface StepFacts {
  readonly snapshot: string;
  readonly application: string;
  /** Undefined: it does not exist. */
  readonly environment: Resource | undefined;
  /** Of the application in the environment. */
  readonly binding: Resource | undefined;
  readonly parentBinding: Resource | undefined;
}

export type StepDecision =
  | { readonly kind: "done" }
  | { readonly kind: "wait"; readonly message: string }
  | { readonly kind: "fail"; readonly message: string }
  | { readonly kind: "create" }
  | { readonly kind: "promote" };

export function decideStep(facts: StepFacts): StepDecision {
  const { snapshot, environment, binding, parentBinding } = facts;
  if (environment === undefined) {
    return { kind: "fail", message: "the Environment does not exist" };
  }
  const parent = textAt(environment.spec, "parentEnvironment");
  const isGated = textAt(environment.spec, "promoteFrom") === "Parent" && parent !== "";
  if (isGated && !isVerifiedIn(parentBinding, snapshot)) {
    const message = `waits until ${snapshot} is deployed and verified in ${parent}`;
    return { kind: "wait", message };
  }
  if (binding === undefined) return { kind: "create" };
  if (textAt(binding.spec, "snapshot") !== snapshot) return { kind: "promote" };
  const isSeen = numberAt(binding.status, "observedGeneration") === binding.metadata.generation;
  const isDeployed = isSeen && textAt(binding.status, "snapshot") === snapshot;
  if (isDeployed && isVerifiedNow(environment, binding)) return { kind: "done" };
  return { kind: "wait", message: progressOf(binding, isDeployed) };
}

/** Since it was deployed: one attempt that passed is enough, also when a later one failed. */
function isVerifiedNow({ spec }: Resource, { status }: Resource): boolean {
  if (objectsAt(spec, "verification", "checks").length === 0) return true;
  const verification = objectAt(status, "verification");
  return (
    textAt(verification, "snapshot") === textAt(status, "snapshot") &&
    verification["hasPassed"] === true
  );
}

/** Once is enough: an attempt that fails later does not take it back. */
function isVerifiedIn(binding: Resource | undefined, snapshot: string): boolean {
  return textsAt(binding?.status, "verified").includes(snapshot);
}

function progressOf({ status }: Resource, isDeployed: boolean): string {
  const conditions = objectsAt(status, "conditions");
  const reconciled = conditions.find((each) => textAt(each, "type") === "Reconciled");
  if (textAt(reconciled, "status") === "False") return textAt(reconciled, "message");
  if (isDeployed) {
    const failed = objectsAt(status, "verification", "checks").find(
      (each) => each["passed"] !== true,
    );
    const check =
      failed === undefined ? "" : `: ${textAt(failed, "name")} ${textAt(failed, "message")}`;
    return `verification ${textAt(status, "verification", "phase") || "pending"}${check}`;
  }
  const [deployed] = objectsAt(status, "componentDeploymentConditions");
  return textAt(deployed, "message") || "the binding has not been reconciled yet";
}
