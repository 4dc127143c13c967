// The options of every command that opens a store, so that they read the same everywhere, and name
// the same store: a backup of another one than the server's would be noticed when it is needed.
import { Option } from "commander";
import type { Command } from "commander";
import { readConfigFile } from "../app/config-file.ts";
import type { ConfigFile } from "../app/config-file.ts";
import { defaultDataFolder, storeConfig } from "../app/config.ts";
import type { StoreConfig, StoreOptions } from "../app/config.ts";
import { SetpointError, isSetpointError } from "../kernel/errors.ts";

export interface StoreFlags extends StoreOptions {
  readonly config?: string;
}

export function addStoreOptions(command: Command): Command {
  return addDataOptions(command, "folder of the embedded store and the keys")
    .addOption(
      new Option(
        "--store <where>",
        "store: sqlite:PATH or postgres://... (default: SQLite in --data)",
      ).env("SETPOINT_STORE"),
    )
    .addOption(
      new Option("--keys <file>", "key ring that seals secrets (default: keys.json in --data)").env(
        "SETPOINT_KEYS",
      ),
    );
}

/** For commands that need no more than the folder. */
export function addDataOptions(command: Command, what: string): Command {
  return command
    .addOption(new Option("--data <folder>", what).env("SETPOINT_DATA").default(defaultDataFolder))
    .addOption(
      new Option(
        "--config <file>",
        "configuration file; options on the command line take precedence",
      ).env("SETPOINT_CONFIG"),
    );
}

export function storeConfigOf(flags: StoreFlags, command: Command): StoreConfig {
  return configuredBy(flags, command, storeConfig);
}

/** The configuration of what was typed and of the file; a mistake is told of where it stands. */
export function configuredBy<Flags extends StoreFlags, Config>(
  flags: Flags,
  command: Command,
  configure: (options: Partial<Flags>, file: ConfigFile) => Config,
): Config {
  const { options, file } = withFile(flags, command);
  try {
    return configure(options, file);
  } catch (error) {
    throw isSetpointError(error, "config.invalid") ? placed(error, flags, command) : error;
  }
}

/** Says where the option was set, for one that was not typed. */
function placed(error: SetpointError, { config }: StoreFlags, command: Command): SetpointError {
  const { code, message, details, suggestion, cause } = error;
  const option = command.options.find((each) => each.name() === details["option"]);
  if (option === undefined) return error;
  const source = command.getOptionValueSource(option.attributeName());
  const isTyped = source !== undefined && source !== "default" && source !== "env";
  const place = source === "env" ? `by ${option.envVar}` : `in ${config}`;
  if (isTyped || (source !== "env" && config === undefined)) return error;
  const told = `${message}; it is set ${place}`;
  return new SetpointError(code, told, { cause, details, suggestion });
}

/** What the user typed counts before the file, and the file before our defaults. */
function withFile<Flags extends StoreFlags>(
  flags: Flags,
  command: Command,
): { readonly options: Partial<Flags>; readonly file: ConfigFile } {
  if (flags.config === undefined || flags.config === "") return { options: flags, file: {} };
  const typed = Object.entries(flags).filter(
    ([name]) => command.getOptionValueSource(name) !== "default",
  );
  return {
    options: Object.fromEntries(typed) as Partial<Flags>,
    file: readConfigFile(flags.config),
  };
}
