// `setpoint version`: what an operator pastes into a report.
import { readFileSync } from "node:fs";
import type { Command } from "commander";

export function addVersion(program: Command): void {
  program
    .version(packageVersion(), "-V, --version", "print only the version")
    .command("version")
    .description("print the versions of Setpoint and its runtime")
    .action(() => {
      const { node, sqlite } = process.versions;
      console.log(`setpoint ${packageVersion()}\nnode ${node}\nsqlite ${sqlite}`);
    });
}

function packageVersion(): string {
  const path = new URL("../../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { readonly version: string };
  return version;
}
