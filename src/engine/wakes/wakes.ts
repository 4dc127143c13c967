// Wakes as writes: each asks for a run and none harms when it comes twice or too late. A wake names
// the uid it is meant for, so it never reaches a namesake.

import { isSetpointError } from "../../kernel/errors.ts";
import { limits } from "../../kernel/limits.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Schedule, Store, StoredRecord, Write } from "../../store/port.ts";
import { unlessAborted } from "../run/unless-aborted.ts";

export function wake(key: ResourceKey, uid: string | undefined, afterMs = 0): Schedule {
  const when = uid === undefined ? { kind: "exists" as const } : { kind: "exists" as const, uid };
  return { kind: "schedule", key, when, due: { kind: "wake", afterMs } };
}

/** Collects wakes, one for each key: two writes of one commit may not name the same. */
export class WakeSet {
  readonly #wakes = new Map<string, { readonly key: ResourceKey; readonly uid?: string }>();

  /** Whether it was not in it before. */
  add(key: ResourceKey, uid: string): boolean {
    const text = keyText(key);
    const present = this.#wakes.get(text);
    if (present === undefined) this.#wakes.set(text, { key, uid });
    // Two namesakes are meant: whichever of them is there is woken.
    else if (present.uid !== undefined && present.uid !== uid) this.#wakes.set(text, { key });
    return present === undefined;
  }

  /** In turns between namespaces: none waits behind all of another that has thousands. */
  writes(): readonly Schedule[] {
    const byNamespace = new Map<string, Schedule[]>();
    for (const { key, uid } of this.#wakes.values()) {
      const present = byNamespace.get(key.namespace);
      if (present === undefined) byNamespace.set(key.namespace, [wake(key, uid)]);
      else present.push(wake(key, uid));
    }
    let lines = [...byNamespace.values()];
    const writes: Schedule[] = [];
    for (let turn = 0; lines.length > 0; turn += 1) {
      lines = lines.filter((line) => turn < line.length);
      for (const line of lines) writes.push(...line.slice(turn, turn + 1));
    }
    return writes;
  }
}

/** Told of a write that no store would take, however often it is tried. */
export type Skipped = (write: Write, error: unknown) => void;

/**
 * Commits one portion after the other. What has gone in the meantime is no error. One write that
 * cannot be stored refuses all of its portion: then each is tried alone, and that one is skipped.
 */
export async function commitWakes(
  store: Pick<Store, "commit">,
  writes: readonly Write[],
  signal: AbortSignal,
  skipped?: Skipped,
): Promise<void> {
  for (let start = 0; start < writes.length; start += limits.maxCommitWrites) {
    const portion = writes.slice(start, start + limits.maxCommitWrites);
    try {
      for (const answer of await unlessAborted(store.commit(portion), signal)) {
        if (answer.kind === "refused" && !isGone(answer.error)) throw answer.error;
      }
    } catch (error) {
      if (skipped === undefined || !isSetpointError(error, "request.invalid")) throw error;
      const [only] = portion;
      if (only !== undefined && portion.length === 1) skipped(only, error);
      else for (const write of portion) await commitWakes(store, [write], signal, skipped);
    }
  }
}

/** In a large herd one is woken each millisecond, and all of it within a minute. */
const spreadMs = 60_000;

/** Wakes for a part of a herd, so many of which have been woken before. */
export function spreadWakes(
  records: readonly Pick<StoredRecord, "key" | "uid">[],
  before = 0,
): readonly Schedule[] {
  return records.map(({ key, uid }, index) => wake(key, uid, (before + index) % spreadMs));
}

/** Wakes every resource of a kind and returns the revision as of which that was every one. */
export async function wakeAll(
  store: Pick<Store, "commit" | "list">,
  kind: string,
  signal: AbortSignal,
): Promise<number> {
  const limit = limits.defaultPageItems;
  let count = 0;
  let page = await unlessAborted(store.list({ kind, limit }), signal);
  for (;;) {
    await commitWakes(store, spreadWakes(page.records, count), signal);
    count += page.records.length;
    if (page.next === undefined) return page.revision;
    page = await unlessAborted(store.list({ kind, limit, from: page.next }), signal);
  }
}

function isGone(error: unknown): boolean {
  return (
    isSetpointError(error, "resource.not_found") || isSetpointError(error, "resource.conflict")
  );
}
