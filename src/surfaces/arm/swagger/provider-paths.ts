// The paths that every provider has: what roles may allow, operations, and names.

import type { JsonObject } from "../../../kernel/json.ts";
import { parameterRef, ref } from "./envelope-definitions.ts";

export function providerPaths(provider: string): JsonObject {
  const own = `/subscriptions/{subscriptionId}/providers/${provider}`;
  const where = `${own}/locations/{location}`;
  return {
    [`/providers/${provider}/operations`]: {
      get: {
        operationId: "Operations_List",
        tags: ["Operations"],
        description: "Lists what roles may allow.",
        parameters: [apiVersion],
        responses: {
          200: { description: "All of them.", schema: ref("OperationListResult") },
          default: failure,
        },
        "x-ms-pageable": { nextLinkName: "nextLink" },
      },
    },
    [`${own}/checkNameAvailability`]: { post: nameCheck("Global", [subscription]) },
    [`${where}/checkNameAvailability`]: { post: nameCheck("Local", [subscription, location]) },
    [`${where}/operationsStatus/{operationId}`]: {
      get: {
        operationId: "OperationsStatus_Get",
        tags: ["Operations"],
        description: "Tells how far an operation has come.",
        parameters: [apiVersion, subscription, location, operation],
        responses: {
          200: { description: "The status.", schema: ref("OperationStatusResult") },
          default: failure,
        },
      },
    },
    [`${where}/operationResults/{operationId}`]: { get: operationResult },
  };
}

const apiVersion = parameterRef("ApiVersion");
const subscription = parameterRef("SubscriptionId");
const location = parameterRef("Location");
const operation = parameterRef("OperationId");
const failure: JsonObject = {
  description: "Why the request was refused.",
  schema: ref("ErrorResponse"),
};

const operationResult: JsonObject = {
  operationId: "OperationResults_Get",
  tags: ["Operations"],
  description: "Gets what came of an operation.",
  parameters: [apiVersion, subscription, location, operation],
  responses: {
    200: {
      description: "The resource, or what the action says.",
      schema: { type: "object", additionalProperties: true },
    },
    202: {
      description: "It goes on.",
      headers: {
        Location: { type: "string", description: "Where to ask again." },
        "Retry-After": { type: "integer", format: "int32", description: "Seconds until then." },
      },
    },
    204: { description: "It has ended, and there is nothing to show." },
    default: { description: "Why it failed.", schema: ref("ErrorResponse") },
  },
};

function nameCheck(verb: string, where: readonly JsonObject[]): JsonObject {
  const body = {
    name: "body",
    in: "body",
    required: true,
    description: "The name and the type.",
    schema: ref("CheckNameAvailabilityRequest"),
  };
  return {
    operationId: `CheckNameAvailability_Check${verb}`,
    tags: ["CheckNameAvailability"],
    description: "Tells whether a name is free in the subscription.",
    parameters: [apiVersion, ...where, body],
    responses: {
      200: { description: "Whether it is.", schema: ref("CheckNameAvailabilityResponse") },
      default: failure,
    },
  };
}
