// The commands of the fleet module, as the command line takes them.

import type { CommandGroup } from "../../../contract/command.ts";

const agentHelp = `
The agent runs until SIGTERM or SIGINT. It keeps no state: after a kill it reads both sides and
continues.

Examples:
  setpoint agent --control-plane https://fleet.example:7443 --cluster east-1 \\
    --token-file token --ca ca.crt --apply-to ~/.kube/config
  setpoint agent --control-plane https://127.0.0.1:7443 --cluster east-1 \\
    --kubeconfig agent.kubeconfig --simulate`;

export const fleetCommands: readonly CommandGroup[] = [
  {
    commands: [
      {
        syntax: "agent",
        summary: "apply the instances of a data-plane cluster, and report about them",
        usage:
          "--control-plane URL --cluster ID (--token-file FILE | --kubeconfig FILE) " +
          "(--apply-to KUBECONFIG | --simulate) [options]",
        help: agentHelp,
        server: "none",
        options: [
          {
            flags: "--control-plane <url>",
            summary: "URL of the control plane (required)",
            isRequired: true,
          },
          {
            flags: "--cluster <id>",
            summary: "name of the DataPlaneCluster (required)",
            isRequired: true,
          },
          {
            flags: "--token-file <file>",
            summary: "file with the token of the agent; read again for each request",
            conflicts: ["kubeconfig"],
          },
          {
            flags: "--kubeconfig <file>",
            summary: "kubeconfig with the credential for the control plane",
          },
          { flags: "--ca <file>", summary: "certificate authority of the control plane (PEM)" },
          {
            flags: "--apply-to <kubeconfig>",
            summary: 'Kubernetes API to apply to; "in-cluster" for the account of the pod',
            conflicts: ["simulate"],
          },
          { flags: "--simulate", summary: "simulate the data plane in memory" },
          {
            flags: "--simulate-settings <file>",
            summary: "latency and failures of the simulator (YAML)",
          },
          {
            flags: "--namespace <name>",
            summary: "namespace for all objects (default: one for each instance)",
          },
          {
            flags: "--status-file <file>",
            summary: "operators and capacity to report (YAML); read again for each report",
          },
          { flags: "--log-level <level>", summary: "debug, info, warn or error (default: info)" },
          { flags: "--log-format <form>", summary: "json or text (default: json)" },
        ],
        load: async () => (await import("./run-agent.ts")).runAgent,
      },
    ],
  },
];
