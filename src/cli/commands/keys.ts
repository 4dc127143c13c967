// `setpoint keys`: changes the keys that seal secrets, step by step (see app/rotate-keys.ts). The
// embedded store has one writer, so its server must be stopped for that; PostgreSQL's may run.
import type { Command } from "commander";
import { addKey, dropOldKeys, rotateKeys } from "../../app/rotate-keys.ts";
import type { KeyChange } from "../../app/rotate-keys.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

const stopFirst = `
Stop the server of an embedded store first. Servers on PostgreSQL can continue to run: add a key,
copy the key file to every server, then rotate.`;

export function addKeys(program: Command): void {
  const keys = program
    .command("keys")
    .description("manage the keys that seal secrets at rest")
    .addHelpText("after", stopFirst);
  addStoreOptions(keys.command("add"))
    .description("add a key without activating it, so that it can be copied to every server")
    .action(async (flags: StoreFlags, command: Command) => await addKey(changeOf(flags, command)));
  addStoreOptions(keys.command("rotate"))
    .description("activate the added key, or a new one, and seal all secrets again with it")
    .option("--drop-old", "then remove the old keys; older backups still need them")
    .action(async (flags: StoreFlags & { readonly dropOld?: boolean }, command: Command) => {
      await rotateKeys(changeOf(flags, command));
      if (flags.dropOld === true) await dropOldKeys(changeOf(flags, command));
    });
  addStoreOptions(keys.command("drop-old"))
    .description("remove keys that are no longer used; older backups still need them")
    .action(
      async (flags: StoreFlags, command: Command) => await dropOldKeys(changeOf(flags, command)),
    );
}

function changeOf(flags: StoreFlags, command: Command): KeyChange {
  return { config: storeConfigOf(flags, command), tell: (line) => console.log(line) };
}
