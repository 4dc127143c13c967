// The API of a server with objects: another one by its kubeconfig, or this one (own-api.ts).

import { KubeError } from "../adapters/kubernetes/port.ts";
import type { KubeClient, KubeKind } from "../adapters/kubernetes/port.ts";
import type { Context } from "../engine/reconciler.ts";
import type { JsonObject } from "../kernel/json.ts";

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for an object without one. */
  readonly namespace: string;
  readonly name: string;
}

export type ObjectType = Pick<ObjectReference, "apiVersion" | "kind">;
export type Propagation = "Background" | "Foreground";

export interface ServedObjectKind {
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** In this server: its objects have a reconciler. Unknown of other servers. */
  readonly isReconciled: boolean;
  /** In this server: the kind whose objects this one shows in another form. */
  readonly formOf?: ObjectType;
}

/** Throws KubeError for what the server refuses. */
export interface ObjectApi {
  /** Undefined when the kind is not served. */
  findKind(kind: ObjectType): Promise<ServedObjectKind | undefined>;
  /** Undefined when it does not exist. */
  get(at: ObjectReference): Promise<JsonObject | undefined>;
  /** Server-side apply; the object as it is, or as it would be, afterwards. */
  apply(at: ObjectReference, object: JsonObject, isDryRun: boolean): Promise<JsonObject>;
  /** All objects of the kind with the value of the label that may be read. */
  listLabelled(kind: ObjectType, label: string, value: string): Promise<readonly JsonObject[]>;
  /** Only an object with this uid. */
  delete(at: ObjectReference, uid: string, propagation?: Propagation): Promise<void>;
}

/** Of another server. */
export interface RemoteApi extends ObjectApi {
  /** The first objects of the kind in the namespace; undefined when the kind is not served. */
  readonly listIn: ListIn;
}

export type ListIn = (
  kind: ObjectType,
  namespace: string,
  most: number,
) => Promise<FirstObjects | undefined>;

export interface FirstObjects {
  readonly objects: readonly JsonObject[];
  /** There are more. */
  readonly isPartial: boolean;
}

/** Every call passes the circuit breaker of the target. */
export function remoteApi(
  client: KubeClient,
  { outside }: Pick<Context, "outside">,
  system: string,
): RemoteApi {
  const known = new Map<string, KubeKind>();
  const kindOf = async (kind: ObjectType): Promise<KubeKind | undefined> => {
    const name = `${kind.apiVersion} ${kind.kind}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    const served = await outside(system, (signal) => client.findKind(kind, signal));
    if (served !== undefined) known.set(name, served);
    return served;
  };
  const pathOf = async (at: ObjectReference): Promise<string> => {
    const served = await kindOf(at);
    if (served === undefined) throw unknownKind(at);
    const base = basePath(at);
    const within = served.isNamespaced ? `/namespaces/${encodeURIComponent(at.namespace)}` : "";
    return `${base}${within}/${served.plural}/${encodeURIComponent(at.name)}`;
  };
  return {
    findKind: async (kind) => {
      const served = await kindOf(kind);
      return served === undefined ? undefined : { ...served, isReconciled: false };
    },
    listLabelled: async (kind, label, value) => {
      const served = await kindOf(kind);
      if (served === undefined) return [];
      const path = `${basePath(kind)}/${served.plural}`;
      const query = { labelSelector: `${label}=${value}` };
      const { items } = await outside(system, (signal) => client.list(path, query, signal));
      return withType(items, kind);
    },
    listIn: async (kind, namespace, most) => {
      const served = await kindOf(kind);
      if (served === undefined) return undefined;
      const path = `${basePath(kind)}/namespaces/${encodeURIComponent(namespace)}/${served.plural}`;
      const list = await outside(system, (signal) => client.list(path, {}, signal, most));
      return { objects: withType(list.items, kind), isPartial: list.isPartial === true };
    },
    get: async (at) => {
      // Without its kind, an object does not exist either.
      if ((await kindOf(at)) === undefined) return undefined;
      const path = await pathOf(at);
      return await outside(system, (signal) => client.get(path, signal));
    },
    apply: async (at, object, isDryRun) => {
      const path = await pathOf(at);
      return await outside(system, (signal) => client.apply(path, object, signal, { isDryRun }));
    },
    delete: async (at, uid, propagation) => {
      const path = await pathOf(at);
      await outside(system, (signal) => client.delete(path, uid, signal, propagation));
    },
  };
}

/** Items of a list have no type of their own. */
function withType(
  items: readonly JsonObject[],
  { apiVersion, kind }: ObjectType,
): readonly JsonObject[] {
  return Array.from(items, (item) => ({ ...item, apiVersion, kind }));
}

function basePath({ apiVersion }: Pick<ObjectType, "apiVersion">): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

export function unknownKind({ apiVersion, kind }: ObjectReference): KubeError {
  return new KubeError(404, "UnknownKind", `the kind ${kind} of ${apiVersion} is not served`);
}
