// `setpoint kubeconfig`: prints a kubeconfig for a user with a client certificate of its own.
import type { Command } from "commander";
import { userKubeconfig } from "../../app/user-kubeconfig.ts";
import { addDataOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

interface Flags extends StoreFlags {
  readonly user: string;
  readonly group?: readonly string[];
  readonly days: string;
  readonly server?: string;
}

export function addKubeconfig(program: Command): void {
  addDataOptions(program.command("kubeconfig"), "data folder of the server")
    .description("print a kubeconfig for a user, with a new client certificate")
    .requiredOption("--user <name>", "user name, as in role bindings (required)")
    .option("--group <names...>", "groups of the user, as in role bindings")
    .option("--days <count>", "days until the certificate expires", "365")
    .option("--server <url>", "URL of the server (default: the address it last listened on)")
    .action((flags: Flags, command: Command) => {
      const { user, group = [], days, server } = flags;
      const { dataFolder: folder } = storeConfigOf(flags, command);
      const text = userKubeconfig({ folder, user, groups: group, days: Number(days), server });
      process.stdout.write(text);
    });
}
