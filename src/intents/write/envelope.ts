// The first look at a document: it must be what the URL says it is. Nothing is changed here but
// the namespace, which a document may leave out.

import { withoutKey } from "../../kernel/apply/without-key.ts";
import { isJsonObject } from "../../kernel/json.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { badRequest } from "../refusals.ts";
import type { Target } from "../request.ts";

/** Metadata is there afterwards, in the right types; see kernel/schema for what it may hold. */
export function checkEnvelope(target: Target, body: Json): Resource {
  const { version, served } = target;
  if (!isJsonObject(body)) throw badRequest("the body of the request must be an object");
  const { kind, apiVersion } = body;
  if (typeof kind !== "string" || kind === "") {
    throw badRequest(
      unrecognised(served.kind.names.kind, `Object 'Kind' is missing in '${shown(body)}'`),
    );
  }
  if (typeof apiVersion !== "string" || apiVersion === "") {
    const why = `Object 'apiVersion' is missing in '${shown(body)}'`;
    throw badRequest(unrecognised(served.kind.names.kind, why));
  }
  if (apiVersion !== version.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match ` +
        `the expected API version (${version.apiVersion})`,
    );
  }
  if (kind !== served.kind.names.kind) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${served.kind.names.kind}): ` +
        `the kind in the data (${kind}) does not match the expected kind`,
    );
  }
  return body as Resource;
}

/** The namespace of the URL, which the document may repeat but not contradict. */
export function withNamespace(target: Target, resource: Resource): Resource {
  const given = resource.metadata.namespace ?? "";
  if (given === target.namespace) {
    return given === "" && Object.hasOwn(resource.metadata, "namespace")
      ? { ...resource, metadata: withoutKey(resource.metadata, "namespace") }
      : resource;
  }
  if (target.namespace === "") {
    return { ...resource, metadata: withoutKey(resource.metadata, "namespace") };
  }
  if (given !== "") {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  return { ...resource, metadata: { ...resource.metadata, namespace: target.namespace } };
}

/** For writes to a named resource: the document's name may be left out, but not differ. */
export function withName(target: Target, resource: Resource): Resource {
  const given = resource.metadata.name;
  if (given === target.name) return resource;
  if (typeof given === "string" && given !== "") {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${target.name})`,
    );
  }
  return { ...resource, metadata: { ...resource.metadata, name: target.name } };
}

function unrecognised(kind: string, why: string): string {
  return `the object provided is unrecognized (must be of type ${kind}): ${why}`;
}

function shown(body: JsonObject): string {
  const text = JSON.stringify(body);
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000)}...`;
}
