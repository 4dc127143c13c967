// `setpoint backup FILE`: a verified copy of a store, taken while servers run.
import type { Command } from "commander";
import { storeLabel } from "../../app/config.ts";
import { sizeText } from "../../app/doctor.ts";
import { openStoreForBackup } from "../../app/open-store.ts";
import { writeStoreBackup } from "../../app/store-backup.ts";
import { addStoreOptions, storeConfigOf } from "../store-options.ts";
import type { StoreFlags } from "../store-options.ts";

export function addBackup(program: Command): void {
  addStoreOptions(program.command("backup"))
    .description("write the whole store to one file while servers run, and verify it")
    .argument("<file>", "target file; an existing backup is replaced after this one is verified")
    .action(async (file: string, flags: StoreFlags, command: Command) => {
      const config = storeConfigOf(flags, command);
      const store = await openStoreForBackup(config);
      try {
        const summary = await writeStoreBackup(store, file);
        console.log(
          `${file}: everything up to revision ${summary.head} of ${storeLabel(config.store)}, ` +
            `${sizeText(summary.bytes)}, read back and verified`,
        );
        console.log("The backup does not contain the key ring: keep a separate copy of that file.");
      } finally {
        await store.close();
      }
    });
}
