// `setpoint operations`: what the server works on, what waits, and what it did lately.
import type { Command } from "commander";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import { findKind } from "../client/find-kind.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { operationsLines } from "../operations-table.ts";

interface Flags extends ClientFlags {
  readonly kind?: string;
  readonly limit: string;
  readonly all?: boolean;
}

const explained = `
Running and recent runs are those of the server that responds; queues are those of all
servers. A queue lists resources that are due now or later, claimed or paused. Empty queues are
shown with --all or --kind.

Examples:
  setpoint operations --kind database -n team-a
  setpoint why database/orders -n team-a         about one resource`;

/** A role in a namespace cannot grant a path, so a refusal names the command that does. */
async function allowed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isSetpointError(error, "request.forbidden")) throw error;
    throw new SetpointError(error.code, error.message, {
      details: error.details,
      suggestion:
        "ask an administrator: kubectl create clusterrolebinding NAME --clusterrole=view " +
        "--user=USER, or a ClusterRole that may get the path /operations; " +
        "setpoint why works without it",
    });
  }
}

export function addOperations(program: Command): void {
  addClientOptions(program.command("operations"), "only this namespace (default: all)")
    .description("show running, waiting and recent reconcile runs")
    .option("--kind <kind>", "only this kind, by any name that kubectl accepts")
    .option("--all", "show empty queues as well")
    .option("--limit <count>", "maximum number of entries in each list, up to 500", "20")
    .addHelpText("after", explained)
    .action(async (flags: Flags) => {
      const client = clientFor(flags);
      const query = new URLSearchParams({ limit: flags.limit });
      if (flags.all === true) query.set("all", "true");
      if (flags.namespace !== undefined) query.set("namespace", flags.namespace);
      if (flags.kind !== undefined) {
        const { plural, group } = await findKind(client, flags.kind);
        query.set("kind", group === "" ? plural : `${plural}.${group}`);
      }
      const operations = await allowed(client.get(`/operations?${query.toString()}`));
      if (flags.output === "json") console.log(JSON.stringify(operations, undefined, 2));
      else for (const line of operationsLines(operations)) console.log(line);
    });
}
