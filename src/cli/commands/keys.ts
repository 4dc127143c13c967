// `setpoint keys rotate`: a new key seals from now on, and what is stored is sealed again with it.
// The embedded store has one writer, so its server must be stopped for that; PostgreSQL's may run.
import type { Command } from "commander";
import { storeConfig } from "../../app/config.ts";
import type { StoreOptions } from "../../app/config.ts";
import { addKey, dropOldKeys } from "../../app/key-file.ts";
import { openStore } from "../../app/open-store.ts";
import { addStoreOptions } from "../store-options.ts";

export function addKeys(program: Command): void {
  const keys = program.command("keys").description("the keys that seal secrets at rest");
  addStoreOptions(keys.command("rotate"))
    .description("add a key, make it the active one and seal everything again with it")
    .option("--drop-old", "then remove the old keys from the ring; older backups need them")
    .action(async (options: StoreOptions & { readonly dropOld?: boolean }) => {
      const config = storeConfig(options);
      const store = await openStore(config, { access: "write" });
      try {
        const key = addKey(config.keyFile);
        // Again until nothing is left: another server may just have sealed with the old key.
        let resealed = 0;
        for (let more = -1; more !== 0; resealed += more) more = await store.reseal();
        console.log(`${config.keyFile}: key ${key.id} is active, ${resealed} changes sealed again`);
        if (options.dropOld === true) {
          console.log(`${dropOldKeys(config.keyFile)} old keys removed`);
        }
      } finally {
        await store.close();
      }
    });
}
