// What a webhook sees of an object, and what it may change. A new object has no identity yet while
// it is mutated: the server gives it one afterwards, whatever webhooks say. An updated one carries
// the revision that it replaces.

import type { MutableJsonObject } from "../../../kernel/json.ts";
import type { Metadata, Resource } from "../../../kernel/resource.ts";
import type { AdmissionRequest } from "../admission.ts";

const identity = ["uid", "creationTimestamp", "generation"] as const;

/** As mutating webhooks see it. */
export function objectToMutate(request: AdmissionRequest): AdmissionRequest {
  const { object, operation } = request;
  if (object === undefined) return request;
  if (operation !== "CREATE") return objectToValidate(request);
  const metadata: MutableJsonObject = { ...object.metadata };
  for (const key of identity) delete metadata[key];
  if (request.isNameGenerated === true) delete metadata["name"];
  return { ...request, object: { ...object, metadata: metadata as unknown as Metadata } };
}

/** As validating webhooks and policies see it. */
export function objectToValidate(request: AdmissionRequest): AdmissionRequest {
  const { object, old, operation } = request;
  const revision = old?.metadata.resourceVersion;
  if (object === undefined || operation !== "UPDATE" || revision === undefined) return request;
  const metadata = { ...object.metadata, resourceVersion: revision };
  return { ...request, object: { ...object, metadata } };
}

/** The changed object with its identity again. */
export function withIdentity(changed: Resource, request: AdmissionRequest): Resource {
  const { object } = request;
  if (object === undefined) return changed;
  const metadata: MutableJsonObject = { ...changed.metadata };
  delete metadata["resourceVersion"];
  for (const key of request.operation === "CREATE" ? identity : []) {
    const value = object.metadata[key];
    if (value === undefined) delete metadata[key];
    else metadata[key] = value;
  }
  if (metadata["name"] === undefined || metadata["name"] === "") {
    metadata["name"] = object.metadata.name;
  }
  return { ...changed, metadata: metadata as unknown as Metadata };
}
