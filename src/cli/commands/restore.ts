// `setpoint restore FILE`: fills an empty store, of either engine, from a backup.
import type { Command } from "commander";
import { storeLabel } from "../../app/config.ts";
import { restoreRefusal } from "../../app/restore-refusal.ts";
import { restoreStoreBackup } from "../../app/store-backup.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

export function addRestore(program: Command): void {
  addStoreOptions(program.command("restore"))
    .description("restore a backup into an empty store, completely or not at all, and verify it")
    .argument("<file>", "a file written by `setpoint backup`")
    .action(async (file: string, flags: StoreFlags, command: Command) => {
      const config = storeConfigOf(flags, command);
      const summary = await restoreStoreBackup(config, file).catch(async (error: unknown) => {
        throw await restoreRefusal(config, error);
      });
      console.log(
        `${storeLabel(config.store)}: the backup of ${summary.takenAt} is restored up to ` +
          `revision ${summary.head}, and every invariant holds`,
      );
      console.log(`Serve it with the same keys: --keys ${config.keyFile}`);
    });
}
