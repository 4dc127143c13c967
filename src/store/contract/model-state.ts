/**
 * The data of the model store: one log, the resources that are live now, and nothing derived. Every
 * question (who holds a name, how full is a counter, what was true at a revision) is answered by
 * looking at all of it, which is slow and plainly right. That is what an oracle is for.
 */
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Change, CounterBound, CounterState, CounterUse, UniqueName } from "../port.ts";

export interface Entry extends Change {
  /** A deletion without `last`: a dump leaves the document out, since the previous one shows it. */
  readonly showsPrevious: boolean;
  readonly hasSecrets: boolean;
}

export interface Held {
  readonly names: readonly UniqueName[];
  readonly uses: readonly CounterUse[];
  readonly bounds: readonly CounterBound[];
}

export interface HeldClaim {
  readonly owner: string;
  readonly token: number;
  readonly expiresAtMs: number;
}

export interface Work {
  /** When it is due, if it is. While a claim is live this waits behind it. */
  dueAtMs: number | undefined;
  claim: HeldClaim | undefined;
  /** The earliest wake that came during the claim. */
  wishAtMs: number | undefined;
  attempts: number;
}

export interface Live {
  readonly key: ResourceKey;
  readonly entry: Entry;
  readonly held: Held;
  readonly work: Work;
}

export interface ModelState {
  head: number;
  compacted: number;
  lastToken: number;
  /** By revision. Compaction takes entries out; the rest stays in order. */
  readonly log: Map<number, Entry>;
  /** The same entries by keyText, oldest first. */
  readonly chains: Map<string, Entry[]>;
  readonly live: Map<string, Live>;
}

export const nothingHeld: Held = { names: [], uses: [], bounds: [] };

export function emptyState(): ModelState {
  return {
    head: 0,
    compacted: 0,
    lastToken: 0,
    log: new Map(),
    chains: new Map(),
    live: new Map(),
  };
}

export function noWork(): Work {
  return { dueAtMs: undefined, claim: undefined, wishAtMs: undefined, attempts: 0 };
}

export function appendEntry(state: ModelState, entry: Entry): void {
  const id = keyText(entry.key);
  state.log.set(entry.revision, entry);
  const chain = state.chains.get(id);
  if (chain === undefined) state.chains.set(id, [entry]);
  else chain.push(entry);
  state.head = Math.max(state.head, entry.revision);
}

/** The state of a key at a revision; undefined when it did not exist then. */
export function entryAt(chain: readonly Entry[], revision: number): Entry | undefined {
  const entry = chain.findLast((candidate) => candidate.revision <= revision);
  return entry === undefined || entry.type === "deleted" ? undefined : entry;
}

/** Forgets what is neither current at the mark nor newer than it; says how many entries went. */
export function forgetUpTo(state: ModelState, mark: number): number {
  let removed = 0;
  for (const [id, chain] of state.chains) {
    const current = entryAt(chain, mark);
    const kept = chain.filter((entry) => entry.revision > mark || entry === current);
    for (const entry of chain) if (!kept.includes(entry)) state.log.delete(entry.revision);
    removed += chain.length - kept.length;
    if (kept.length === 0) state.chains.delete(id);
    else state.chains.set(id, kept);
  }
  state.compacted = mark;
  return removed;
}

export function holderOf(state: ModelState, name: UniqueName): Live | undefined {
  const text = nameText(name);
  for (const live of state.live.values()) {
    if (live.held.names.some((held) => nameText(held) === text)) return live;
  }
  return undefined;
}

export function counterState(state: ModelState, counter: string): CounterState {
  let value = 0;
  let max: number | undefined;
  for (const { held } of state.live.values()) {
    value += amountOf(held, counter);
    max ??= held.bounds.find((bound) => bound.counter === counter)?.max;
  }
  return { value, max };
}

export function amountOf(held: Held, counter: string): number {
  return held.uses.find((use) => use.counter === counter)?.amount ?? 0;
}

export function nameText(name: UniqueName): string {
  return JSON.stringify([name.scope, name.name]);
}

/** Order of texts by code point, which is the order of their UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
