// What all documents have in common: the envelope around `properties`, errors, operations, and the
// parameters of paths. The names are those that generators of Azure clients expect.

import type { JsonObject } from "../../../kernel/json.ts";
import { apiVersionPattern } from "../face-check.ts";

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
    description: "Where the resource lives.",
    "x-ms-mutability": ["create", "read"],
  },
  tags: { type: "object", description: "Tags.", additionalProperties: text },
};

export const commonDefinitions: JsonObject = {
  Resource: {
    type: "object",
    title: "Resource",
    description: "What all resources have.",
    "x-ms-azure-resource": true,
    properties: {
      id: { ...shownText, description: "The path of the resource." },
      name: { ...shownText, description: "The name of the resource." },
      type: { ...shownText, description: "The provider and the type." },
      etag: { ...shownText, description: "Changes with each change of the resource." },
      systemData: {
        ...ref("SystemData"),
        readOnly: true,
        description: "Who made and last changed the resource, and when.",
      },
    },
  },
  NestedResource: {
    type: "object",
    title: "Nested resource",
    description: "A resource inside another, which need not have a location of its own.",
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
    description: "Who made and last changed a resource, and when.",
    readOnly: true,
    properties: {
      createdBy: { ...text, description: "Who made it." },
      createdByType: { ...text, ...identity, enum: identities, description: "What they are." },
      createdAt: { ...time, description: "When it was made." },
      lastModifiedBy: { ...text, description: "Who last changed it." },
      lastModifiedByType: { ...text, ...identity, enum: identities, description: "What they are." },
      lastModifiedAt: { ...time, description: "When it was last changed." },
    },
  },
  ProvisioningState: {
    type: "string",
    description: "How far the last accepted change has come.",
    readOnly: true,
    enum: ["Succeeded", "Failed", "Canceled", "Creating", "Updating", "Deleting"],
    "x-ms-enum": { name: "ProvisioningState", modelAsString: true },
  },
  ErrorResponse: {
    type: "object",
    title: "Error response",
    description: "Why a request was refused, or an operation failed.",
    properties: { error: ref("ErrorDetail") },
  },
  ErrorDetail: {
    type: "object",
    description: "One reason, and those within it.",
    properties: {
      code: { ...shownText, description: "One word for programs." },
      message: { ...shownText, description: "A sentence for people." },
      target: { ...shownText, description: "The field, as in properties.network.cidr." },
      details: {
        type: "array",
        readOnly: true,
        description: "Every single problem.",
        items: ref("ErrorDetail"),
        "x-ms-identifiers": ["message", "target"],
      },
      additionalInfo: {
        type: "array",
        readOnly: true,
        description: "Further facts.",
        items: ref("ErrorAdditionalInfo"),
        "x-ms-identifiers": [],
      },
    },
  },
  ErrorAdditionalInfo: {
    type: "object",
    description: "A fact about an error.",
    properties: {
      type: { ...shownText, description: "What kind of fact." },
      info: { type: "object", readOnly: true, description: "The fact." },
    },
  },
  OperationStatusResult: {
    type: "object",
    description: "How far an asynchronous operation has come.",
    required: ["status"],
    properties: {
      id: { ...text, description: "The path of the operation." },
      resourceId: { ...shownText, description: "The resource that it is about." },
      name: { ...text, description: "The id of the operation." },
      status: { ...text, description: "Succeeded, Failed, Canceled, or anything else: it runs." },
      percentComplete: { type: "number", minimum: 0, maximum: 100, description: "The progress." },
      startTime: { ...time, description: "When it was accepted." },
      endTime: { ...time, description: "When it ended." },
      properties: {
        type: "object",
        description: "More about one that runs.",
        properties: { lastError: ref("ErrorDetail") },
      },
      error: ref("ErrorDetail"),
    },
  },
  CheckNameAvailabilityRequest: {
    type: "object",
    description: "The name that somebody would like to take.",
    required: ["name", "type"],
    properties: {
      name: { ...text, description: "The name." },
      type: { ...text, description: "The provider and the type." },
    },
  },
  CheckNameAvailabilityResponse: {
    type: "object",
    description: "Whether a name can be taken.",
    required: ["nameAvailable"],
    properties: {
      nameAvailable: { type: "boolean", description: "Whether it can." },
      reason: {
        ...text,
        enum: ["Invalid", "AlreadyExists"],
        "x-ms-enum": { name: "CheckNameAvailabilityReason", modelAsString: true },
        description: "In one word why not.",
      },
      message: { ...text, description: "In a sentence why not." },
    },
  },
  Operation: {
    type: "object",
    description: "Something that a role may allow.",
    properties: {
      name: { ...shownText, description: "As roles name it." },
      isDataAction: { type: "boolean", readOnly: true, description: "Always false here." },
      origin: { ...shownText, description: "Who may perform it." },
      display: {
        type: "object",
        description: "For people.",
        properties: {
          provider: { ...shownText, description: "The provider." },
          resource: { ...shownText, description: "The type." },
          operation: { ...shownText, description: "What is done." },
          description: { ...shownText, description: "What is done, in a sentence." },
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
      nextLink: { ...shownText, format: "uri", description: "Where the next page is." },
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
    description: "The name of the resource group, in any case.",
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
    description: "How many resources a page may have; at most 1000.",
    "x-ms-parameter-location": "method",
  },
  SkipTokenParameter: {
    name: "$skipToken",
    in: "query",
    required: false,
    type: "string",
    description: "From the nextLink of the page before.",
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
