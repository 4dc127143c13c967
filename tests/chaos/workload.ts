// The load of one writer: lanes that act, a follower that reads the log as it grows, and now and
// then a compaction, until the signal ends it or the process is killed.
import type { Store } from "../../src/store/port.ts";
import { chooseAction, setBound } from "./actions.ts";
import { codeOf, digestText } from "./evidence.ts";
import type { Emit } from "./evidence.ts";
import { Lane } from "./lane.ts";

export interface WorkloadOptions {
  /** Different for every process and round: it is part of the name of every write. */
  readonly name: string;
  readonly seed: number;
  readonly lanes: number;
  readonly compacts: boolean;
  readonly signal: AbortSignal;
}

/** Errors that a caller has to expect of a store whose disk or server may go away. */
const expected = new Set([
  "store.unavailable",
  "store.outcome_unknown",
  "store.overloaded",
  "store.closed",
  "store.full",
  "history.gone",
]);

export async function runWorkload(
  store: Store,
  options: WorkloadOptions,
  emit: Emit,
): Promise<void> {
  const { name, seed, lanes, compacts, signal } = options;
  const lane = (index: number): Lane =>
    new Lane(store, `${name}.${index}`, seed * 1_000 + index, emit);
  await setBound(lane(lanes));
  const running = Array.from({ length: lanes }, async (_, index) => {
    const own = lane(index);
    while (!signal.aborted) await guarded(own, signal, () => chooseAction(own)(own));
  });
  running.push(follow(lane(lanes + 1), emit, signal));
  if (compacts) running.push(compactOften(lane(lanes + 2), signal));
  await Promise.all(running);
}

async function follow(lane: Lane, emit: Emit, signal: AbortSignal): Promise<void> {
  const { store } = lane;
  let position: number | undefined;
  while (!signal.aborted) {
    await guarded(lane, signal, async () => {
      position ??= (await store.head()).revision;
      await store.advancedBeyond(position, signal);
      const { changes } = await store.changes(position, 200);
      const first = position + 1;
      const isGapless = changes.every((change, index) => change.revision === first + index);
      if (!isGapless) lane.problem(`the log after ${position} has a gap or a repeat`);
      if (changes.length === 0) lane.problem(`the log beyond ${position} is announced but empty`);
      position += changes.length;
      emit({ kind: "seen", first, digests: changes.map((change) => digestText(change.body)) });
    });
    // Only a compaction can overtake a follower: it starts again at the head, as it is told to.
    const { compacted } = await store.head().catch(() => ({ compacted: 0 }));
    if (position !== undefined && position < compacted) position = undefined;
  }
}

async function compactOften(lane: Lane, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await guarded(lane, signal, async () => {
      const { revision, compacted } = await lane.store.head();
      const mark = Math.max(compacted, revision - 400 - lane.roll(200));
      await lane.store.compact(mark, signal);
      for (let i = 0; i < 10; i += 1) await lane.rest();
    });
  }
}

/** What the follower missed by compaction is no problem; anything untyped is one. */
async function guarded(lane: Lane, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (signal.aborted) return;
    const code = codeOf(error);
    if (!expected.has(code)) lane.problem(`unexpected: ${code}`);
    await lane.rest();
  }
}
