// `setpoint keys`: changes the keys that seal secrets, step by step (see app/rotate-keys.ts). The
// embedded store has one writer, so its server must be stopped for that; PostgreSQL's may run.
import type { Command } from "commander";
import { storeConfig } from "../../app/config.ts";
import type { StoreOptions } from "../../app/config.ts";
import { addKey, dropOldKeys, rotateKeys } from "../../app/rotate-keys.ts";
import type { KeyChange } from "../../app/rotate-keys.ts";
import { addStoreOptions } from "../store-options.ts";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("the keys that seal secrets at rest");
  addStoreOptions(keys.command("add"))
    .description("add a key that waits until it is on every server")
    .action(async (options: StoreOptions) => await addKey(changeOf(options)));
  addStoreOptions(keys.command("rotate"))
    .description("make the waiting key the active one, or a new one, and seal everything with it")
    .option("--drop-old", "then remove the old keys from the ring; older backups need them")
    .action(async (options: StoreOptions & { readonly dropOld?: boolean }) => {
      await rotateKeys(changeOf(options));
      if (options.dropOld === true) await dropOldKeys(changeOf(options));
    });
  addStoreOptions(keys.command("drop-old"))
    .description("remove the keys that seal nothing any more; older backups need them")
    .action(async (options: StoreOptions) => await dropOldKeys(changeOf(options)));
}

function changeOf(options: StoreOptions): KeyChange {
  return { config: storeConfig(options), tell: (line) => console.log(line) };
}
