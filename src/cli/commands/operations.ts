// `setpoint operations`: what the server works on, what waits, and what it did lately.
import type { Command } from "commander";
import { findKind } from "../client/find-kind.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { operationsLines } from "../operations-table.ts";

interface Flags extends ClientFlags {
  readonly kind?: string;
  readonly limit: string;
}

const explained = `
Running and recent runs are those of the server that responds; queues are those of all
servers. A queue lists resources that are due now or later, claimed or paused.

Examples:
  setpoint operations --kind database -n team-a
  setpoint why database/orders -n team-a         about one resource`;

export function addOperations(program: Command): void {
  addClientOptions(program.command("operations"), "only this namespace (default: all)")
    .description("show running, waiting and recent reconcile runs")
    .option("--kind <kind>", "only this kind, by any name that kubectl accepts")
    .option("--limit <count>", "maximum number of entries in each list, up to 500", "20")
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
