// The options of commands that ask a running server: which one, as whom, and in which namespace.
import { Option } from "commander";
import type { Command } from "commander";
import { apiClient } from "../app/client/api-client.ts";
import type { ApiClient } from "../app/client/api-client.ts";
import { clientConfig } from "../app/client/kubeconfig-file.ts";
import { defaultDataFolder } from "../app/config.ts";

export interface ClientFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly data: string;
  readonly namespace?: string;
  readonly output: "text" | "json";
}

const ofResource = "namespace of the resource (default: that of the context)";

export function addClientOptions(command: Command, namespace = ofResource): Command {
  return command
    .option("-n, --namespace <name>", namespace)
    .option("--kubeconfig <file>", "how to reach the server (default: KUBECONFIG, or --data)")
    .option("--context <name>", "another context of the kubeconfig than its current one")
    .addOption(
      new Option("--data <folder>", "data folder of a server on this machine")
        .env("SETPOINT_DATA")
        .default(defaultDataFolder),
    )
    .addOption(
      new Option("-o, --output <form>", "how to print the answer")
        .choices(["text", "json"])
        .default("text"),
    );
}

export function clientFor({ kubeconfig, context, data }: ClientFlags): ApiClient {
  return apiClient(clientConfig({ kubeconfig, context, data }));
}
