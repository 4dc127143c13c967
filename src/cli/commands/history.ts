// `setpoint history KIND/NAME`: the revisions of a resource, with who made each.
import type { Command } from "commander";
import { askAbout, findResource } from "../client/resource-argument.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { historyLines } from "../history-table.ts";
import { kindIdOfPath, restPath } from "../rest-request.ts";

interface Flags extends ClientFlags {
  readonly limit: string;
}

const explained = `
Revisions are listed newest first, as far back as the server keeps its history.

Examples:
  setpoint history database/orders -n team-a
  setpoint history namespace/team-a --limit 5`;

export function addHistory(program: Command): void {
  addClientOptions(program.command("history [resource...]"))
    .description("list the revisions of a resource")
    .usage("KIND/NAME [options]")
    .option("--limit <count>", "number of revisions to list, up to 100", "20")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      const client = clientFor(flags);
      const resource = await findResource(client, words, flags.namespace);
      const { name, namespace, path } = resource;
      const query = { namespace, limit: flags.limit };
      const history = await askAbout(resource, () =>
        client.get(restPath(["history", kindIdOfPath(path), name], query)),
      );
      if (flags.output === "json") console.log(JSON.stringify(history, undefined, 2));
      else for (const line of historyLines(history)) console.log(line);
    });
}
