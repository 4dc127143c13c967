// The options of every command that opens a store, so that they read the same everywhere.
import { Option } from "commander";
import type { Command } from "commander";
import { defaultDataFolder } from "../app/config.ts";

export function addStoreOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--data <folder>", "folder of the embedded store and the keys")
        .env("SETPOINT_DATA")
        .default(defaultDataFolder),
    )
    .addOption(
      new Option("--store <where>", "sqlite:PATH or postgres://... (default: in --data)").env(
        "SETPOINT_STORE",
      ),
    )
    .addOption(
      new Option("--keys <file>", "key ring that seals secrets (default: keys.json in --data)").env(
        "SETPOINT_KEYS",
      ),
    );
}
