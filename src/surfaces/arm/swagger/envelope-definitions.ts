// What all documents have in common: the envelope around `properties`, errors, operations, and the
// parameters of paths. The names are those that generators of Azure clients expect.

import type { JsonObject } from "../../../kernel/json.ts";
import { apiVersionPattern } from "../../../modules/resource-provider/faces/face-check.ts";

const text = { type: "string" } as const;
const shownText = { type: "string", readOnly: true } as const;
const time = { type: "string", format: "date-time" } as const;
const identity = { "x-ms-enum": { name: "createdByType", modelAsString: true } };
const identities = ["User", "Application", "ManagedIdentity", "Key"];

export function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}

export function parameterRef(name: string): JsonObject {
  return { $ref: `#/parameters/${name}Parameter` };
}

const envelopeFields: JsonObject = {
  location: {
    ...text,
    description: "The location of the resource.",
    "x-ms-mutability": ["create", "read"],
  },
  tags: { type: "object", description: "Tags.", additionalProperties: text },
};

export const commonDefinitions: JsonObject = {
  Resource: {
    type: "object",
    title: "Resource",
    description: "Fields of every resource.",
    "x-ms-azure-resource": true,
    properties: {
      id: { ...shownText, description: "The resource id." },
      name: { ...shownText, description: "The name of the resource." },
      type: { ...shownText, description: "The provider and the type." },
      etag: { ...shownText, description: "A value that changes with each update of the resource." },
      systemData: {
        ...ref("SystemData"),
        readOnly: true,
        description: "Who created and last modified the resource, and when.",
      },
    },
  },
  NestedResource: {
    type: "object",
    title: "Nested resource",
    description: "A resource in another resource. Its location is optional.",
    allOf: [ref("Resource")],
    properties: envelopeFields,
  },
  TrackedResource: {
    type: "object",
    title: "Tracked resource",
    description: "A resource that has a location and tags.",
    allOf: [ref("Resource")],
    required: ["location"],
    properties: envelopeFields,
  },
  SystemData: {
    type: "object",
    description: "Who created and last modified a resource, and when.",
    readOnly: true,
    properties: {
      createdBy: { ...text, description: "The identity that created the resource." },
      createdByType: {
        ...text,
        ...identity,
        enum: identities,
        description: "The type of the identity.",
      },
      createdAt: { ...time, description: "When the resource was created." },
      lastModifiedBy: { ...text, description: "The identity that last modified the resource." },
      lastModifiedByType: {
        ...text,
        ...identity,
        enum: identities,
        description: "The type of the identity.",
      },
      lastModifiedAt: { ...time, description: "When the resource was last modified." },
    },
  },
  ProvisioningState: {
    type: "string",
    description: "State of the last accepted change.",
    readOnly: true,
    enum: ["Succeeded", "Failed", "Canceled", "Creating", "Updating", "Deleting"],
    "x-ms-enum": { name: "ProvisioningState", modelAsString: true },
  },
  ErrorResponse: {
    type: "object",
    title: "Error response",
    description: "The error of a refused request or a failed operation.",
    properties: { error: ref("ErrorDetail") },
  },
  ErrorDetail: {
    type: "object",
    description: "One error, with its details.",
    properties: {
      code: { ...shownText, description: "Machine-readable error code." },
      message: { ...shownText, description: "Human-readable message." },
      target: { ...shownText, description: "Path of the field, such as properties.network.cidr." },
      details: {
        type: "array",
        readOnly: true,
        description: "Details of each problem.",
        items: ref("ErrorDetail"),
        "x-ms-identifiers": ["message", "target"],
      },
      additionalInfo: {
        type: "array",
        readOnly: true,
        description: "Additional information.",
        items: ref("ErrorAdditionalInfo"),
        "x-ms-identifiers": [],
      },
    },
  },
  ErrorAdditionalInfo: {
    type: "object",
    description: "Additional information about an error.",
    properties: {
      type: { ...shownText, description: "Type of the information." },
      info: { type: "object", readOnly: true, description: "The information." },
    },
  },
  OperationStatusResult: {
    type: "object",
    description: "Status of an asynchronous operation.",
    required: ["status"],
    properties: {
      id: { ...text, description: "The id of the operation status resource." },
      resourceId: {
        ...shownText,
        description: "The id of the resource that the operation changes.",
      },
      name: { ...text, description: "The name of the operation." },
      status: {
        ...text,
        description: "Succeeded, Failed or Canceled; any other value: in progress.",
      },
      percentComplete: {
        type: "number",
        minimum: 0,
        maximum: 100,
        description: "Progress in percent.",
      },
      startTime: { ...time, description: "When the operation was accepted." },
      endTime: { ...time, description: "When the operation ended." },
      properties: {
        type: "object",
        description: "Details of an operation in progress.",
        properties: { lastError: ref("ErrorDetail") },
      },
      error: ref("ErrorDetail"),
    },
  },
  CheckNameAvailabilityRequest: {
    type: "object",
    description: "The name to check.",
    required: ["name", "type"],
    properties: {
      name: { ...text, description: "The name." },
      type: { ...text, description: "The provider and the type." },
    },
  },
  CheckNameAvailabilityResponse: {
    type: "object",
    description: "Whether a name is available.",
    required: ["nameAvailable"],
    properties: {
      nameAvailable: { type: "boolean", description: "Whether the name is available." },
      reason: {
        ...text,
        enum: ["Invalid", "AlreadyExists"],
        "x-ms-enum": { name: "CheckNameAvailabilityReason", modelAsString: true },
        description: "Reason why the name is not available.",
      },
      message: { ...text, description: "Message why the name is not available." },
    },
  },
  Operation: {
    type: "object",
    description: "An operation that a role can allow.",
    properties: {
      name: { ...shownText, description: "Name of the operation in roles." },
      isDataAction: { type: "boolean", readOnly: true, description: "Always false." },
      origin: { ...shownText, description: "Who can perform the operation." },
      display: {
        type: "object",
        description: "Texts to display.",
        properties: {
          provider: { ...shownText, description: "The provider." },
          resource: { ...shownText, description: "The type." },
          operation: { ...shownText, description: "The operation." },
          description: { ...shownText, description: "Description of the operation." },
        },
      },
    },
  },
  OperationListResult: {
    type: "object",
    description: "All operations of a provider.",
    properties: {
      value: {
        type: "array",
        readOnly: true,
        description: "The operations of this page.",
        items: ref("Operation"),
        "x-ms-identifiers": ["name"],
      },
      nextLink: { ...shownText, format: "uri", description: "URL of the next page." },
    },
  },
};

export const commonParameters: JsonObject = {
  ApiVersionParameter: {
    name: "api-version",
    in: "query",
    required: true,
    type: "string",
    minLength: 1,
    pattern: apiVersionPattern.source.replaceAll("?:", ""),
    description: "The version of the API.",
  },
  SubscriptionIdParameter: {
    name: "subscriptionId",
    in: "path",
    required: true,
    type: "string",
    format: "uuid",
    description: "The id of the subscription.",
  },
  ResourceGroupNameParameter: {
    name: "resourceGroupName",
    in: "path",
    required: true,
    type: "string",
    minLength: 1,
    maxLength: 90,
    description: "The name of the resource group. Not case-sensitive.",
    "x-ms-parameter-location": "method",
  },
  LocationParameter: {
    name: "location",
    in: "path",
    required: true,
    type: "string",
    minLength: 1,
    description: "The name of the location.",
    "x-ms-parameter-location": "method",
  },
  TopParameter: {
    name: "$top",
    in: "query",
    required: false,
    type: "integer",
    format: "int32",
    minimum: 1,
    description: "Maximum number of resources in a page, up to 1000.",
    "x-ms-parameter-location": "method",
  },
  SkipTokenParameter: {
    name: "$skipToken",
    in: "query",
    required: false,
    type: "string",
    description: "Token from the nextLink of the previous page.",
    "x-ms-parameter-location": "method",
  },
  OperationIdParameter: {
    name: "operationId",
    in: "path",
    required: true,
    type: "string",
    minLength: 1,
    description: "The id of an operation.",
    "x-ms-parameter-location": "method",
  },
};
