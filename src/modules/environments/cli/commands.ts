// The commands `setpoint env` and `setpoint template`, as the command line takes them.

import type { Command, CommandGroup, CommandOption } from "../../../contract/command.ts";

const noWait: CommandOption = {
  flags: "--no-wait",
  summary: "return when the request is stored, without showing the progress",
};

const createHelp = `
Without --no-wait, the command shows the progress. Its exit code is 1 when the deployment fails.

Examples:
  setpoint env create shop.v1 --name "Preview 7" --set size=2 --ttl 8h
  setpoint env create shop.v1 --id preview-7 --set-secret token=@token.txt --tag team=payments`;

const planHelp = `
The command changes nothing. Values that are known only after other resources are applied are
shown as deferred.

Examples:
  setpoint env plan preview-7
  setpoint env plan preview-7 --template shop.v2 --set size=3
  setpoint env plan preview-7 --destroy`;

const searchHelp = `
All words must occur; parts of words are found as well. The command searches all namespaces that
you may list, or the one of --namespace.

Examples:
  setpoint env search billing
  setpoint env search payments stage=test`;

const graphHelp = `
A resource is ENVIRONMENT.KEY, or TYPE/NAME such as external-resources/dns. The graph includes
other environments.

Examples:
  setpoint env graph preview-7.web
  setpoint env graph preview-7.db --dependants --depth 2
  setpoint env graph preview-7.web --to preview-7.db`;

const parameterOptions: readonly CommandOption[] = [
  {
    flags: "--set <name=value...>",
    summary: "parameters; values are JSON, or text: --set 'version=\"1.10\"' is a text",
  },
  {
    flags: "--set-secret <name=value...>",
    summary: "secret parameters; @FILE reads the value from a file, - from standard input",
  },
];

const updateHelp = `
The command changes what the options state, and nothing else. Without --no-wait, it shows the
progress. To see the effect first, use setpoint env plan.

Examples:
  setpoint env update preview-7 --template shop.v2 --ttl 8h
  setpoint env update preview-7 --set size=3 --tag stage=test
  setpoint env update production --protect`;

const deployHelp = `
The command deploys an environment that was destroyed, and changes what the options state, in one
write. An environment that is deployed is updated. If the date of planned destruction has passed,
state another one with --ttl.

Examples:
  setpoint env deploy preview-7 --ttl 8h
  setpoint env deploy preview-7 --set image=shop:1.5 --ttl 8h`;

/** Of an environment that is created or updated. */
const fieldOptions: readonly CommandOption[] = [
  { flags: "--name <text>", summary: "display name, unique in the namespace" },
  { flags: "--description <text>", summary: "description" },
  ...parameterOptions,
  { flags: "--tag <name=value...>", summary: "tags" },
  { flags: "--ttl <duration>", summary: "planned destruction after this time, such as 8h" },
  { flags: "--service-account <name>", summary: "ServiceAccount that applies the resources" },
];

const environmentCommands: readonly Command[] = [
  {
    syntax: "create <templates...>",
    summary: "create an environment from templates and deploy it",
    help: createHelp,
    options: [
      { flags: "--id <id>", summary: "id of the environment (default: generated)" },
      ...fieldOptions,
      { flags: "--approval", summary: "changes need an approved plan" },
      noWait,
    ],
    server: "used",
    load: async () => (await import("./create.ts")).runCreate,
  },
  {
    syntax: "update <id>",
    summary: "change an environment and deploy the change",
    help: updateHelp,
    options: [
      { flags: "--template <names...>", summary: "templates instead of the present ones" },
      ...fieldOptions,
      { flags: "--protect", summary: "refuse destruction and deletion" },
      { flags: "--no-protect", summary: "allow destruction and deletion again" },
      noWait,
    ],
    server: "used",
    load: async () => (await import("./update.ts")).runUpdate,
  },
  {
    syntax: "list",
    summary: "list environments with their status",
    options: [
      { flags: "-A, --all-namespaces", summary: "in all namespaces" },
      { flags: "--tag <name=value...>", summary: "only with these tags" },
      { flags: "--phase <phase>", summary: "only in this phase, such as DeployedFail" },
    ],
    server: "used",
    load: async () => (await import("./show.ts")).runList,
  },
  {
    syntax: "show <id>",
    summary: "show an environment with its resources, health, drift and dates",
    options: [],
    server: "used",
    load: async () => (await import("./show.ts")).runShow,
  },
  {
    syntax: "operations <id>",
    summary: "list what was done to an environment, such as for rollback and cancel",
    options: [],
    server: "used",
    load: async () => (await import("./find.ts")).runOperations,
  },
  {
    syntax: "search <words...>",
    summary: "find environments, templates, resources, groups and external resources by text",
    help: searchHelp,
    options: [],
    server: "used",
    load: async () => (await import("./find.ts")).runSearch,
  },
  {
    syntax: "graph <resource>",
    summary: "show what a resource depends on, or what depends on it",
    help: graphHelp,
    options: [
      { flags: "--dependants", summary: "what depends on it", conflicts: ["to"] },
      { flags: "--depth <levels>", summary: "how many levels (default: 5)", conflicts: ["to"] },
      { flags: "--to <resource>", summary: "the shortest path to one of its dependencies" },
    ],
    server: "used",
    load: async () => (await import("./find.ts")).runGraph,
  },
  {
    syntax: "plan <id>",
    summary: "show what a deployment would change",
    help: planHelp,
    options: [
      { flags: "--template <names...>", summary: "templates (default: those of the environment)" },
      ...parameterOptions,
      { flags: "--destroy", summary: "plan the destruction" },
    ],
    server: "used",
    load: async () => (await import("./plan.ts")).runPlan,
  },
  {
    syntax: "approve <plan>",
    summary: "approve a plan and deploy it",
    options: [noWait],
    server: "used",
    load: async () => (await import("./plan.ts")).runApprove,
  },
  {
    syntax: "cancel <id> [operation]",
    summary: "cancel the operation that runs, or another one",
    options: [{ flags: "--force", summary: "do not wait for a graceful end" }, noWait],
    server: "used",
    load: async () => (await import("./actions.ts")).runCancel,
  },
  {
    syntax: "destroy <id>",
    summary: "destroy an environment in reverse order and keep its record",
    options: [noWait],
    server: "used",
    load: async () => (await import("./actions.ts")).runDestroy,
  },
  {
    syntax: "deploy <id>",
    summary: "deploy an environment, also one that was destroyed, with changes",
    help: deployHelp,
    options: [
      { flags: "--template <names...>", summary: "templates instead of the present ones" },
      ...fieldOptions,
      noWait,
    ],
    server: "used",
    load: async () => (await import("./update.ts")).runDeploy,
  },
  {
    syntax: "delete <id>",
    summary: "destroy an environment and delete it; its id is free afterwards",
    options: [noWait],
    server: "used",
    load: async () => (await import("./update.ts")).runDelete,
  },
  {
    syntax: "retry <id> [resource]",
    summary: "run unfinished resources again, or one resource and its dependants",
    options: [noWait],
    server: "used",
    load: async () => (await import("./actions.ts")).runRetry,
  },
  {
    syntax: "rollback <id> <operation>",
    summary: "return to the deployment of an earlier operation",
    options: [noWait],
    server: "used",
    load: async () => (await import("./actions.ts")).runRollback,
  },
  {
    syntax: "run <id> <action>",
    summary: "run an action of the template",
    options: [],
    server: "used",
    load: async () => (await import("./actions.ts")).runAction,
  },
  {
    syntax: "extend <id> <duration>",
    summary: "move the planned destruction, such as by 4h",
    options: [],
    server: "used",
    load: async () => (await import("./actions.ts")).runExtend,
  },
  {
    syntax: "drift <id>",
    summary: "compare an environment with the external systems",
    options: [
      { flags: "--reconcile", summary: "repair the drift" },
      {
        flags: "--accept",
        summary: "accept the drift that was found",
        conflicts: ["reconcile"],
      },
    ],
    server: "used",
    load: async () => (await import("./actions.ts")).runDrift,
  },
  {
    syntax: "logs <id> [resource]",
    summary: "print the output of the executors",
    options: [{ flags: "-f, --follow", summary: "wait for further output" }],
    server: "used",
    load: async () => (await import("./logs.ts")).runLogs,
  },
];

const planTemplateHelp = `
The command plans every environment that uses another version and changes nothing. It prints the
name of a rollout, which roll-out carries out.

Examples:
  setpoint template plan shop.v2
  setpoint template plan shop.v2 --waves 1 5 --tag stage=test
  setpoint template roll-out shop-v2-x7k2p`;

const templateCommands: readonly Command[] = [
  {
    syntax: "plan <template>",
    summary: "show what a version would change in all environments of the template",
    help: planTemplateHelp,
    options: [
      { flags: "--waves <sizes...>", summary: "environments of each wave; the last has the rest" },
      { flags: "--tag <name=value...>", summary: "only environments with these tags" },
    ],
    server: "used",
    load: async () => (await import("./rollouts.ts")).runPlanTemplate,
  },
  {
    syntax: "roll-out <rollout>",
    summary: "move the environments of a rollout to its version, in waves",
    options: [noWait],
    server: "used",
    load: async () => (await import("./rollouts.ts")).runRollOut,
  },
  {
    syntax: "add <file>",
    summary: "add the Templates of a file; a version that exists is never changed",
    options: [],
    server: "used",
    load: async () => (await import("./templates.ts")).runAdd,
  },
  {
    syntax: "list [id]",
    summary: "list templates and their versions",
    options: [],
    server: "used",
    load: async () => (await import("./templates.ts")).runTemplates,
  },
  {
    syntax: "delete <name>",
    summary: "delete a version that no environment uses",
    options: [],
    server: "used",
    load: async () => (await import("./templates.ts")).runDeleteTemplate,
  },
];

export const environmentsCommands: readonly CommandGroup[] = [
  {
    name: "env",
    summary: "create, plan, deploy, inspect and destroy environments",
    commands: environmentCommands,
  },
  { name: "template", summary: "versions of environment templates", commands: templateCommands },
];
