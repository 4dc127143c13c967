// What the console reads about the Resource Manager: subscriptions, their resources, and the types
// that this server provides.

import { request } from "./client.ts";
import { insight } from "./insight.ts";
import { kindNamed } from "./kinds.ts";
import type { KindInfo } from "./kinds.ts";
import { kube } from "./kube.ts";
import type { JsonValue, Metadata, Resource, Row } from "./types.ts";

const group = "arm.setpoint.dev";
export const subscriptionsKind = `subscriptions.${group}`;
export const armOperationsKind = `operations.${group}`;
const groupLabel = `${group}/resource-group`;
const envelopeAnnotation = `${group}/envelope`;

export interface Subscription {
  readonly metadata: Metadata;
  readonly spec?: { readonly state?: string; readonly registrationDate?: string };
}

export interface ArmId {
  readonly group: string;
  /** "Example.Bakery/ovens" */
  readonly type: string;
  readonly name: string;
}

export interface ProvidedResource extends ArmId {
  readonly uid: string;
  /** As the Explorer names it. */
  readonly kind: KindInfo;
  readonly storedName: string;
  readonly namespace: string;
  readonly location: string;
  readonly verb: string;
  readonly startedAt: string | undefined;
  readonly state: Row["state"];
  readonly message: string;
}

export interface ProvidedResources {
  readonly items: readonly ProvidedResource[];
  /** Kinds of which only the first are shown. */
  readonly cut: readonly string[];
}

export interface ProvidedType {
  readonly provider: string;
  readonly types: readonly string[];
  readonly versions: readonly string[];
}

export const mostOfKind = 500;

export const providersApi = {
  resources: async (namespace: string, signal?: AbortSignal): Promise<ProvidedResources> => {
    const { kinds } = await insight.counts({ namespace }, signal);
    const own = kinds
      .filter(({ kind, total }) => total > 0 && !kind.endsWith(`.${group}`))
      .flatMap(({ kind }) => kindNamed(kind) ?? []);
    const lists = await Promise.all(own.map((kind) => resourcesOf(kind, namespace, signal)));
    return {
      items: lists.flatMap(({ items }) => items),
      cut: lists.flatMap(({ isCut, kind }) => (isCut ? [kind.kind] : [])),
    };
  },

  types: async (signal?: AbortSignal): Promise<readonly ProvidedType[]> => {
    const { value } = await request<{
      value: readonly { readonly provider: string; readonly apiVersion: string }[];
    }>("/swagger", withSignal(signal));
    const providers = [...new Set(value.map(({ provider }) => provider))].sort();
    return await Promise.all(
      providers.map(async (provider) => {
        const versions = value
          .filter((each) => each.provider === provider)
          .map(({ apiVersion }) => apiVersion)
          .sort();
        return { provider, versions, types: await typesOf(provider, versions.at(-1), signal) };
      }),
    );
  },
} as const;

async function typesOf(
  provider: string,
  version: string | undefined,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { value } = await request<{ value: readonly { readonly name: string }[] }>(
    `/providers/${encodeURIComponent(provider)}/operations`,
    { query: { "api-version": version }, ...withSignal(signal) },
  );
  // Each type can be written; what the protocol adds to every provider cannot.
  const start = `${provider}/`;
  const end = "/write";
  return value
    .filter(({ name }) => name.startsWith(start) && name.endsWith(end))
    .map(({ name }) => name.slice(start.length, -end.length));
}

async function resourcesOf(
  kind: KindInfo,
  namespace: string,
  signal?: AbortSignal,
): Promise<{
  readonly kind: KindInfo;
  readonly items: readonly ProvidedResource[];
  readonly isCut: boolean;
}> {
  const [documents, rows] = await Promise.all([
    kube.list(kind, namespace, { labelSelector: groupLabel, limit: mostOfKind }, signal),
    insight.rows({ kind: kind.id, namespace, labels: groupLabel, limit: mostOfKind }, signal),
  ]);
  const states = new Map(rows.items.map((row) => [row.uid, row.state]));
  const items = documents.items.flatMap((each) => provided(kind, each, states) ?? []);
  return { kind, items, isCut: (documents.metadata.continue ?? "") !== "" };
}

function provided(
  kind: KindInfo,
  { metadata, status }: Resource,
  states: ReadonlyMap<string, Row["state"]>,
): ProvidedResource | undefined {
  const envelope = recordIn(metadata.annotations?.[envelopeAnnotation]);
  const id = armIdOf(textOf(envelope["id"]));
  const { uid = "", namespace = "", name: storedName } = metadata;
  if (id === undefined) return undefined;
  const operation = recordFrom(envelope["operation"]);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return {
    ...id,
    uid,
    kind,
    storedName,
    namespace,
    location: textOf(envelope["location"]),
    verb: textOf(operation["verb"]),
    startedAt: textOf(operation["startedAt"]) || undefined,
    state: states.get(uid) ?? "Unknown",
    message: ready?.status === "True" ? "" : (ready?.message ?? ""),
  };
}

/** Undefined for what is not the id of a resource in a group. */
export function armIdOf(id: string): ArmId | undefined {
  const [, resourceGroup, provider, rest] =
    /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/([^/]+)\/(.+)$/i.exec(id) ?? [];
  if (resourceGroup === undefined || provider === undefined || rest === undefined) return undefined;
  const parts = rest.split("/");
  const types = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  return { group: resourceGroup, type: [provider, ...types].join("/"), name: names.join("/") };
}

/** The namespace of a subscription. */
export function namespaceOfSubscription(id: string): string {
  return `sub-${id.toLowerCase()}`;
}

function recordIn(text: string | undefined): Readonly<Record<string, JsonValue | undefined>> {
  try {
    return recordFrom(JSON.parse(text ?? "{}") as JsonValue);
  } catch {
    // An annotation that a client wrote by hand: the resource is then none of the Resource Manager.
    return {};
  }
}

function recordFrom(value: JsonValue | undefined): Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue | undefined>>)
    : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
