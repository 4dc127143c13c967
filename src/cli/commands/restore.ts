// `setpoint restore FILE`: fills an empty store, of either engine, from a backup.
import type { Command } from "commander";
import { storeConfig, storeLabel } from "../../app/config.ts";
import type { StoreOptions } from "../../app/config.ts";
import { openStore, restoreStoreBackup } from "../../app/open-store.ts";
import { addStoreOptions } from "../store-options.ts";

export function addRestore(program: Command): void {
  addStoreOptions(program.command("restore"))
    .description("fill an empty store from a backup, all or nothing, and verify it")
    .argument("<file>", "a file written by `setpoint backup`")
    .action(async (file: string, options: StoreOptions) => {
      const config = storeConfig(options);
      const store = await openStore(config, { access: "write" });
      try {
        const summary = await restoreStoreBackup(store, file);
        console.log(
          `${storeLabel(config.store)}: ${summary.rows} rows of ${summary.takenAt} restored ` +
            `up to revision ${summary.head}, verified`,
        );
      } finally {
        await store.close();
      }
    });
}
