// The options of commands that ask a running server: which one, as whom, and in which namespace.
import { Option } from "commander";
import type { Command } from "commander";
import { apiClient } from "./client/api-client.ts";
import type { ApiClient } from "./client/api-client.ts";
import { clientConfig } from "./client/kubeconfig-file.ts";
import { defaultDataFolder } from "../app/config.ts";

export interface ClientFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly data: string;
  readonly namespace?: string;
  readonly output: "text" | "json";
}

const ofResource = "namespace of the resource (default: that of the context)";

/** For commands that accept -n, as all commands do, and have no use for it. */
export const namespaceNotUsed = "not used";

export function addClientOptions(command: Command, namespace = ofResource): Command {
  return command
    .addOption(
      new Option("-n, --namespace <name>", namespace).hideHelp(namespace === namespaceNotUsed),
    )
    .option("--kubeconfig <file>", "kubeconfig file (default: KUBECONFIG, or --data)")
    .option("--context <name>", "context of the kubeconfig (default: its current one)")
    .addOption(
      new Option("--data <folder>", "data folder of a server on this machine")
        .env("SETPOINT_DATA")
        .default(defaultDataFolder),
    )
    .addOption(
      new Option("-o, --output <form>", "output format").choices(["text", "json"]).default("text"),
    );
}

export function clientFor({ kubeconfig, context, data }: ClientFlags): ApiClient {
  return apiClient(clientConfig({ kubeconfig, context, data }));
}
