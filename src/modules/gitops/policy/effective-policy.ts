/**
 * What the GitOpsPolicies together allow a namespace. Restrictions hold when any policy for the
 * namespace states them; grants hold when one states them. Without a policy: all public
 * repositories and servers, all kinds, the own namespace, no objects without a namespace.
 */
import type { ObjectReference } from "../object-reference.ts";

export interface EffectivePolicy {
  /** Why a repository must not be used, as the message of a condition; undefined: it may. */
  readonly repositoryRefusal: (url: string) => string | undefined;
  /** For connections to git hosts and API servers. */
  readonly addressRefusal: (address: string, host: string) => string | undefined;
  readonly serverRefusal: (apiUrl: string) => string | undefined;
  /** For an object of this server. The namespace of the deployment is always allowed. */
  readonly objectRefusal: (at: ObjectReference, isNamespaced: boolean) => string | undefined;
  /** For a cluster whose agent pulls. */
  readonly clusterRefusal: (cluster: string) => string | undefined;
  /** For an object of such a cluster. */
  readonly clusterObjectRefusal: (
    cluster: string,
    at: ObjectReference,
    isNamespaced: boolean,
  ) => string | undefined;
  /** For an object of any target. */
  readonly kindRefusal: (group: string, kind: string) => string | undefined;
  readonly requiresSignature: boolean;
  readonly remoteBases: boolean;
  readonly helm: boolean;
  /** Those of each policy: all of them have to let syncs start. */
  readonly windows: readonly (readonly SyncWindow[])[];
  /** Undefined: no bound besides quotas. */
  readonly maxDeployments: number | undefined;
}

export interface SyncWindow {
  readonly kind: "allow" | "deny";
  readonly schedule: string;
  readonly durationSeconds: number;
  readonly timeZone: string;
  readonly manualSync: boolean;
}

/** From the live view, so that reading it costs nothing. */
export interface PolicyReader {
  policyOf(namespace: string): EffectivePolicy;
}
