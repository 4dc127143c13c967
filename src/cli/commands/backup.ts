// `setpoint backup FILE`: a verified copy of a store, taken while servers run.
import type { Command } from "commander";
import { storeConfig } from "../../app/config.ts";
import type { StoreOptions } from "../../app/config.ts";
import { sizeText } from "../../app/doctor.ts";
import { openStoreForBackup } from "../../app/open-store.ts";
import { writeStoreBackup } from "../../app/store-backup.ts";
import { addStoreOptions } from "../store-options.ts";

export function addBackup(program: Command): void {
  addStoreOptions(program.command("backup"))
    .description("write the whole store to one file, while servers run, and verify it")
    .argument(
      "<file>",
      "where to write; an older backup there is replaced once this one is verified",
    )
    .action(async (file: string, options: StoreOptions) => {
      const store = await openStoreForBackup(storeConfig(options));
      try {
        const summary = await writeStoreBackup(store, file);
        console.log(
          `${file}: everything up to revision ${summary.head}, ${sizeText(summary.bytes)}, ` +
            `read back and verified`,
        );
        console.log("The key ring is not in it: keep a copy of that file apart.");
      } finally {
        await store.close();
      }
    });
}
