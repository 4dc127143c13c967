/**
 * Changes the keys of a store while its servers run (ADR 9). Each step is safe to be the last one:
 *
 *  add     a key that waits, in the file; nothing is sealed with it.
 *  rotate  makes it the active one as soon as every server has it, and seals everything again.
 *  drop    retires the old keys as soon as no server seals with them, and removes them once nothing
 *          stored needs them.
 *
 * Servers that share the file find it out by themselves within seconds; those with a copy have to
 * be given it, and until then a step is refused, with nothing changed that anybody would miss.
 */
import { SetpointError } from "../kernel/errors.ts";
import { formatReference } from "../kernel/resource.ts";
import { systemTimers } from "../kernel/timers.ts";
import { ringNewsMs } from "../store/key-care.ts";
import type { OtherRing } from "../store/key-care.ts";
import type { Store } from "../store/port.ts";
import type { StoreConfig } from "./config.ts";
import { activateKey, dropKeys, oldKeys, openKeyFile, waitingKey } from "./key-file.ts";
import { openExistingStore } from "./open-store.ts";

/** Twice what a server takes to notice that the file has changed. */
const patienceMs = 2 * ringNewsMs;
const pauseMs = 100;

export interface KeyChange {
  readonly config: StoreConfig;
  /** Gets a line for each thing done. */
  readonly tell: (line: string) => void;
}

export async function addKey(change: KeyChange): Promise<void> {
  const { keyFile } = change.config;
  await using store = await openForChange(change);
  const { id } = waitingKey(keyFile);
  change.tell(`${keyFile}: key ${id} added; it is not active yet`);
  const others = await store.otherRings();
  if (others.length === 0) return;
  change.tell(`${servers(others.length)} using this store: ${copyTo(keyFile)}, then rotate`);
}

export async function rotateKeys(change: KeyChange): Promise<void> {
  const { keyFile } = change.config;
  await using store = await openForChange(change);
  const { id } = waitingKey(keyFile);
  const lacking = await whoStays(store, (ring) => !ring.has(id));
  if (lacking.length > 0) {
    const message = `key ${id} inactive: ${servers(lacking.length)} without it, ${places(lacking)}`;
    throw new SetpointError("secret.key_missing", message, {
      details: { keyIds: [id], path: keyFile },
      suggestion: `${copyTo(keyFile)}; running servers read the file again. Then rotate again`,
    });
  }
  activateKey(keyFile, id);
  const resealed = await resealWhole(store);
  change.tell(`${keyFile}: key ${id} is active, ${counted(resealed, "change")} sealed again`);
  const late = (await store.otherRings()).filter((ring) => !ring.sealsWith(id));
  if (late.length === 0) return;
  change.tell(`${servers(late.length)} not using it yet: ${copyTo(keyFile)}`);
}

export async function dropOldKeys(change: KeyChange): Promise<void> {
  const { keyFile } = change.config;
  await using store = await openForChange(change);
  const old = oldKeys(keyFile);
  if (old.length === 0) {
    change.tell(`${keyFile} has no old keys`);
    return;
  }
  const { id: active } = openKeyFile(keyFile).active();
  const sealing = await whoStays(store, (ring) => {
    return !ring.has(active) || old.some((id) => ring.sealsWith(id));
  });
  if (sealing.length > 0) {
    const message = `old keys are kept: ${servers(sealing.length)} using them, ${places(sealing)}`;
    throw new SetpointError("secret.key_missing", message, {
      details: { keyIds: [...old], path: keyFile },
      suggestion: `${copyTo(keyFile)}; running servers read the file again. Then drop again`,
    });
  }
  await store.retireKeys(old);
  await resealWhole(store);
  const needed = (await store.keyUses()).filter(({ id }) => old.includes(id));
  if (needed.length > 0) {
    const resources = needed.flatMap((use) => use.resources.map(formatReference));
    const message = `old keys are kept: a value sealed with them cannot be opened`;
    throw new SetpointError("secret.unsealable", message, {
      details: { keyIds: needed.map(({ id }) => id), resources },
      suggestion:
        "run `setpoint doctor`; delete the resources that it names, or wait for compaction",
    });
  }
  dropKeys(keyFile, old);
  change.tell(`${keyFile}: ${counted(old.length, "old key")} removed`);
}

async function openForChange({ config }: KeyChange): Promise<Store> {
  const store = await openExistingStore(config);
  try {
    await store.beginKeyChange();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Those of whom it is still true after a while in which who shares the file has read it. */
async function whoStays(
  store: Store,
  isSo: (ring: OtherRing) => boolean,
): Promise<readonly OtherRing[]> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    const found = (await store.otherRings()).filter(isSo);
    if (found.length === 0 || waitedMs >= patienceMs) return found;
    await systemTimers.sleep(pauseMs);
  }
}

/** Again until nothing is left: another server may just have sealed with the old key. */
async function resealWhole(store: Store): Promise<number> {
  let resealed = 0;
  for (;;) {
    const more = await store.reseal();
    if (more === 0) return resealed;
    resealed += more;
  }
}

function servers(count: number): string {
  return count === 1 ? "1 other server is" : `${count} other servers are`;
}

function places(rings: readonly OtherRing[]): string {
  return rings.map(({ place }) => place).join(", ");
}

function copyTo(keyFile: string): string {
  return `copy ${keyFile} to each server that has its own file`;
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
