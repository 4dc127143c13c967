// `setpoint keys`: changes the keys that seal secrets, step by step (see app/rotate-keys.ts). The
// embedded store has one writer, so its server must be stopped for that; PostgreSQL's may run.
import type { Command } from "commander";
import { addKey, dropOldKeys, rotateKeys } from "../../app/rotate-keys.ts";
import type { KeyChange } from "../../app/rotate-keys.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("the keys that seal secrets at rest");
  addStoreOptions(keys.command("add"))
    .description("add a key that waits until it is on every server")
    .action(async (flags: StoreFlags, command: Command) => await addKey(changeOf(flags, command)));
  addStoreOptions(keys.command("rotate"))
    .description("make the waiting key the active one, or a new one, and seal everything with it")
    .option("--drop-old", "then remove the old keys from the ring; older backups need them")
    .action(async (flags: StoreFlags & { readonly dropOld?: boolean }, command: Command) => {
      await rotateKeys(changeOf(flags, command));
      if (flags.dropOld === true) await dropOldKeys(changeOf(flags, command));
    });
  addStoreOptions(keys.command("drop-old"))
    .description("remove the keys that seal nothing any more; older backups need them")
    .action(
      async (flags: StoreFlags, command: Command) => await dropOldKeys(changeOf(flags, command)),
    );
}

function changeOf(flags: StoreFlags, command: Command): KeyChange {
  return { config: storeConfigOf(flags, command), tell: (line) => console.log(line) };
}
