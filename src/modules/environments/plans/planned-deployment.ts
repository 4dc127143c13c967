// The deployment that a Plan is about. Pure.

import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { objectAt, valueAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentOf } from "../environment/environment.ts";

/**
 * The fields that the Plan states; the others are those of the Environment. Users cannot read the
 * secret parameters, so that those that they leave out keep their values; without any, all are
 * removed.
 */
export function givenDeployment(plan: Resource, environment: Resource | undefined): JsonObject {
  const given: MutableJsonObject = {};
  for (const field of ["templates", "parameters", "secretParameters"]) {
    const value = valueAt(plan.spec, field);
    if (value !== undefined) given[field] = value;
  }
  const secrets = given["secretParameters"];
  if (!isJsonObject(secrets) || Object.keys(secrets).length === 0) return given;
  const stored = objectAt(environment, "spec", "secretParameters");
  return { ...given, secretParameters: { ...stored, ...secrets } };
}

export function plannedDeployment(plan: Resource, environment: Resource): JsonObject {
  return deploymentOf({ ...objectAt(environment, "spec"), ...givenDeployment(plan, environment) });
}
