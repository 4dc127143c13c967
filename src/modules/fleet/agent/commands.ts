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

const manifestHelp = `
The output contains a credential. Send it to kubectl, or store it as a secret.

Example:
  setpoint agent-manifest east-1 --control-plane https://fleet.example:7443 --ca ca.crt |
    kubectl --context east-1 apply -f -`;

const usageHelp = `
Without --output json, the report is CSV. A report that is not complete says so on standard error.

Example:
  setpoint fleet usage --offering dinosaurs --from 2026-01-01 --to 2026-02-01 > january.csv`;

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
      {
        syntax: "agent-manifest <cluster>",
        summary: "print the objects that run the agent of a data-plane cluster, with a token",
        usage: "CLUSTER --control-plane URL [options]",
        help: manifestHelp,
        server: "without-namespace",
        options: [
          {
            flags: "--control-plane <url>",
            summary: "URL at which the agent reaches this server (required)",
            isRequired: true,
          },
          { flags: "--ca <file>", summary: "certificate authority of this server (PEM)" },
          { flags: "--image <name>", summary: "image of the agent (default: setpoint)" },
          {
            flags: "--agent-namespace <name>",
            summary: "namespace of the agent (default: setpoint-agent)",
          },
          { flags: "--token-days <days>", summary: "life of the token (default: 30)" },
          { flags: "--no-workload", summary: "without the Deployment" },
        ],
        load: async () => (await import("./manifest-command.ts")).printManifest,
      },
    ],
  },
  {
    name: "fleet",
    summary: "operate the fleets of managed services",
    commands: [
      {
        syntax: "usage",
        summary: "print the use of the instances of an Offering in a period",
        usage: "--offering NAME --from TIME [--to TIME] [--by organisation|instance] [options]",
        help: usageHelp,
        server: "without-namespace",
        options: [
          { flags: "--offering <name>", summary: "the Offering (required)", isRequired: true },
          {
            flags: "--from <time>",
            summary: "begin of the period: a date or a time (required)",
            isRequired: true,
          },
          { flags: "--to <time>", summary: "end of the period, exclusive (default: now)" },
          {
            flags: "--by <what>",
            summary: "a line for each organisation and type, or for each instance",
          },
        ],
        load: async () => (await import("../usage/usage-command.ts")).runUsage,
      },
    ],
  },
];
