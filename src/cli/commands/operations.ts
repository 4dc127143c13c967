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

export function addOperations(program: Command): void {
  addClientOptions(program.command("operations"))
    .description("show what runs, what waits and what ran lately")
    .option("--kind <kind>", "only of this kind")
    .option("--limit <count>", "entries of each list", "20")
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
