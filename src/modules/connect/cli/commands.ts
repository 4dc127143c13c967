// The commands of Connect, as the command line takes them.

import type { CommandGroup } from "../../../contract/command.ts";

const planHelp = `
The command changes nothing. It works for kinds that Connect manages.

Examples:
  setpoint plan zone/example -n team-a
  setpoint plan -f zone.yaml`;

const importHelp = `
Without --out and --apply, the command prints a report and changes nothing.

Examples:
  setpoint connect import openapi.yaml --base-url https://api.example.com
  setpoint connect import openapi.yaml --base-url https://api.example.com --out kinds`;

export const connectCommands: readonly CommandGroup[] = [
  {
    commands: [
      {
        syntax: "plan [resource...]",
        summary: "show the request that the next run would send to a service, and why",
        usage: "KIND/NAME | -f FILE [options]",
        options: [
          {
            flags: "-f, --filename <file>",
            summary: "file with resources to plan before they are applied",
          },
        ],
        help: planHelp,
        server: "used",
        load: async () => (await import("./plan.ts")).runPlan,
      },
    ],
  },
  {
    name: "connect",
    summary: "import a REST service, so that its objects can be managed as resources",
    commands: [
      {
        syntax: "import <documents...>",
        summary: "propose kinds for the resources of a service, from its OpenAPI document",
        usage: "DOCUMENT... --base-url URL [--out FOLDER | --apply] [options]",
        options: [
          {
            flags: "--base-url <url>",
            summary: "base URL of the service (required)",
            isRequired: true,
          },
          {
            flags: "--group <name>",
            summary: "API group of the kinds (default: from the host or the title)",
          },
          {
            flags: "--connection <name>",
            summary: "name of the Connection (default: from the group)",
          },
          { flags: "--only <names...>", summary: "only these kinds, by kind, plural or path" },
          {
            flags: "--set <values...>",
            summary: "values of path parameters that all resources share, NAME=VALUE",
          },
          {
            flags: "--allow-ref <origins...>",
            summary: "additional origins that $ref may refer to",
          },
          {
            flags: "--document-header <headers...>",
            summary: "header for the server of the document, NAME: VALUE or NAME: @FILE",
          },
          {
            flags: "--document-user <user>",
            summary: "basic authentication for that server, USER:PASSWORD or @FILE",
            conflicts: ["documentToken"],
          },
          {
            flags: "--document-token <token>",
            summary: "bearer token for that server, TOKEN or @FILE",
          },
          {
            flags: "--out <folder>",
            summary: "write the proposal to files, for review",
            conflicts: ["apply"],
          },
          { flags: "--apply", summary: "install the proposed kinds on the server" },
        ],
        help: importHelp,
        server: "without-namespace",
        load: async () => (await import("./import.ts")).runImport,
      },
      {
        syntax: "import-object <kind> <id>",
        summary: "print a resource that adopts an existing object of a service",
        options: [
          { flags: "--name <name>", summary: "resource name (default: derived from the id)" },
          { flags: "--parent <name>", summary: "name of the parent resource" },
          { flags: "--set <values...>", summary: "values of path parameters, NAME=VALUE" },
        ],
        server: "used",
        load: async () => (await import("./import-object.ts")).runImportObject,
      },
    ],
  },
];
