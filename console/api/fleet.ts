// What the console reads and does about fleets.

import { kindNamed } from "./kinds.ts";
import type { KindInfo } from "./kinds.ts";
import { kube } from "./kube.ts";
import type { Condition, JsonRecord, Metadata } from "./types.ts";

export const offeringsKind = "offerings.fleet.setpoint.dev";
export const clustersKind = "dataplaneclusters.fleet.setpoint.dev";
export const rolloutsKind = "rollouts.fleet.setpoint.dev";
export const organisationsKind = "organisations.fleet.setpoint.dev";

/** Version by component: `product` and `operator`. */
export type Versions = Readonly<Record<string, string>>;

interface Document<Spec, Status> {
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: Status & { readonly conditions?: readonly Condition[] };
}

export interface RegionUse {
  readonly provider: string;
  readonly region: string;
  /** "*": all types together. */
  readonly type: string;
  readonly capacity?: number;
  readonly used?: number;
}

export interface OfferingSpec {
  readonly displayName?: string;
  readonly instances: { readonly group: string; readonly kind: string; readonly plural: string };
  readonly types: readonly { readonly name: string; readonly quota: string }[];
  readonly maxInstances?: number;
  readonly terms?: { readonly version: string };
  readonly access?: { readonly isInMaintenance?: boolean };
}

export interface OfferingStatus {
  readonly endpoints?: Readonly<Record<string, string>>;
  readonly instances?: Readonly<Record<string, number>>;
  readonly regions?: readonly RegionUse[];
}

export type Offering = Document<OfferingSpec, OfferingStatus>;

export interface Operator {
  readonly version: string;
  readonly isReady?: boolean;
  readonly versions?: readonly string[];
}

export interface ClusterSpec {
  readonly displayName?: string;
  readonly provider: string;
  readonly region: string;
  readonly dns?: string;
  readonly isMultiAz?: boolean;
  readonly isSchedulable?: boolean;
  readonly isDraining?: boolean;
  readonly organisation?: string;
  readonly offerings?: readonly string[];
  readonly types?: readonly string[];
  readonly capacity?: {
    readonly instances?: number;
    readonly types?: Readonly<Record<string, number>>;
  };
  readonly executor?: { readonly kind?: string };
}

export interface ClusterStatus {
  readonly phase?: string;
  readonly phaseSince?: string;
  readonly used?: number;
  readonly remaining?: number;
  readonly failedReason?: string;
  readonly report?: {
    readonly at?: string;
    readonly isReady?: boolean;
    readonly reason?: string;
    readonly message?: string;
    readonly operators?: readonly Operator[];
    readonly capacity?: Readonly<
      Record<string, { readonly maxUnits?: number; readonly remainingUnits?: number }>
    >;
  };
}

export type Cluster = Document<ClusterSpec, ClusterStatus>;

export interface InstanceSpec {
  readonly id?: string;
  readonly owner?: string;
  readonly cloudProvider?: string;
  readonly region?: string;
  readonly multiAz?: boolean;
  readonly type?: string;
  /** Set by a rollout or an administrator; others follow from the cluster. */
  readonly versions?: Versions;
  readonly cluster?: string;
  readonly traits?: readonly string[];
  readonly expiresAt?: string;
  readonly expiryReason?: string;
  readonly suspension?: { readonly reason: string; readonly at?: string };
  readonly rotation?: number;
}

export interface Placement {
  readonly cluster?: string;
  readonly attempts?: number;
  readonly at?: string;
  /** The chosen cluster first, then each other cluster of the region with what is against it. */
  readonly why?: readonly { readonly cluster: string; readonly reason: string }[];
}

export interface InstanceStatus {
  readonly phase?: string;
  readonly phaseSince?: string;
  readonly readyAt?: string;
  readonly host?: string;
  readonly routes?: readonly { readonly domain: string; readonly router: string }[];
  readonly leaving?: readonly string[];
  readonly placement?: Placement;
  readonly preparations?: readonly {
    readonly preparation?: string;
    readonly kind?: string;
    readonly name?: string;
  }[];
  readonly quota?: { readonly state?: string; readonly message?: string };
  readonly desiredVersions?: Versions;
  readonly actualVersions?: Versions;
  readonly upgrading?: Readonly<Record<string, boolean>>;
  readonly failedReason?: string;
  readonly expiredAt?: string;
  readonly deniedAt?: string;
  readonly suspendedAt?: string;
}

export type Instance = Document<InstanceSpec, InstanceStatus>;

export interface Wave {
  readonly percent?: number;
  readonly count?: number;
  readonly maxUnavailable?: number;
  readonly soakSeconds?: number;
}

export interface RolloutSpec {
  readonly offering: string;
  readonly selector?: Readonly<Record<string, readonly string[]>>;
  readonly versions: Versions;
  readonly waves: readonly Wave[];
  readonly gates?: {
    readonly maxFailed?: number;
    readonly maxFailedPercent?: number;
    readonly notReadySeconds?: number;
    readonly condition?: string;
  };
  readonly onFailure?: string;
  readonly action?: string;
}

export interface RolloutStatus {
  readonly phase?: string;
  readonly wave?: number;
  readonly waves?: number;
  readonly waveDoneAt?: string;
  readonly total?: number;
  readonly updated?: number;
  readonly healthy?: number;
  readonly updating?: number;
  readonly failed?: number;
  readonly waiting?: number;
  readonly reverted?: number;
  readonly waitingFor?: readonly { readonly reason: string; readonly instances: number }[];
  readonly failures?: readonly {
    readonly id: string;
    readonly namespace: string;
    readonly name: string;
    readonly reason: string;
  }[];
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly history?: readonly {
    readonly at: string;
    readonly event: string;
    readonly message?: string;
  }[];
}

export type Rollout = Document<RolloutSpec, RolloutStatus>;

export interface Quota {
  readonly offering: string;
  readonly type: string;
  readonly user?: string;
  readonly used?: number;
  readonly max?: number;
}

export interface OrganisationSpec {
  readonly displayName?: string;
  readonly isDenied?: boolean;
  readonly members?: readonly {
    readonly user: string;
    readonly isAdmin?: boolean;
    readonly isDenied?: boolean;
  }[];
  readonly quotas?: readonly Quota[];
}

export interface OrganisationStatus {
  readonly namespace?: string;
  readonly usage?: readonly Quota[];
}

export type Organisation = Document<OrganisationSpec, OrganisationStatus>;

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** A longer list says so: pages of the fleet read one page of these kinds. */
export const mostListed = 500;

export interface Listed<T> {
  readonly items: readonly T[];
  readonly isCut: boolean;
}

export const fleetApi = {
  offerings: async (signal?: AbortSignal) => await all<Offering>(offeringsKind, signal),
  clusters: async (signal?: AbortSignal) => await all<Cluster>(clustersKind, signal),
  rollouts: async (signal?: AbortSignal) => await all<Rollout>(rolloutsKind, signal),

  one: async <T>(kind: KindInfo, place: Place, signal?: AbortSignal) =>
    (await kube.get(kind, place, signal)) as unknown as T,

  patch: async (kind: KindInfo, place: Place, spec: JsonRecord) =>
    await kube.merge(kind, place, { spec }),

  /** Refused if they were rotated more than `times` times, or the instance changes meanwhile. */
  rotate: async (kind: KindInfo, place: Place, times: number) => {
    const { metadata, spec } = await kube.get(kind, place);
    if ((spec?.["rotation"] ?? 0) !== times) {
      throw new Error("Its secrets were rotated meanwhile. Rotate again if that is not enough.");
    }
    const { resourceVersion = "" } = metadata;
    await kube.merge(kind, place, { metadata: { resourceVersion }, spec: { rotation: times + 1 } });
  },
} as const;

async function all<T>(id: string, signal: AbortSignal | undefined): Promise<Listed<T>> {
  const kind = kindNamed(id);
  if (kind === undefined) return { items: [], isCut: false };
  const { items, metadata } = await kube.list(kind, "", { limit: mostListed }, signal);
  return { items: items as unknown as readonly T[], isCut: (metadata.continue ?? "") !== "" };
}

/** The kind of the instances of an offering: "dinosaurs.dinosaurs.example.dev". */
export function instanceKindOf({ spec }: Offering): string {
  return `${spec.instances.plural}.${spec.instances.group}`;
}

const organisationPrefix = "org-";

export function organisationOf(namespace: string): string {
  return namespace.startsWith(organisationPrefix)
    ? namespace.slice(organisationPrefix.length)
    : namespace;
}

export function namespaceOf(organisation: string): string {
  return `${organisationPrefix}${organisation}`;
}
