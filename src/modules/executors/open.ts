/** The module in a process: one line for each executor. */
import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts } from "../../contract/ports.ts";
import { openCommand } from "./command/open-command.ts";
import { openConsul } from "./consul/open-consul.ts";
import { openHttpCalls } from "./http/open-http.ts";
import { openKubernetes } from "./kubernetes/open-kubernetes.ts";
import type { ExecutorPart, OpenPart } from "./part.ts";
import { openPolicy } from "./policy/open-policy.ts";
import { openRuns } from "./runs/open-runs.ts";
import { openTerraform } from "./terraform/open-terraform.ts";
import { openVault } from "./vault/open-vault.ts";

/** Their admission runs in this order. */
const parts: readonly OpenPart[] = [
  openPolicy,
  openRuns,
  openTerraform,
  openCommand,
  openConsul,
  openVault,
  openHttpCalls,
  openKubernetes,
];

export function openExecutors(ports: OpenPorts): OpenModule {
  const opened = parts.map((open) => open(ports));
  return {
    admission: opened.flatMap((part) => part.admission ?? []),
    subresources: opened.flatMap((part) => part.subresources ?? []),
    routes: (more) => opened.flatMap((part) => part.routes?.(more) ?? []),
    healthChecks: opened.flatMap((part) => part.healthChecks ?? []),
    policyOf: (system) => firstPolicy(opened, system),
    start: async (more) => {
      await using stops = new AsyncDisposableStack();
      for (const part of opened) await part.start?.(more, stops);
      return stops.move();
    },
    close: async () => {
      for (const part of opened.toReversed()) await part.close?.();
    },
  };
}

function firstPolicy(
  opened: readonly ExecutorPart[],
  system: string,
): ReturnType<NonNullable<OpenModule["policyOf"]>> {
  for (const part of opened) {
    const policy = part.policyOf?.(system);
    if (policy !== undefined) return policy;
  }
  return undefined;
}
