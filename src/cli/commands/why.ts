// `setpoint why KIND/NAME`, or the id of a resource of a provider: why it is not ready, down to the
// root causes. Exit code 0 when it was answered; with --exit-code 1 when it is not ready.
import type { Command } from "commander";
import { askAbout, findResource } from "../../app/client/resource-argument.ts";
import { isTrueAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { whyLines } from "../why-tree.ts";

interface Flags extends ClientFlags {
  readonly exitCode?: boolean;
}

const explained = `
Exit codes:
  0  it was answered, whatever the answer is
  1  with --exit-code: it is not ready; or it could not be answered, as for what is not there

Examples:
  setpoint why database/orders -n team-a
  setpoint why namespace/team-a                          why it does not go away
  setpoint why database/orders --exit-code && echo ready`;

export function addWhy(program: Command): void {
  addClientOptions(program.command("why [resource...]"))
    .description("tell why a resource is not ready, and what holds it up")
    .usage("KIND/NAME|/subscriptions/... [options]")
    .option("--exit-code", "exit with 1 when it is not ready")
    .addHelpText("after", explained)
    .action(async (words: readonly string[], flags: Flags) => {
      const client = clientFor(flags);
      const resource = await findResource(client, words, flags.namespace);
      const explanation = await askAbout(resource, () => client.get(`${resource.path}/why`));
      if (flags.output === "json") console.log(JSON.stringify(explanation, undefined, 2));
      else for (const line of whyLines(explanation)) console.log(line);
      if (flags.exitCode === true && !isTrueAt(explanation, "ready")) process.exitCode = 1;
    });
}
