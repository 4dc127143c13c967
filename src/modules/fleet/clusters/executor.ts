/**
 * The port through which clusters are created, equipped and removed. Each implementation passes the
 * suite in executor-contract.ts:
 *
 *  1. Every call is idempotent: a second call with the same cluster has no other effect.
 *  2. `create` returns the same id for the same cluster, until `remove` has returned true.
 *  3. After `create`, `check` returns "provisioned" within a finite number of calls, or "failed".
 *  4. `remove` can be called at any time, also for a cluster that was never created. It returns
 *     true when nothing is left.
 *  5. After `remove` has returned true, the same cluster can be created again.
 *  6. A call that is aborted rejects.
 */
import type { KubeAccess } from "../../../kernel/kubeconfig.ts";
import type { ManifestSettings } from "./agent-manifest.ts";
import type { DataPlaneCluster } from "./cluster.ts";

export interface ClusterExecutor {
  create(call: ExecutorCall): Promise<{ readonly externalId: string }>;
  check(call: ExecutorCall): Promise<ExecutorState>;
  /** Installs the agent, or brings it to these settings. */
  install(call: ExecutorCall, settings: ManifestSettings): Promise<void>;
  /** True when nothing is left of what `create` and `install` made. */
  remove(call: ExecutorCall): Promise<boolean>;
}

export interface ExecutorCall {
  readonly cluster: DataPlaneCluster;
  /** The API of the cluster, for executors that use it. */
  readonly access: KubeAccess | undefined;
  /** When the cluster entered its phase. */
  readonly phaseSinceMs: number;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export type ExecutorState =
  | { readonly kind: "provisioned" }
  | { readonly kind: "provisioning"; readonly againMs: number }
  | { readonly kind: "failed"; readonly reason: string };

/** Thrown by a call that cannot succeed before the spec changes. Other errors are repeated. */
export class ExecutorRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ExecutorRefusal";
  }
}
