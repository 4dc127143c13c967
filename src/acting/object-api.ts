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

/** Throws KubeError for what the server refuses. */
export interface ObjectApi {
  /** Whether objects of the kind have a namespace; undefined when the kind is not served. */
  isNamespaced(kind: Pick<ObjectReference, "apiVersion" | "kind">): Promise<boolean | undefined>;
  /** Undefined when it does not exist. */
  get(at: ObjectReference): Promise<JsonObject | undefined>;
  /** Server-side apply; the object as it is, or as it would be, afterwards. */
  apply(at: ObjectReference, object: JsonObject, isDryRun: boolean): Promise<JsonObject>;
  /** Only an object with this uid. */
  delete(at: ObjectReference, uid: string): Promise<void>;
}

/** Every call passes the circuit breaker of the target. */
export function remoteApi(
  client: KubeClient,
  { outside }: Pick<Context, "outside">,
  system: string,
): ObjectApi {
  const known = new Map<string, KubeKind>();
  const kindOf = async (
    kind: Pick<ObjectReference, "apiVersion" | "kind">,
  ): Promise<KubeKind | undefined> => {
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
    const base = at.apiVersion.includes("/") ? `/apis/${at.apiVersion}` : `/api/${at.apiVersion}`;
    const within = served.isNamespaced ? `/namespaces/${encodeURIComponent(at.namespace)}` : "";
    return `${base}${within}/${served.plural}/${encodeURIComponent(at.name)}`;
  };
  return {
    isNamespaced: async (kind) => (await kindOf(kind))?.isNamespaced,
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
    delete: async (at, uid) => {
      const path = await pathOf(at);
      await outside(system, (signal) => client.delete(path, uid, signal));
    },
  };
}

export function unknownKind({ apiVersion, kind }: ObjectReference): KubeError {
  return new KubeError(404, "UnknownKind", `the kind ${kind} of ${apiVersion} is not served`);
}
