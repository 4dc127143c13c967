// A cluster that exists. An administrator installs its agent with the manifest of
// `setpoint agent-manifest`, and removes it. There is nothing to call.

import type { ClusterExecutor, ExecutorCall } from "./executor.ts";

export const registerExecutor: ClusterExecutor = {
  create: async ({ cluster, signal }) => {
    signal.throwIfAborted();
    return { externalId: cluster.id };
  },
  check: async ({ signal }) => {
    signal.throwIfAborted();
    return { kind: "provisioned" };
  },
  install: async ({ signal }: ExecutorCall) => signal.throwIfAborted(),
  remove: async ({ signal }) => {
    signal.throwIfAborted();
    return true;
  },
};
