// A simulated cluster. Its instances are simulated by the reconciler of ManagedInstances, and its
// agent by the reconciler of clusters (simulate.ts), so that nothing has to be kept in memory.

import { numberAt, textAt } from "../../../kernel/json-read.ts";
import type { ClusterExecutor, ExecutorCall } from "./executor.ts";

export const simulatorExecutor: ClusterExecutor = {
  create: async ({ cluster, signal }) => {
    signal.throwIfAborted();
    return { externalId: `simulated-${cluster.id}` };
  },
  check: async ({ cluster, phaseSinceMs, nowMs, signal }) => {
    signal.throwIfAborted();
    const settings = cluster.executor.simulator;
    const endMs = phaseSinceMs + (numberAt(settings, "provisionMs") ?? 0);
    if (nowMs < endMs) return { kind: "provisioning", againMs: endMs - nowMs };
    const reason = textAt(settings, "provisionError");
    return reason === "" ? { kind: "provisioned" } : { kind: "failed", reason };
  },
  install: async ({ signal }: ExecutorCall) => signal.throwIfAborted(),
  remove: async ({ signal }) => {
    signal.throwIfAborted();
    return true;
  },
};
