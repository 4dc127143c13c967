/** The embedded store as the contract suite opens it: in threads on a file, or all in memory. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualClock } from "../../kernel/clock.ts";
import type { OpenStore } from "../contract/harness.ts";
import { newSealKey } from "../key-ring.ts";
import type { SqliteOptions } from "./open.ts";
import { openSqliteStore } from "./store.ts";

/** A folder that is removed with the test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "setpoint-sqlite-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export const openOnFile: OpenStore = async (options = {}) => {
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
    async rawBytes() {
      const files = readdirSync(folder.path).filter((file) => !file.endsWith(".lock"));
      return Buffer.concat(files.map((file) => readFileSync(join(folder.path, file))));
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
};

/** On the caller's thread, on a file: the connection is shared and the clock stands still. */
export const openInline: OpenStore = async (options = {}) => {
  const folder = temporaryFolder();
  const clock = manualClock();
  let keys = options.keys ?? [newSealKey()];
  const base: Omit<SqliteOptions, "keys"> = {
    path: join(folder.path, "store.db"),
    inline: true,
    clock,
  };
  let store = await openSqliteStore({ ...base, keys });
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
    async [Symbol.asyncDispose]() {
      await store.close();
      folder[Symbol.dispose]();
    },
  };
};
