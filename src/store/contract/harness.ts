/**
 * What an implementation gives the suite so that it can be tested: a fresh store for each test, and
 * hands on the things a port hides (the clock, the disk, a second process). See suite.ts.
 */
import { deepEqual } from "node:assert/strict";
import { test } from "node:test";
import type { SealKey } from "../key-ring.ts";
import type { Store } from "../port.ts";
import type { ReplicatedStore } from "../replication.ts";

export interface OpenOptions {
  /** The key ring, active key first. The harness makes one when it is left out. */
  readonly keys?: readonly SealKey[];
  /** Accepted and unanswered writes beyond which the store is overloaded. */
  readonly maxQueuedWrites?: number;
}

export interface StoreHarness extends AsyncDisposable {
  /** The open store. `reopen` replaces it. */
  readonly store: Store;
  /** Closes the store and opens the same data again, with another key ring if one is given. */
  reopen(options?: Pick<OpenOptions, "keys">): Promise<Store>;
  /** Moves the database's clock forward as this store (and any other on its data) sees it. */
  advanceClock(ms: number): Promise<void>;
  /** A second store on the same data, as another process has it; closed with the harness. */
  openAnother?(): Promise<Store>;
  /** Everything the store has on disk, to look for what must not be there. */
  rawBytes?(): Promise<Buffer>;
}

/** Opens an empty store of its own. */
export type OpenStore = (options?: OpenOptions) => Promise<StoreHarness>;

/** As `OpenStore`, of an implementation that can be a primary and a secondary. */
export type OpenReplicated = (options?: OpenOptions) => Promise<ReplicatedHarness>;

export interface ReplicatedHarness extends StoreHarness {
  readonly store: ReplicatedStore;
}

/** What the suite may ask of an implementation. Tests of what it has not are not registered. */
export interface Traits {
  /** `openAnother` works. */
  readonly several: boolean;
  /** Secrets are sealed: `rawBytes` works and key rings are honoured. */
  readonly sealed: boolean;
  /** `maxQueuedWrites` is honoured. */
  readonly bounded: boolean;
}

/**
 * One test on a store of its own. Whatever the test did, the stored data must be sound at its end,
 * so it leaves the store open.
 */
export function scenario(
  open: OpenStore,
  name: string,
  run: (harness: StoreHarness) => Promise<void>,
  options?: OpenOptions,
): void {
  test(name, async () => {
    await using harness = await open(options);
    await run(harness);
    deepEqual(await harness.store.verify(), [], "the stored data is sound after the test");
  });
}

/** The second store of a harness that has said it can open one. */
export async function another(harness: StoreHarness): Promise<Store> {
  if (harness.openAnother === undefined) throw new Error("the harness has no openAnother");
  return await harness.openAnother();
}

export async function bytesOnDisk(harness: StoreHarness): Promise<Buffer> {
  if (harness.rawBytes === undefined) throw new Error("the harness has no rawBytes");
  return await harness.rawBytes();
}
