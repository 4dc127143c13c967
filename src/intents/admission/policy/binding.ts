// A ValidatingAdmissionPolicyBinding: which policy, for which requests, with which parameters, and
// what happens when the policy says no.

import { objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Requirement } from "../../../kernel/selector.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { selectorAt } from "../subject-selectors.ts";
import { matchResourcesOf } from "./match-resources.ts";
import type { MatchResources } from "./match-resources.ts";

export interface ParamRef {
  /** Empty when parameters are selected by their labels. */
  readonly name: string;
  /** Empty for the namespace of the request. */
  readonly namespace: string;
  readonly selector: readonly Requirement[] | undefined;
  readonly isDeniedWhenMissing: boolean;
}

export interface Binding {
  readonly name: string;
  readonly policy: string;
  readonly match: MatchResources | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly actions: readonly string[];
}

export function bindingOf(binding: Resource): Binding {
  const spec = objectAt(binding, "spec");
  const match = valueAt(spec, "matchResources");
  return {
    name: binding.metadata.name,
    policy: textAt(spec, "policyName"),
    match: match === undefined ? undefined : matchResourcesOf(match),
    paramRef: valueAt(spec, "paramRef") === undefined ? undefined : paramRefOf(binding),
    actions: textsAt(spec, "validationActions"),
  };
}

function paramRefOf(binding: Resource): ParamRef {
  const ref = objectAt(binding, "spec", "paramRef");
  return {
    name: textAt(ref, "name"),
    namespace: textAt(ref, "namespace"),
    selector: valueAt(ref, "selector") === undefined ? undefined : selectorAt(ref, "selector"),
    isDeniedWhenMissing: textAt(ref, "parameterNotFoundAction") === "Deny",
  };
}
