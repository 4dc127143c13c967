// `setpoint why KIND/NAME` explains why a resource is not ready, down to the root causes. `setpoint
// why KIND` groups all resources of the kind that are not ready by reason.
import type { Command } from "commander";
import { findKind } from "../client/find-kind.ts";
import { askAbout, findResource } from "../client/resource-argument.ts";
import { isTrueAt, numberAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { problemLines } from "../history-table.ts";
import { kindIdOf, restPath } from "../rest-request.ts";
import { whyLines } from "../why-tree.ts";

interface Flags extends ClientFlags {
  readonly exitCode?: boolean;
}

const explained = `
With KIND alone, the command groups all resources of the kind that are not ready by reason. It
includes all namespaces that you may list, or only the namespace of -n.

Exit codes:
  0  the explanation was printed
  1  with --exit-code: it is not ready; or the command failed, for example because the resource does
     not exist

Examples:
  setpoint why database/orders -n team-a
  setpoint why databases                                 all databases that are not ready
  setpoint why namespace/team-a                          also for a namespace that is being deleted
  setpoint why database/orders --exit-code && echo ready`;

export function addWhy(program: Command): void {
  addClientOptions(program.command("why [resource...]"))
    .description("explain why a resource, or each resource of a kind, is not ready")
    .usage("KIND/NAME|KIND|/subscriptions/... [options]")
    .option("--exit-code", "exit with 1 if the resource is not ready")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      const [only = "", ...others] = words;
      const isKind = others.length === 0 && only !== "" && !only.includes("/");
      const isReady = isKind ? await explainKind(only, flags) : await explainOne(words, flags);
      if (flags.exitCode === true && !isReady) process.exitCode = 1;
    });
}

async function explainOne(words: readonly string[], flags: Flags): Promise<boolean> {
  const client = clientFor(flags);
  const resource = await findResource(client, words, flags.namespace);
  const explanation = await askAbout(resource, () => client.get(`${resource.path}/why`));
  if (flags.output === "json") console.log(JSON.stringify(explanation, undefined, 2));
  else for (const line of whyLines(explanation)) console.log(line);
  return isTrueAt(explanation, "ready");
}

async function explainKind(word: string, flags: Flags): Promise<boolean> {
  const client = clientFor(flags);
  const kind = await findKind(client, word);
  const query = { kind: kindIdOf(kind), namespace: flags.namespace };
  const report = await client.get(restPath(["problems"], query));
  if (flags.output === "json") console.log(JSON.stringify(report, undefined, 2));
  else for (const line of problemLines(report, kindIdOf(kind))) console.log(line);
  return numberAt(report, "total") === 0;
}
