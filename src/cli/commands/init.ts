// `setpoint init`: writes a new module with its test into a folder. It replaces no file.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { SetpointError } from "../../kernel/errors.ts";
import { isClone, ownDependency, ownVersions } from "../init/own-package.ts";
import { scaffold } from "../init/scaffold.ts";

interface Flags {
  readonly name?: string;
}

export function addInit(program: Command): void {
  program
    .command("init")
    .argument("<folder>", "a new folder, or one without files of the same names")
    .description("create a module with a kind, a reconciler, a test and a package.json")
    .option("--name <name>", "name of the module (default: the name of the folder)")
    .addHelpText(
      "after",
      "\nExamples:\n  setpoint init web-site\n  setpoint init . --name web-site",
    )
    .action((folder: string, { name }: Flags) => init(resolve(folder), name));
}

function init(folder: string, given: string | undefined): void {
  const files = scaffold({
    name: given ?? basename(folder),
    setpoint: ownDependency(folder),
    isClone,
    versions: ownVersions(),
  });
  const present = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (present.length > 0) throw filesExist(folder, present);
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of files) writeFileSync(join(folder, path), text, { flag: "wx" });
  const shown = relative(process.cwd(), folder) || ".";
  console.log(`${shown}: ${[...files.keys()].join(", ")}
Next:
  cd ${shown}
  npm install
  npm test
  npm start`);
}

function filesExist(folder: string, present: readonly string[]): SetpointError {
  const message = `${folder} already contains ${present.join(", ")}; nothing was written`;
  return new SetpointError("config.invalid", message, {
    details: { folder },
    suggestion: "choose a new folder, for example: setpoint init web-site",
  });
}
