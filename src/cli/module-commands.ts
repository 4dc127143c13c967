// The commands of built-in modules, which are data: see contract/command.ts. Their code is loaded
// when one of them runs.
import { httpWith } from "../adapters/http/client.ts";
import { kubeWith } from "../adapters/kubernetes/client.ts";
import { systemTimers } from "../kernel/timers.ts";
import { startDaemon } from "./daemon.ts";
import { Option } from "commander";
import type { Command } from "commander";
import type {
  Command as ModuleCommand,
  CommandCall,
  CommandOption,
  ServerClient,
} from "../contract/command.ts";
import type { BuiltInModule } from "../contract/module.ts";
import { findKind, pathTo } from "./client/find-kind.ts";
import { askAbout, findResource } from "./client/resource-argument.ts";
import { addClientOptions, clientFor, namespaceNotUsed } from "./client-options.ts";
import type { ClientFlags } from "./client-options.ts";
import { documentsIn } from "./document-file.ts";
import { explain } from "./explain-error.ts";
import { plainText } from "./plain-text.ts";

type Module = Pick<BuiltInModule, "commands" | "agentWork">;

export function addModuleCommands(program: Command, modules: readonly Module[]): void {
  const groups = modules.flatMap(({ commands = [] }) => commands);
  const agentWork: CommandCall["agentWork"] = async () =>
    await Promise.all(modules.flatMap((module) => module.agentWork?.() ?? []));
  for (const { name, summary = "", commands } of groups) {
    const parent = name === undefined ? program : program.command(name).description(summary);
    for (const command of commands) addCommand(parent, command, agentWork);
  }
}

function addCommand(
  parent: Command,
  given: ModuleCommand,
  agentWork: CommandCall["agentWork"],
): void {
  const { syntax, summary, usage, help, options, server, load } = given;
  const command = parent.command(syntax).description(summary);
  if (server !== "none") {
    addClientOptions(command, ...(server === "without-namespace" ? [namespaceNotUsed] : []));
  }
  if (usage !== undefined) command.usage(usage);
  if (help !== undefined) command.addHelpText("after", help);
  for (const each of options) command.addOption(optionOf(each));
  command.action(async (...received: readonly unknown[]) => {
    // Commander gives the arguments, then the options, then the command itself.
    const args = received
      .slice(0, -2)
      .flat()
      .filter((each) => typeof each === "string");
    const run = await load();
    await run({ ...callOf(given, args, received.at(-2) as Flags), agentWork });
  });
}

function optionOf({ flags, summary, isRequired = false, conflicts = [] }: CommandOption): Option {
  return new Option(flags, summary).conflicts([...conflicts]).makeOptionMandatory(isRequired);
}

type Flags = ClientFlags & Readonly<Record<string, unknown>>;

function callOf(
  { server }: ModuleCommand,
  args: readonly string[],
  flags: Flags,
): Omit<CommandCall, "agentWork"> {
  const openHttp = httpWith(systemTimers);
  return {
    args,
    options: flags,
    namespace: flags.namespace,
    isJson: flags.output === "json",
    server: () => {
      if (server === "none") throw new Error("the command is declared to use no server");
      return serverClient(flags);
    },
    openHttp,
    openKube: kubeWith(openHttp),
    documents: documentsIn,
    print: (line) => console.log(plainText(line)),
    printError: (line) => console.error(plainText(line)),
    printText: (text) => console.log(text),
    report: (error, about) => {
      process.stderr.write(plainText(`${about}: `) + explain(error));
      process.exitCode = 1;
    },
    setExitCode: (code) => {
      process.exitCode = code;
    },
    daemon: startDaemon,
  };
}

function serverClient(flags: ClientFlags): ServerClient {
  const client = clientFor(flags);
  return {
    namespace: client.namespace,
    get: async (path) => await client.get(path),
    post: async (path, body) => await client.post(path, body),
    patch: async (path, body, mediaType) => await client.patch(path, body, mediaType),
    delete: async (path) => await client.delete(path),
    lines: (path) => client.lines(path),
    findKind: async (text) => await findKind(client, text),
    pathTo,
    findResource: async (words, namespace) => await findResource(client, words, namespace),
    askAbout,
  };
}
