/** The embedded store as the contract suite opens it: in threads on a file, or all in memory. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock } from "../../kernel/clock.ts";
import type { OpenReplicated } from "../contract/harness.ts";
import { newSealKey } from "../key-ring.ts";
import type { SqliteOptions } from "./open.ts";
import { openSqliteStore } from "./store.ts";

/** A folder that is removed with the test. */
export function temporaryFolder(parent = tmpdir()): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(parent, "setpoint-sqlite-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export const openOnFile: OpenReplicated = async (options = {}) => {
  const folder = temporaryFolder();
  const path = join(folder.path, "store.db");
  let keys = options.keys ?? [newSealKey()];
  let aheadMs = 0;
  const { maxQueuedWrites } = options;
  const open = async () => {
    const bound = maxQueuedWrites === undefined ? {} : { maxQueuedWrites };
    return await openSqliteStore({ path, keys, testing: { aheadMs }, ...bound });
  };
  let store = await open();
  return {
    get store() {
      return store;
    },
    async reopen(changed = {}) {
      keys = changed.keys ?? keys;
      await store.close();
      store = await open();
      return store;
    },
    async advanceClock(ms) {
      aheadMs += ms;
      await store.testing.advanceClock(ms);
    },
    rawBytes: async () => bytesOf(folder.path),
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
};

/** Read in another process: closing a file here would drop the locks that SQLite has on it. */
function bytesOf(folder: string): Buffer {
  return execFileSync("sh", ["-c", `cat "$0"/*`, folder], { maxBuffer: 2 ** 28 });
}

/** Linux keeps this in memory: what is tested with it is not the disk. */
export const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** On the caller's thread, on a file: the connection is shared and the clock stands still. */
export const openInline: OpenReplicated = async (options = {}) => {
  const folder = temporaryFolder(memoryFolder);
  const clock = manualClock();
  let keys = options.keys ?? [newSealKey()];
  const base: Omit<SqliteOptions, "keys"> = {
    path: join(folder.path, "store.db"),
    inline: true,
    clock,
  };
  const { maxQueuedWrites } = options;
  const bound = maxQueuedWrites === undefined ? {} : { maxQueuedWrites };
  let store = await openSqliteStore({ ...base, ...bound, keys });
  return {
    get store() {
      return store;
    },
    async reopen(changed = {}) {
      keys = changed.keys ?? keys;
      await store.close();
      store = await openSqliteStore({ ...base, keys });
      return store;
    },
    async advanceClock(ms) {
      clock.advanceMs(ms);
    },
    rawBytes: async () => bytesOf(folder.path),
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
};
