// `setpoint server --primary-cluster-name NAME`: the process of a secondary cluster. It keeps its
// store up to date, and listens on no address.
import { storeConfig } from "../app/config.ts";
import { followStore } from "../app/replication/operate.ts";
import { primaryCluster } from "../app/replication/primary-cluster.ts";
import type { LogForm } from "../telemetry/log-form.ts";
import type { Level } from "../telemetry/log.ts";
import type { Command } from "commander";
import { apiClient } from "./client/api-client.ts";
import { clientConfig } from "./client/kubeconfig-file.ts";
import { startDaemon } from "./daemon.ts";
import { configuredBy } from "./store-options.ts";
import type { StoreFlags } from "./store-options.ts";

export interface SecondaryFlags extends StoreFlags {
  readonly primary?: boolean;
  readonly primaryClusterName?: string;
  readonly logLevel?: Level;
  readonly logFormat?: LogForm;
}

/** Without the name every server is a primary, so that a plain start stays one. */
export function isSecondary({ primary, primaryClusterName }: SecondaryFlags): boolean {
  return primaryClusterName !== undefined && primary !== true;
}

export async function serveSecondary(flags: SecondaryFlags, command: Command): Promise<void> {
  const { config, cluster } = configuredBy(flags, command, (options, file) => ({
    config: storeConfig(options, file),
    cluster: primaryCluster(file, flags.primaryClusterName ?? ""),
  }));
  const { logLevel: level = "info", logFormat: form = "json" } = flags;
  const { log, timers, stopping: signal } = startDaemon({ level, form });
  const { kubeconfig, address } = cluster;
  const access = clientConfig({ kubeconfig, data: config.dataFolder });
  const source = { kind: "server", url: access.server, calls: apiClient(access) } as const;
  await followStore(config, source, { address, log, timers, signal });
}
