// The policy of a program, read from the live view: for admission and for runs.

import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { decidePolicy } from "./decide-policy.ts";
import type { AllowedProgram, PolicyDecision, WantedProgram } from "./decide-policy.ts";
import { policiesKind } from "./policy-kind.ts";

/** For a run: a policy may have been removed since the resource was admitted. */
export function policyFor(
  live: LiveView,
  namespace: string,
  wanted: WantedProgram,
): AllowedProgram {
  const decision = decide(live, namespace, wanted);
  if (decision.kind === "allowed") return decision;
  throw new ReconcileFailure(failed("PolicyDenied", decision.message, { retry: "slow" }));
}

/** For admission. */
export function checkPolicy(
  live: LiveView,
  request: AdmissionRequest,
  wanted: WantedProgram,
): void {
  const decision = decide(live, request.target.namespace, wanted);
  if (decision.kind === "allowed") return;
  throw new SetpointError("executors.policy_denied", decision.message, {
    details: { namespace: request.target.namespace },
  });
}

function decide(live: LiveView, namespace: string, wanted: WantedProgram): PolicyDecision {
  const found = live.get({ kind: "namespaces", namespace: "", name: namespace })?.resource;
  const policies = [...live.all(policiesKind)].map(({ resource }): Resource => resource);
  if (found === undefined) return { kind: "denied", message: `no namespace ${namespace} exists` };
  return decidePolicy(policies, found, wanted);
}
