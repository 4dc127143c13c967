// `setpoint kubeconfig`: prints a kubeconfig for a user with a client certificate of its own.
import { resolve } from "node:path";
import { Option } from "commander";
import type { Command } from "commander";
import { defaultDataFolder } from "../../app/config.ts";
import { userKubeconfig } from "../../app/user-kubeconfig.ts";

interface Flags {
  readonly data: string;
  readonly user: string;
  readonly group?: readonly string[];
  readonly days: string;
  readonly server?: string;
}

export function addKubeconfig(program: Command): void {
  program
    .command("kubeconfig")
    .description("print a kubeconfig for a user, with a new client certificate")
    .addOption(
      new Option("--data <folder>", "data folder of the server")
        .env("SETPOINT_DATA")
        .default(defaultDataFolder),
    )
    .requiredOption("--user <name>", "name that roles can be bound to")
    .option("--group <names...>", "groups that roles can be bound to")
    .option("--days <count>", "how long the certificate is good", "365")
    .option("--server <url>", "where the server is reached (default: where it last listened)")
    .action(({ data, user, group = [], days, server }: Flags) => {
      const folder = resolve(data);
      const text = userKubeconfig({ folder, user, groups: group, days: Number(days), server });
      process.stdout.write(text);
    });
}
