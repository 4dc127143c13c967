// `setpoint erase`: removes values from the history before it is compacted.
import type { Command } from "commander";
import { SetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { numberAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { findResource } from "../client/resource-argument.ts";
import type { ApiClient } from "../client/api-client.ts";
import { kindIdOfPath, restPath } from "../rest-request.ts";

interface Flags extends ClientFlags {
  readonly deleted?: boolean;
  readonly allNamespaces?: boolean;
}

const explained = `
With KIND/NAME, every earlier state of the resource is erased, whether it exists or was deleted.
With --deleted, the secrets of deleted resources are erased, in one namespace (-n) or in all (-A).
The current state of a resource is never erased. Erased values cannot be brought back, and backups
that were taken before still contain them.

Examples:
  setpoint erase secret/database-password -n team-a
  setpoint erase --deleted -n team-a`;

export function addErase(program: Command): void {
  addClientOptions(program.command("erase [resource...]"))
    .description("erase values of earlier states from the history")
    .usage("KIND/NAME | --deleted (-n NAMESPACE | -A) [options]")
    .option("--deleted", "erase the secrets of deleted resources")
    .option("-A, --all-namespaces", "with --deleted: in all namespaces")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      checkArguments(words, flags);
      const client = clientFor(flags);
      const answer = await client.post(await pathOf(client, words, flags), {});
      if (flags.output === "json") console.log(JSON.stringify(answer, undefined, 2));
      else console.log(erasedLine(answer));
    });
}

async function pathOf(
  client: ApiClient,
  words: readonly string[],
  { namespace: given }: Flags,
): Promise<string> {
  if (words.length === 0) return restPath(["erase"], { namespace: given });
  const { name, namespace, path } = await findResource(client, words, given);
  return restPath(["erase", kindIdOfPath(path), name], { namespace });
}

function erasedLine(answer: Json): string {
  const count = numberAt(answer, "erased") ?? 0;
  if (count === 0) return "There was nothing to erase.";
  return count === 1 ? "1 revision was erased." : `${count} revisions were erased.`;
}

/** What cannot be undone is not done in a namespace that was only implied. */
function checkArguments(words: readonly string[], flags: Flags): void {
  const { deleted = false, allNamespaces = false, namespace } = flags;
  if (deleted === words.length > 0) {
    throw wrongArguments("erase needs either KIND/NAME or --deleted", "secret/NAME -n NAMESPACE");
  }
  if (allNamespaces && !deleted) {
    throw wrongArguments("-A is used with --deleted only", "secret/NAME -n NAMESPACE");
  }
  if (deleted && allNamespaces === (namespace !== undefined)) {
    const message = "erase --deleted needs either -n NAMESPACE or -A";
    throw wrongArguments(message, "--deleted -n NAMESPACE");
  }
}

function wrongArguments(message: string, example: string): SetpointError {
  const suggestion = `write for example setpoint erase ${example}`;
  return new SetpointError("request.invalid", message, { suggestion });
}
