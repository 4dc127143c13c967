// `setpoint version`: what an operator pastes into a report.
import { readFileSync } from "node:fs";
import type { Command } from "commander";

export function addVersion(program: Command): void {
  program
    .command("version")
    .description("print the version of Setpoint and of the Node.js it runs on")
    .action(() => {
      console.log(`setpoint ${packageVersion()}\nnode ${process.versions.node}`);
    });
}

function packageVersion(): string {
  const path = new URL("../../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return version;
}
