// The deployment that a Plan is about. Pure.

import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentOf } from "../environment/environment.ts";

/** The fields that the Plan states; the others are those of the Environment. */
export function givenDeployment(plan: Resource): JsonObject {
  const given: MutableJsonObject = {};
  for (const field of ["templates", "parameters", "secretParameters"]) {
    const value = valueAt(plan.spec, field);
    if (value !== undefined) given[field] = value;
  }
  return given;
}

export function plannedDeployment(plan: Resource, environment: Resource): JsonObject {
  return deploymentOf({ ...objectAt(environment, "spec"), ...givenDeployment(plan) });
}
