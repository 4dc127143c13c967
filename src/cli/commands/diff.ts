// `setpoint diff KIND/NAME [FROM] [TO]`: what differs between two revisions of a resource.
import type { Command } from "commander";
import { askAbout, findResource } from "../client/resource-argument.ts";
import { objectsAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { diffLines } from "../history-table.ts";
import { kindIdOfPath, restPath } from "../rest-request.ts";
import { revisionOf } from "../revision-argument.ts";

const explained = `
Without revisions, the newest is compared with the one before. With one revision, that revision is
compared with the newest. Values that the server hides are not shown. See setpoint history for the
revisions of a resource.

Lines begin with + (added), - (removed) or ~ (replaced).

Examples:
  setpoint diff database/orders -n team-a
  setpoint diff database/orders 28 30`;

export function addDiff(program: Command): void {
  addClientOptions(program.command("diff <resource> [from] [to]"))
    .description("show what differs between two revisions of a resource")
    .usage("KIND/NAME [FROM] [TO] [options]")
    .addHelpText("after", explained)
    .action(async (word: string, from: string | undefined, to: string | undefined, flags) => {
      const { namespace: given, output } = flags as ClientFlags;
      const client = clientFor(flags as ClientFlags);
      const resource = await findResource(client, [word], given);
      const { name, namespace, path } = resource;
      const query = {
        namespace,
        from: from === undefined ? undefined : revisionOf(from, "FROM"),
        to: to === undefined ? undefined : revisionOf(to, "TO"),
      };
      const diff = await askAbout(resource, () =>
        client.get(restPath(["diff", kindIdOfPath(path), name], query)),
      );
      if (output === "json") console.log(JSON.stringify(diff, undefined, 2));
      else for (const line of diffLines(objectsAt(diff, "changes"))) console.log(line);
    });
}
