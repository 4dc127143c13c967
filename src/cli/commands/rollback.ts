// `setpoint rollback KIND/NAME --to REVISION`: writes the content of an earlier revision again.
import type { Command } from "commander";
import { askAbout, findResource } from "../client/resource-argument.ts";
import type { Json } from "../../kernel/json.ts";
import { isTrueAt, numberAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { diffLines } from "../history-table.ts";
import { plainText } from "../plain-text.ts";
import { kindIdOfPath, restPath } from "../rest-request.ts";
import { revisionOf, rollbackError } from "../revision-argument.ts";

interface Flags extends ClientFlags {
  readonly to: string;
  readonly dryRun?: boolean;
  readonly ifRevision?: string;
}

const explained = `
Everything but metadata and status is taken from the earlier revision. Hidden fields, such as
passwords, keep their present values. The rollback is a new revision, and can be rolled back.

Examples:
  setpoint history database/orders -n team-a
  setpoint rollback database/orders -n team-a --to 28 --dry-run
  setpoint rollback database/orders -n team-a --to 28`;

export function addRollback(program: Command): void {
  addClientOptions(program.command("rollback [resource...]"))
    .description("return a resource to the content of an earlier revision")
    .usage("KIND/NAME --to REVISION [options]")
    .requiredOption("--to <revision>", "revision to return to (required)")
    .option("--dry-run", "show the changes without writing them")
    .option("--if-revision <revision>", "refuse if the resource is at another revision")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      const client = clientFor(flags);
      const resource = await findResource(client, words, flags.namespace);
      const { name, namespace, path } = resource;
      const body = { to: revisionOf(flags.to, "--to"), dryRun: flags.dryRun === true };
      const target = restPath(["rollback", kindIdOfPath(path), name], { namespace });
      const answer = await askAbout(resource, () =>
        client.post(target, body, condition(flags)),
      ).catch((error: unknown) => {
        throw rollbackError(error, flags.ifRevision);
      });
      if (flags.output === "json") console.log(JSON.stringify(answer, undefined, 2));
      else for (const line of rollbackLines(answer)) console.log(line);
    });
}

function condition({ ifRevision }: Flags): Readonly<Record<string, string>> {
  if (ifRevision === undefined) return {};
  return { "if-match": `"${revisionOf(ifRevision, "--if-revision")}"` };
}

function rollbackLines(answer: Json): readonly string[] {
  const what = plainText(`${textAt(answer, "kind")}/${textAt(answer, "name")}`);
  const to = numberAt(answer, "to") ?? 0;
  if (textAt(answer, "outcome") === "unchanged") {
    return [`${what} already has the content of revision ${to}.`];
  }
  const result = isTrueAt(answer, "dryRun")
    ? `${what} would have the content of revision ${to} (dry run).`
    : `${what} has the content of revision ${to}. It is now at revision ${
        numberAt(answer, "revision") ?? 0
      }.`;
  return [...diffLines(objectsAt(answer, "changes")), result];
}
