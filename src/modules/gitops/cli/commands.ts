// The command `setpoint gitops`, as the command line takes it.

import type { CommandGroup, CommandOption } from "../../../contract/command.ts";

const timeout: CommandOption = {
  flags: "--timeout <duration>",
  summary: "how long to wait, such as 90s or 10m (default: 5m)",
};
const noWait: CommandOption = { flags: "--no-wait", summary: "do not wait for the end" };

const syncHelp = `
An automated deployment compares its repository now and applies a new commit. For a manual one, a
GitOpsDeploymentSyncRun is created.

Exit codes:
  0  the deployment is synced and healthy; with --no-wait: the sync was requested
  1  the sync failed, or did not end in time

Examples:
  setpoint gitops sync shop -n jane
  setpoint gitops sync shop --revision v1.4.0 --prune`;

const rollbackHelp = `
REVISION is a commit, branch or tag, or the number of an entry in the history. Without it, the
commit before the present one is used. It stays until the repository has a newer commit than now.

Examples:
  setpoint gitops rollback shop
  setpoint gitops rollback shop 3 --reason "checkout fails"
  setpoint gitops rollback shop --end                    follow the repository again`;

const diffHelp = `
Nothing is changed. Values of Secrets are never shown, and values of other objects only if you may
read them.

Exit codes:
  0  the diff was printed
  1  with --exit-code: something differs; or the command failed`;

const treeHelp = `
Below each object are those that name it as an owner, such as the Pods of a Deployment. Objects
that you may not read are counted. In a managed environment, objects below the managed ones are
shown to those who may read its Secret; those of clusters that pull are not known.`;

const definitionsHelp = `
No server is needed. A server installs the definitions itself, those of managed-gitops.redhat.com
with gitops.seedGroup in its configuration.

Examples:
  setpoint gitops definitions > definitions.yaml
  setpoint gitops definitions --seed-group`;

export const gitopsCommands: readonly CommandGroup[] = [
  {
    name: "gitops",
    summary: "sync, compare and roll back deployments from git",
    commands: [
      {
        syntax: "list",
        summary: "list the deployments of a namespace",
        options: [],
        server: "used",
        load: async () => (await import("./show.ts")).runList,
      },
      {
        syntax: "get <name>",
        summary: "show a deployment, its objects, and why it is not synced",
        options: [],
        server: "used",
        load: async () => (await import("./show.ts")).runGet,
      },
      {
        syntax: "tree <name>",
        summary: "show the objects of a deployment, and what they own",
        options: [],
        help: treeHelp,
        server: "used",
        load: async () => (await import("./tree.ts")).runTree,
      },
      {
        syntax: "sync <name>",
        summary: "sync a deployment now, and show the progress",
        options: [
          {
            flags: "--revision <revision>",
            summary: "a commit, branch or tag (manual deployments)",
          },
          {
            flags: "--prune",
            summary: "delete objects that are not in git (manual deployments)",
          },
          timeout,
          noWait,
        ],
        help: syncHelp,
        server: "used",
        load: async () => (await import("./sync.ts")).runSync,
      },
      {
        syntax: "diff <name>",
        summary: "show what a sync would change",
        options: [
          { flags: "--revision <revision>", summary: "a commit, branch or tag" },
          { flags: "--exit-code", summary: "exit with 1 if something differs" },
        ],
        help: diffHelp,
        server: "used",
        load: async () => (await import("./diff.ts")).runDiff,
      },
      {
        syntax: "rollback <name> [revision]",
        summary: "apply an earlier commit, and keep it",
        options: [
          { flags: "--reason <text>", summary: "why, for spec.pin.reason" },
          { flags: "--end", summary: "end a rollback" },
          timeout,
          noWait,
        ],
        help: rollbackHelp,
        server: "used",
        load: async () => (await import("./rollback.ts")).runRollback,
      },
      {
        syntax: "wait <name>",
        summary: "wait until a deployment is synced and healthy",
        options: [
          {
            flags: "--for <state>",
            summary: "synced, or healthy, which includes synced (default: healthy)",
          },
          { flags: "--revision <commit>", summary: "at this commit" },
          timeout,
        ],
        server: "used",
        load: async () => (await import("./wait.ts")).runWait,
      },
      {
        syntax: "definitions",
        summary: "print the CustomResourceDefinitions of the kinds",
        options: [
          { flags: "--seed-group", summary: "those of managed-gitops.redhat.com/v1alpha1" },
        ],
        help: definitionsHelp,
        server: "none",
        load: async () => (await import("./definitions.ts")).runDefinitions,
      },
    ],
  },
];
