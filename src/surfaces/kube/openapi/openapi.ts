// All OpenAPI documents of one generation of the registry. Nothing is built before it is asked for,
// and a group's document is kept over generations as long as nothing in it changed: a registry of
// hundreds of definitions then costs one hash per definition and not one document.

import { createHash } from "node:crypto";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { KindVersion } from "../../../kernel/kind.ts";
import { encodedBytes, encodedJson, once, sha512Hex } from "../discovery/encoded-document.ts";
import type { EncodedDocument } from "../discovery/encoded-document.ts";
import type { ServedGroup, ServedResource, ServedVersion } from "../discovery/served-groups.ts";
import { gnosticDocument, gnosticType } from "./gnostic.ts";
import { rootPath } from "./operation.ts";
import { v2Document } from "./v2-document.ts";
import { v3Document } from "./v3-document.ts";

export interface OpenApi {
  /** GET /openapi/v3. */
  readonly index: () => EncodedDocument;
  /** GET /openapi/v3/PATH, as in "apis/example.dev/v1"; undefined when nothing is served there. */
  readonly document: (path: string) => EncodedDocument | undefined;
  /** The hash that the index gives for a path; clients may keep what they fetched under it. */
  readonly hashOf: (path: string) => string | undefined;
  /** GET /openapi/v2. */
  readonly v2: (form: V2Form) => EncodedDocument;
}

export type V2Form = "json" | "protobuf";

export interface OpenApiInput {
  readonly groups: readonly ServedGroup[];
  /** Shown as the version of the API. */
  readonly serverVersion: string;
}

/** Documents of earlier generations, by hash. */
export type OpenApiCache = Map<string, EncodedDocument>;

export function openApiOf(input: OpenApiInput, cache: OpenApiCache = new Map()): OpenApi {
  const { groups, serverVersion } = input;
  const info = { title: "Kubernetes", version: serverVersion };
  const entries = groups
    .flatMap((group) => group.versions)
    .map((version) => entryOf(version, info));
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const current = new Set(entries.map((entry) => entry.hash));
  for (const hash of cache.keys()) if (!current.has(hash)) cache.delete(hash);
  // The document itself is not kept: it is much larger than its bytes.
  const swagger = (): JsonObject => v2Document(groups, info);
  const forms = {
    json: once(() => encodedJson(swagger())),
    protobuf: once(() => encodedBytes(gnosticDocument(swagger()), gnosticType)),
  };
  return {
    index: once(() => encodedJson(indexOf(entries))),
    document: (path) => {
      const entry = byPath.get(path);
      return entry === undefined ? undefined : cached(cache, entry, info);
    },
    hashOf: (path) => byPath.get(path)?.hash,
    v2: (form) => forms[form](),
  };
}

interface Entry {
  readonly path: string;
  readonly hash: string;
  readonly version: ServedVersion;
}

function entryOf(version: ServedVersion, info: JsonObject): Entry {
  const path = rootPath(version.group, version.name).slice(1);
  const parts = version.resources.map(resourceDigest);
  return { path, hash: sha512Hex(JSON.stringify([path, info, parts])), version };
}

function indexOf(entries: readonly Entry[]): JsonObject {
  const paths: MutableJsonObject = {};
  for (const { path, hash } of entries) {
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

function cached(cache: OpenApiCache, entry: Entry, info: JsonObject): EncodedDocument {
  const known = cache.get(entry.hash);
  if (known !== undefined) return known;
  const made = encodedJson(v3Document(entry.version, info));
  cache.set(entry.hash, made);
  return made;
}

/** Of everything about a resource that its document shows. */
function resourceDigest({ kind, version, verbs, subresources }: ServedResource): string {
  const { group, names, scope, origin } = kind;
  return JSON.stringify([group, names, scope, origin, verbs, subresources, digestOf(version)]);
}

const digests = new WeakMap<KindVersion, string>();

/** Versions are frozen, so that a digest holds as long as the version lives. */
function digestOf(version: KindVersion): string {
  const known = digests.get(version);
  if (known !== undefined) return known;
  const made = createHash("sha256").update(JSON.stringify(version)).digest("base64");
  digests.set(version, made);
  return made;
}
