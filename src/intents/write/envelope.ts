// The first look at a document: it must be what the URL says it is. What is wrong is told in the
// words of the API server's decoders, of which there are two: built-in kinds may leave kind and
// version out, those of definitions may not.

import { jsonName } from "../../kernel/go-text.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { invalidField } from "../../kernel/field-error.ts";
import { hiddenText, isHiding } from "../../kernel/hidden-values.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import type { Json } from "../../kernel/json.ts";
import type { Resource } from "../../kernel/resource.ts";
import { badRequest, invalid } from "../refusals.ts";
import type { Target } from "../request.ts";

const scheme = 'scheme "pkg/api/legacyscheme/scheme.go:30"';
/** How Go prints the type that the kind and version of a document are read into. */
export const headerType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; ' +
  'Kind string "json:\\"kind,omitempty\\"" }';

/** The body as a document; `source` is what was sent, for messages that show it. */
export function checkEnvelope(target: Target, body: Json, sent?: Uint8Array): Resource {
  const source = isHiding(target.served.kind) ? undefined : sent;
  return target.served.kind.origin === "built-in"
    ? builtinEnvelope(target, body, source)
    : definedEnvelope(target, body, source);
}

function definedEnvelope(target: Target, body: Json, source: Uint8Array | undefined): Resource {
  const { version } = target;
  const { kind, apiVersion = "" } = headerOf(target, body, source);
  if (kind === undefined || kind === "" || !isJsonObject(body)) {
    const isHidden = isHiding(target.served.kind);
    const whole = source === undefined ? JSON.stringify(body) : textOf(source);
    const sent = isHidden ? hiddenText : whole;
    throw unrecognised(target, `Object 'Kind' is missing in '${sent}'`, source);
  }
  if (apiVersion.split("/").length > 2) {
    throw unrecognised(target, `unexpected GroupVersion string: ${apiVersion}`, source);
  }
  if (apiVersion !== version.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match ` +
        `the expected API version (${version.apiVersion})`,
    );
  }
  return body as Resource;
}

function builtinEnvelope(target: Target, body: Json, source: Uint8Array | undefined): Resource {
  const { version, served } = target;
  const expected = served.kind.names.kind;
  const given = headerOf(target, body, source);
  const kind = given.kind === undefined || given.kind === "" ? expected : given.kind;
  const isBare = given.apiVersion === undefined || ["", "/"].includes(given.apiVersion);
  const apiVersion = isBare ? version.apiVersion : versionTextOf(given.apiVersion ?? "");
  if (kind !== expected || apiVersion !== version.apiVersion) {
    const short = apiVersion.slice(apiVersion.indexOf("/") + 1);
    throw badRequest(
      `${kind} in version "${short}" cannot be handled as a ${expected}: ` +
        `no kind "${kind}" is registered for version "${apiVersion}" in ${scheme}`,
    );
  }
  return { ...(isJsonObject(body) ? body : {}), apiVersion, kind } as Resource;
}

/** Kubernetes reads an empty group in front of the slash as the group without a name. */
function versionTextOf(apiVersion: string): string {
  return /^\/[^/]+$/.test(apiVersion) ? apiVersion.slice(1) : apiVersion;
}

interface Header {
  readonly kind: string | undefined;
  readonly apiVersion: string | undefined;
}

function headerOf(target: Target, body: Json, source: Uint8Array | undefined): Header {
  if (body === null) return { kind: undefined, apiVersion: undefined };
  const unreadable = (problem: string): Error =>
    unrecognised(target, `couldn't get version/kind; json parse error: ${problem}`, source);
  if (!isJsonObject(body)) {
    throw unreadable(
      `json: cannot unmarshal ${jsonName(body)} into Go value of type ${headerType}`,
    );
  }
  const read = (key: "kind" | "apiVersion"): string | undefined => {
    const value = getOwn(body, key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    const found = jsonName(value);
    throw unreadable(`json: cannot unmarshal ${found} into Go struct field .${key} of type string`);
  };
  return { apiVersion: read("apiVersion"), kind: read("kind") };
}

/** A document of another kind breaks the rules of this one, and nothing else about it matters. */
export function checkKind(target: Target, resource: Resource): void {
  const { version, served } = target;
  const expected = served.kind.names.kind;
  const { kind, apiVersion } = resource;
  const errors = [
    ...(kind === expected ? [] : [invalidField("kind", kind, `must be ${expected}`)]),
    ...(apiVersion === version.apiVersion
      ? []
      : [invalidField("apiVersion", apiVersion, `must be ${version.apiVersion}`)]),
  ];
  if (errors.length === 0) return;
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  throw invalid({ group, names: { kind } }, resource.metadata.name ?? "", errors);
}

/** The namespace of the URL, which the document may repeat but not contradict. */
export function withNamespace(target: Target, resource: Resource): Resource {
  const given = resource.metadata.namespace ?? "";
  if (given === target.namespace) return resource;
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

/** For writes to a named resource. */
export function checkName(target: Target, resource: Resource): void {
  const given = resource.metadata.name ?? "";
  if (given === target.name) return;
  throw badRequest(
    given === ""
      ? `the name of the object (${target.name} based on URL) was undeterminable: ` +
          "name must be provided"
      : `the name of the object (${given}) does not match the name on the URL (${target.name})`,
  );
}

/** What cannot be read, in the words of the API server; `source` is shown as it shows bodies. */
export function unrecognised(target: Target, why: string, source: Uint8Array | undefined): Error {
  const { kind } = target.served.kind.names;
  return badRequest(unrecognisedText(kind, why, source));
}

export function unrecognisedText(
  expected: string,
  why: string,
  source: Uint8Array | undefined,
): string {
  const shown = source === undefined ? "" : ` (${summary(source)})`;
  return `the object provided is unrecognized (must be of type ${expected}): ${why}${shown}`;
}

const summaryBytes = 30;
const openingBrace = 0x7b;

function summary(source: Uint8Array): string {
  if (source.length === 0) return "<empty>";
  const start = Buffer.from(source.subarray(0, summaryBytes));
  const shown = source[0] === openingBrace ? start.toString("utf8") : start.toString("hex");
  return source.length > summaryBytes ? `${shown} ...` : shown;
}

function textOf(source: Uint8Array): string {
  return Buffer.from(source).toString("utf8");
}

/** Metadata that is absent or null counts as empty; anything else is judged when it is read. */
export function withMetadataObject(resource: Resource): Resource {
  const { metadata = null } = resource as { readonly metadata?: Json };
  return metadata === null ? ({ ...resource, metadata: {} } as unknown as Resource) : resource;
}
