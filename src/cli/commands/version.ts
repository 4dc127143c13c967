// `setpoint version`: what an operator pastes into a report.
import { readFileSync } from "node:fs";
import type { Command } from "commander";

export function addVersion(program: Command): void {
  program
    .version(packageVersion(), "-V, --version", "print the version alone")
    .command("version")
    .description("print the versions of Setpoint and of what it runs on")
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
