// All OpenAPI documents of one generation of the registry. Nothing is built before it is asked for,
// and a group's document is kept over generations as long as nothing in it changed: a registry of
// hundreds of definitions then costs one hash per definition and not one document. Definitions can
// be large, so hashes are computed with pauses, and large documents are built by a thread.

import { createHash } from "node:crypto";
import type { HeavyResult } from "../../../kernel/heavy-work.ts";
import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { KindVersion } from "../../../kernel/kind.ts";
import { limits } from "../../../kernel/limits.ts";
import type { RequestWork } from "../body.ts";
import { encodedJson, sha512Hex } from "../discovery/encoded-document.ts";
import type { EncodedDocument } from "../discovery/encoded-document.ts";
import type { ServedGroup, ServedResource, ServedVersion } from "../discovery/served-groups.ts";
import { builtDocument, documentType } from "./built-document.ts";
import type { DocumentForm } from "./built-document.ts";
import { rootPath } from "./operation.ts";

export interface OpenApi {
  /** GET /openapi/v3. */
  readonly index: (by: DocumentWork) => Promise<EncodedDocument>;
  /** GET /openapi/v3/PATH, as in "apis/example.dev/v1"; undefined when nothing is served there. */
  readonly document: (path: string, by: DocumentWork) => Promise<HashedDocument | undefined>;
  /** GET /openapi/v2. */
  readonly v2: (form: V2Form, by: DocumentWork) => Promise<EncodedDocument>;
}

export interface HashedDocument {
  readonly document: EncodedDocument;
  /** The hash that the index gives for the path; clients may keep what they fetched under it. */
  readonly hash: string;
}

/** What the request that needs a document provides for building it. */
export interface DocumentWork {
  readonly run: RequestWork;
  /** Lets other requests run. */
  readonly pause: () => Promise<void>;
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
  const info = { title: "Kubernetes", version: input.serverVersion };
  const versions = input.groups.flatMap((group) => group.versions);
  const entries = shared((by) => entriesOf(versions, info, by));
  const known = shared(async (by) => {
    const all = await entries(by);
    const current = new Set(all.map((entry) => entry.hash));
    for (const hash of cache.keys()) if (!current.has(hash)) cache.delete(hash);
    return new Map(all.map((entry) => [entry.path, entry]));
  });
  const forms = {
    json: shared((by) => documentOf(versions, "v2-json", info, by)),
    protobuf: shared((by) => documentOf(versions, "v2-protobuf", info, by)),
  };
  return {
    index: shared(async (by) => encodedJson(indexOf(await entries(by)))),
    document: async (path, by) => {
      const entry = (await known(by)).get(path);
      if (entry === undefined) return undefined;
      const { hash, version } = entry;
      const document = cache.get(hash) ?? (await documentOf([version], "v3", info, by));
      cache.set(hash, document);
      return { document, hash };
    },
    v2: (form, by) => forms[form](by),
  };
}

/** Requests at the same time share the work; after a failure the next request tries again. */
function shared<T>(make: (by: DocumentWork) => Promise<T>): (by: DocumentWork) => Promise<T> {
  let made: Promise<T> | undefined;
  return async (by) => {
    made ??= make(by);
    try {
      return await made;
    } catch (error) {
      made = undefined;
      throw error;
    }
  };
}

interface Entry {
  readonly path: string;
  readonly hash: string;
  readonly version: ServedVersion;
}

async function entriesOf(
  versions: readonly ServedVersion[],
  info: JsonObject,
  { pause }: DocumentWork,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const version of versions) {
    const path = rootPath(version.group, version.name).slice(1);
    const parts: string[] = [];
    for (const resource of version.resources) {
      const { digest, isLarge } = digestOf(resource.version);
      parts.push(resourceDigest(resource, digest));
      if (isLarge) await pause();
    }
    entries.push({ path, hash: sha512Hex(JSON.stringify([path, info, parts])), version });
  }
  return entries;
}

function indexOf(entries: readonly Entry[]): JsonObject {
  const paths: MutableJsonObject = {};
  for (const { path, hash } of entries) {
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

/** Of everything about a resource that its document shows. */
function resourceDigest({ kind, verbs, subresources }: ServedResource, version: string): string {
  const { group, names, scope, origin } = kind;
  return JSON.stringify([group, names, scope, origin, verbs, subresources, version]);
}

const digests = new WeakMap<KindVersion, string>();

/** Versions do not change, so that a digest holds as long as the version lives. */
function digestOf(version: KindVersion): { readonly digest: string; readonly isLarge: boolean } {
  const known = digests.get(version);
  if (known !== undefined) return { digest: known, isLarge: false };
  const text = JSON.stringify(version);
  const digest = createHash("sha256").update(text).digest("base64");
  digests.set(version, digest);
  return { digest, isLarge: text.length >= limits.minSlicedBytes };
}

async function documentOf(
  versions: readonly ServedVersion[],
  form: DocumentForm,
  info: JsonObject,
  { run, pause }: DocumentWork,
): Promise<EncodedDocument> {
  const parts: string[] = [];
  let chars = 0;
  for (const version of versions) {
    for (const resource of version.resources) {
      const part = JSON.stringify([version.group, version.name, slim(resource)]);
      parts.push(part);
      chars += part.length;
      if (part.length >= limits.minSlicedBytes) await pause();
    }
  }
  const text = `[${parts.join(",")}]`;
  const bytes = Buffer.from(text);
  const options = { form, info };
  const { bytes: built, facts }: HeavyResult =
    chars < limits.minHeavyBytes
      ? builtDocument(bytes, options)
      : await run({ name: "openapi", bytes, options });
  return { bytes: built, etag: textAt(facts, "etag"), contentType: documentType(form) };
}

/** Of the versions of the kind, only the one that is shown. */
function slim(resource: ServedResource): object {
  return { ...resource, kind: { ...resource.kind, versions: [], fieldRules: [] } };
}
