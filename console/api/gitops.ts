// What the console reads and does about GitOpsDeployments.

import type { KindInfo } from "./kinds.ts";
import { kube } from "./kube.ts";
import { endedBy, rest } from "./rest.ts";
import type { Condition, JsonRecord, Metadata } from "./types.ts";

export const deploymentsKind = "gitopsdeployments.gitops.setpoint.dev";
export const syncRunsKind = "gitopsdeploymentsyncruns.gitops.setpoint.dev";

export interface ObjectAt {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface SeenHealth {
  readonly status?: string;
  readonly message?: string;
}

/** An object of the target, as the status lists it. */
export interface SeenObject extends ObjectAt {
  readonly status?: string;
  readonly health?: SeenHealth;
  readonly message?: string;
  readonly hook?: boolean;
  /** It is not in git, and would be deleted. */
  readonly prune?: boolean;
}

export interface HistoryEntry {
  readonly id?: number;
  readonly revision: string;
  readonly path?: string;
  readonly startedAt?: string;
  readonly deployedAt?: string;
  readonly trigger?: string;
}

export interface SyncWindow {
  readonly kind: "allow" | "deny";
  readonly schedule: string;
  readonly durationSeconds: number;
  readonly timeZone?: string;
  readonly manualSync?: boolean;
}

export interface SyncOperation {
  readonly phase?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly retryCount?: number;
  readonly nextRetryAt?: string;
  readonly operation?: { readonly trigger?: string; readonly revision?: string };
  readonly step?: {
    readonly phase?: string;
    readonly wave?: number;
    readonly done?: number;
    readonly of?: number;
  };
}

export interface HeldPrune {
  readonly hash: string;
  readonly reason?: string;
  readonly objects?: number;
  readonly named?: readonly ObjectAt[];
}

export interface DeploymentSpec {
  readonly type?: string;
  readonly source?: {
    readonly repoURL?: string;
    readonly path?: string;
    readonly targetRevision?: string;
  };
  readonly destination?: { readonly environment?: string; readonly namespace?: string };
  readonly serviceAccountName?: string;
  readonly syncPolicy?: {
    readonly deletion?: string;
    readonly prune?: boolean;
    readonly selfHeal?: boolean;
    readonly windows?: readonly SyncWindow[];
    readonly confirmPrune?: string;
  };
  readonly pin?: { readonly revision: string; readonly head?: string; readonly reason?: string };
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly sync?: { readonly status?: string; readonly revision?: string };
  readonly health?: SeenHealth;
  readonly resources?: readonly SeenObject[];
  readonly summary?: {
    readonly objects?: number;
    readonly synced?: number;
    readonly outOfSync?: number;
    readonly healthy?: number;
    readonly omitted?: number;
  };
  readonly operationState?: SyncOperation;
  readonly source?: { readonly revision?: string; readonly tool?: string };
  readonly prune?: HeldPrune;
  readonly pin?: { readonly revision?: string; readonly endedAt?: string };
  readonly waitingFor?: readonly { readonly name: string; readonly message?: string }[];
  readonly window?: string;
  readonly history?: readonly HistoryEntry[];
}

export interface Deployment {
  readonly metadata: Metadata;
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export interface PlannedField {
  readonly path: string;
  readonly kind: "added" | "changed" | "removed";
  readonly from?: string;
  readonly to?: string;
}

export interface PlannedObject extends ObjectAt {
  readonly action: "create" | "update";
  readonly file?: string;
  readonly changes: readonly PlannedField[];
  readonly isHidden: boolean;
}

/** What a sync would change: a dry run of the server. */
export interface DeploymentDiff {
  readonly revision: string;
  readonly ref: string;
  readonly isSynced: boolean;
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly (ObjectAt & {
    readonly isSkipped: boolean;
    readonly isHeld: boolean;
  })[];
  readonly problems: readonly {
    readonly reason: string;
    readonly message: string;
    readonly file: string;
  }[];
}

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export const gitopsApi = {
  one: async (kind: KindInfo, place: Place, signal?: AbortSignal) =>
    (await kube.get(kind, place, signal)) as unknown as Deployment,

  diff: async (path: Place, revision: string | undefined, signal?: AbortSignal) => {
    const query = { revision };
    const options = { path, query, ...endedBy(signal) };
    const answer = await rest.call("getGitopsDeploymentsByNamespaceByNameDiff", options);
    return answer as unknown as DeploymentDiff;
  },

  /** Reads the repository now; the commit that the deployment should have. */
  refresh: async (path: Place) =>
    await rest.call("postGitopsDeploymentsByNamespaceByNameRefresh", { path }),

  /** The full commit behind a name, and that of targetRevision. */
  revision: async (path: Place, revision: string) => {
    const options = { path, query: { revision } };
    const found = await rest.call("getGitopsDeploymentsByNamespaceByNameRevision", options);
    const { commit = "", head = "" } = found;
    return { commit, head };
  },

  patch: async (kind: KindInfo, place: Place, spec: JsonRecord) =>
    await kube.merge(kind, place, { spec }),

  /** One sync of a manual deployment. */
  run: async (kind: KindInfo, { namespace, name }: Place, revision?: string) =>
    await kube.create(
      kind,
      namespace,
      JSON.stringify({
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: { generateName: `${name.slice(0, 200)}-` },
        spec: {
          gitopsDeploymentName: name,
          ...(revision === undefined ? {} : { revisionID: revision }),
        },
      }),
      false,
    ),
} as const;
