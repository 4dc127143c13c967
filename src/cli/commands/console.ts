// `setpoint console`: a link that opens the console, signed in as the user of the kubeconfig.
import type { Command } from "commander";
import { textAt } from "../../kernel/json-read.ts";
import { isJsonObject } from "../../kernel/json.ts";
import { addClientOptions, clientFor, namespaceNotUsed } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { plainText } from "../plain-text.ts";

const explained = `
The link works once, within ten minutes. It needs a kubeconfig with a token. On the machine of a
server that listens on loopback for the console (setpoint dev), the link leads to that address.

Examples:
  setpoint console
  setpoint console --kubeconfig jane.kubeconfig`;

export function addConsole(program: Command): void {
  addClientOptions(program.command("console"), namespaceNotUsed)
    .description("print a link that opens the web console, signed in")
    .addHelpText("after", explained)
    .action(async (flags: ClientFlags) => {
      const link = await clientFor(flags).post("/console/api/links", {});
      const url = isJsonObject(link) ? textAt(link, "url") : "";
      console.log(flags.output === "json" ? JSON.stringify(link) : plainText(url));
    });
}
