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
        description: "Lists the operations that roles can allow.",
        parameters: [apiVersion],
        responses: {
          200: { description: "The operations.", schema: ref("OperationListResult") },
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
        description: "Gets the status of an operation.",
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
  description: "The error.",
  schema: ref("ErrorResponse"),
};

const operationResult: JsonObject = {
  operationId: "OperationResults_Get",
  tags: ["Operations"],
  description: "Gets the result of an operation.",
  parameters: [apiVersion, subscription, location, operation],
  responses: {
    200: {
      description: "The resource, or the result of the action.",
      schema: { type: "object", additionalProperties: true },
    },
    202: {
      description: "The operation is in progress.",
      headers: {
        Location: { type: "string", description: "URL to poll." },
        "Retry-After": {
          type: "integer",
          format: "int32",
          description: "Seconds to wait before the next request.",
        },
      },
    },
    204: { description: "The operation has ended without a result." },
    default: { description: "The error of the operation.", schema: ref("ErrorResponse") },
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
    description: "Checks whether a name is available in the subscription.",
    parameters: [apiVersion, ...where, body],
    responses: {
      200: {
        description: "The result of the check.",
        schema: ref("CheckNameAvailabilityResponse"),
      },
      default: failure,
    },
  };
}
