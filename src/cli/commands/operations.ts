// `setpoint operations`: what the server works on, what waits, and what it did lately.
import type { Command } from "commander";
import { findKind } from "../../app/client/find-kind.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { operationsLines } from "../operations-table.ts";

interface Flags extends ClientFlags {
  readonly kind?: string;
  readonly limit: string;
}

const explained = `
What runs and what ran is of the server that answers; queues are those of all servers.
A queue has what is due now or later, who holds it, and what is paused.

Examples:
  setpoint operations --kind database -n team-a
  setpoint why database/orders -n team-a         about one resource`;

export function addOperations(program: Command): void {
  addClientOptions(program.command("operations"), "only of this namespace (default: of all)")
    .description("show what runs, what waits and what ran lately, of the kinds that are reconciled")
    .option("--kind <kind>", "only of this kind, as kubectl takes it")
    .option("--limit <count>", "at most so many entries of each list, up to 500", "20")
    .addHelpText("after", explained)
    .action(async (flags: Flags) => {
      const client = clientFor(flags);
      const query = new URLSearchParams({ limit: flags.limit });
      if (flags.namespace !== undefined) query.set("namespace", flags.namespace);
      if (flags.kind !== undefined) {
        const { plural, group } = await findKind(client, flags.kind);
        query.set("kind", group === "" ? plural : `${plural}.${group}`);
      }
      const operations = await client.get(`/operations?${query.toString()}`);
      if (flags.output === "json") console.log(JSON.stringify(operations, undefined, 2));
      else for (const line of operationsLines(operations)) console.log(line);
    });
}
