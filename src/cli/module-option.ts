// The option that names the files of modules.
import { Option } from "commander";

export function moduleOption(): Option {
  return new Option(
    "--module <file>",
    "module file with kinds and reconcilers to load (replaces modules in --config); " +
      "can be repeated",
  )
    .env("SETPOINT_MODULES")
    .argParser(addFiles);
}

/** An environment variable holds all names with commas between them; a path may have spaces. */
function addFiles(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(",").filter((file) => file !== "")];
}
