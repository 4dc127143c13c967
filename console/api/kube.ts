// Resources as documents, through the Kubernetes API.

import { request } from "./client.ts";
import type { KindInfo } from "./kinds.ts";
import type { JsonRecord, ListOf, Resource } from "./types.ts";

export interface Named {
  readonly namespace: string;
  readonly name: string;
}

export interface EventDocument {
  readonly metadata: { readonly uid: string; readonly creationTimestamp?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly deprecatedCount?: number;
  readonly reportingComponent?: string;
  readonly involvedObject?: JsonRecord;
}

/** Who writes, in `managedFields`. */
export const fieldManager = "setpoint-console";

export const kube = {
  get: async (kind: KindInfo, { namespace, name }: Named, signal?: AbortSignal) =>
    await request<Resource>(documentPath(kind, namespace, name), withSignal(signal)),

  /** As text, to edit it. */
  getYaml: async (kind: KindInfo, { namespace, name }: Named, signal?: AbortSignal) =>
    await request<string>(documentPath(kind, namespace, name), {
      accept: "application/yaml",
      ...withSignal(signal),
    }),

  list: async (
    kind: KindInfo,
    namespace: string,
    query: Readonly<Record<string, string | number | undefined>> = {},
    signal?: AbortSignal,
  ) => await request<ListOf<Resource>>(kindPath(kind, namespace), { query, ...withSignal(signal) }),

  why: async (kind: KindInfo, { namespace, name }: Named, signal?: AbortSignal) =>
    await request<JsonRecord>(`${documentPath(kind, namespace, name)}/why`, withSignal(signal)),

  subresource: async (
    kind: KindInfo,
    { namespace, name }: Named,
    subresource: string,
    signal?: AbortSignal,
  ) =>
    await request<JsonRecord>(
      `${documentPath(kind, namespace, name)}/${subresource}`,
      withSignal(signal),
    ),

  merge: async (kind: KindInfo, { namespace, name }: Named, patch: JsonRecord) =>
    await request<Resource>(documentPath(kind, namespace, name), {
      method: "PATCH",
      type: "application/merge-patch+json",
      query: { fieldManager },
      body: patch,
    }),

  /** The text has the revision that it was read at, which is the precondition of the write. */
  replace: async (kind: KindInfo, { namespace, name }: Named, text: string, isDryRun: boolean) =>
    await request<Resource>(documentPath(kind, namespace, name), {
      method: "PUT",
      type: "application/yaml",
      query: writeQuery(isDryRun),
      body: text,
    }),

  create: async (kind: KindInfo, namespace: string, text: string, isDryRun: boolean) =>
    await request<Resource>(kindPath(kind, namespace), {
      method: "POST",
      type: "application/yaml",
      query: writeQuery(isDryRun),
      body: text,
    }),

  delete: async (kind: KindInfo, { namespace, name }: Named, uid?: string) =>
    await request<JsonRecord>(documentPath(kind, namespace, name), {
      method: "DELETE",
      ...(uid === undefined ? {} : { body: { preconditions: { uid } } }),
    }),

  /** As it was at a revision of the store: undefined when it did not exist then. */
  at: async (
    kind: KindInfo,
    { namespace, name }: Named,
    revision: number,
    signal?: AbortSignal,
  ) => {
    const { items } = await request<ListOf<Resource>>(kindPath(kind, namespace), {
      query: {
        fieldSelector: `metadata.name=${name}`,
        resourceVersion: revision,
        resourceVersionMatch: "Exact",
      },
      ...withSignal(signal),
    });
    return items[0];
  },

  /** Of one resource, newest last. */
  events: async ({ namespace }: Named, uid: string, signal?: AbortSignal) =>
    await request<ListOf<EventDocument>>(
      `/api/v1/namespaces/${encodeURIComponent(namespace || "default")}/events`,
      { query: { fieldSelector: `involvedObject.uid=${uid}`, limit: 500 }, ...withSignal(signal) },
    ),

  schema: async ({ group, version }: KindInfo, signal?: AbortSignal) =>
    await request<JsonRecord>(
      group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`,
      withSignal(signal),
    ),
} as const;

export function kindPath(kind: KindInfo, namespace: string): string {
  const { group, version, plural, isNamespaced } = kind;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place =
    isNamespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${root}${place}/${plural}`;
}

export function documentPath(kind: KindInfo, namespace: string, name: string): string {
  return `${kindPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

function writeQuery(isDryRun: boolean): Readonly<Record<string, string | undefined>> {
  return { fieldManager, fieldValidation: "Strict", dryRun: isDryRun ? "All" : undefined };
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
