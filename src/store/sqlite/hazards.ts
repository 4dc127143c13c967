/** What about a file or its disk makes an answered commit less than durable. */
import { statfsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pragma } from "./schema.ts";

/** The numbers by which Linux knows file systems. */
const fileSystems: ReadonlyMap<number, string> = new Map([
  [0x01021994, "tmpfs, which is memory: a reboot loses it. Move the data folder to a disk"],
  [0x858458f6, "ramfs, which is memory: a reboot loses it. Move the data folder to a disk"],
  [0x6969, "NFS, where locks and flushes are not reliable. Move the data folder to a local disk"],
  [
    0xfe534d42,
    "SMB, where locks and flushes are not reliable. Move the data folder to a local disk",
  ],
  [
    0xff534d42,
    "CIFS, where locks and flushes are not reliable. Move the data folder to a local disk",
  ],
]);

export function hazardsOf(db: DatabaseSync, path: string): readonly string[] {
  const found: string[] = [];
  if (path === ":memory:") return ["The store is in memory and is lost when the process ends."];
  const fileSystem = fileSystems.get(statfsSync(path).type);
  if (fileSystem !== undefined) found.push(`${path} is on ${fileSystem}.`);
  const mode = pragma(db, "journal_mode");
  if (mode !== "wal") {
    found.push(`${path} has the journal mode ${mode}. Set it to WAL with the sqlite3 shell.`);
  }
  return found;
}
