/**
 * How the model judges and applies the writes of one group (a write that stands alone is a group of
 * one). Judging never changes anything and looks at the state before the group; applying never
 * refuses. The order of judgement is part of the contract, because answers are compared:
 *
 *  1. Each write alone: its claim (`claim.lost`), then its precondition, then its uid.
 *  2. Only when 1 found nothing: names and bounds, then counters, of all writes together, as if all
 *     were applied. What is let go counts before what is taken, so a name can move inside a group;
 *     among takers of the same thing the earlier write wins.
 */
import { SetpointError } from "../../kernel/errors.ts";
import { keyText } from "../../kernel/resource.ts";
import type { ResourceKey } from "../../kernel/resource.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { HeldFault } from "../../kernel/held-fault.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Answer, ClaimRef, Delete, DueChange, Put, Write } from "../port.ts";
import { amountOf, appendEntry, nameText, noWork, nothingHeld } from "./model-state.ts";
import type { Entry, Held, Live, ModelState, Work } from "./model-state.ts";

type Refusal = SetpointError | undefined;

export function commitGroup(
  state: ModelState,
  writes: readonly Write[],
  nowMs: number,
): readonly Answer[] {
  const refusals = judgeGroup(state, writes, nowMs);
  if (refusals.every((refusal) => refusal === undefined)) {
    return writes.map((write) => applyWrite(state, write, nowMs));
  }
  return refusals.map((refusal) => ({ kind: "refused", error: refusal ?? groupRefused() }));
}

function judgeGroup(state: ModelState, writes: readonly Write[], nowMs: number): Refusal[] {
  const alone = writes.map((write) => judgeAlone(state, write, nowMs));
  if (alone.some((refusal) => refusal !== undefined)) return alone;
  const before = writes.map((write) => state.live.get(keyText(write.key))?.held ?? nothingHeld);
  const after = writes.map((write, index) => heldAfter(write, before[index] ?? nothingHeld));
  // Who takes nothing is in nobody's way; it spares most tests looking at everybody.
  if (after.every(holdsNothing)) return alone;
  const others = outsiders(state, writes);
  const names = judgeUnique(others, writes, before, after, namesIn);
  const bounds = judgeUnique(others, writes, before, after, boundsIn);
  const counters = judgeCounters(others, writes, before, after);
  return writes.map((_, index) => names[index] ?? bounds[index] ?? counters[index]);
}

function judgeAlone(state: ModelState, write: Write, nowMs: number): Refusal {
  const { when, claim } = write;
  if (claim !== undefined && !isLiveClaim(state, claim, nowMs)) return refuse("claim.lost", write);
  const live = state.live.get(keyText(write.key));
  if (when.kind === "absent") {
    return live === undefined ? undefined : refuse("resource.already_exists", write);
  }
  if (live === undefined) return refuse("resource.not_found", write);
  const { revision, uid } = live.entry;
  if (when.kind === "revision" && when.revision !== revision) {
    return refuse("resource.conflict", write);
  }
  if (when.uid !== undefined && when.uid !== uid) {
    return refuse("resource.conflict", write);
  }
  if (write.kind === "put" && write.uid !== uid) return refuse("resource.conflict", write);
  return undefined;
}

export function isLiveClaim(state: ModelState, claim: ClaimRef, nowMs: number): boolean {
  const held = state.live.get(keyText(claim.key))?.work.claim;
  return held !== undefined && held.token === claim.token && held.expiresAtMs > nowMs;
}

function heldAfter(write: Write, before: Held): Held {
  if (write.kind === "delete") return nothingHeld;
  if (write.kind === "schedule") return before;
  const { names = before.names, uses = before.uses, bounds = before.bounds } = write;
  return { names, uses, bounds };
}

/** A name or a bound that one resource holds. */
interface Unique {
  readonly text: string;
  readonly of: { readonly scope: string; readonly name: string } | { readonly counter: string };
}

function namesIn({ names }: Held): readonly Unique[] {
  return names.map((held) => ({
    text: nameText(held),
    of: { scope: held.scope, name: held.name },
  }));
}

function boundsIn({ bounds }: Held): readonly Unique[] {
  return bounds.map(({ counter }) => ({ text: counter, of: { counter } }));
}

/** Keepers come before takers. */
function judgeUnique(
  others: readonly Outsider[],
  writes: readonly Write[],
  before: readonly Held[],
  after: readonly Held[],
  uniquesIn: (held: Held) => readonly Unique[],
): Refusal[] {
  const holders = new Map<string, ResourceKey | null>();
  for (const { key, held } of others) {
    for (const { text } of uniquesIn(held)) holders.set(text, key);
  }
  const news = after.map((held, index) => {
    const own = new Set(uniquesIn(before[index] ?? nothingHeld).map(({ text }) => text));
    const key = writes[index]?.key ?? null;
    for (const { text } of uniquesIn(held)) if (own.has(text)) holders.set(text, key);
    return uniquesIn(held).filter(({ text }) => !own.has(text));
  });
  return writes.map((write, index) => {
    const uniques = news[index] ?? [];
    const taken = uniques.find(({ text }) => holders.has(text));
    const holder = taken === undefined ? null : (holders.get(taken.text) ?? null);
    for (const { text } of uniques) if (!holders.has(text)) holders.set(text, null);
    return taken === undefined ? undefined : refuse("name.taken", write, { ...taken.of, holder });
  });
}

/** Lowering comes first and is never refused; then each raise in order meets the final bound. */
function judgeCounters(
  others: readonly Outsider[],
  writes: readonly Write[],
  before: readonly Held[],
  after: readonly Held[],
): Refusal[] {
  const bounds = new Map<string, number>();
  const all = [...others.map(({ held }) => held), ...after];
  for (const held of all) {
    for (const { counter, max } of held.bounds) if (!bounds.has(counter)) bounds.set(counter, max);
  }
  const refusals: Refusal[] = writes.map(() => undefined);
  for (const [counter, max] of bounds) {
    const raises = after.map((held, index) =>
      Math.max(0, amountOf(held, counter) - amountOf(before[index] ?? nothingHeld, counter)),
    );
    let value = 0;
    for (const held of all) value += amountOf(held, counter);
    for (const raise of raises) value -= raise;
    for (const [index, write] of writes.entries()) {
      const raise = raises[index] ?? 0;
      value += raise;
      if (raise === 0 || value <= max) continue;
      refusals[index] ??= refuse("counter.exceeded", write, { counter, value, max });
    }
  }
  return refusals;
}

function holdsNothing({ names, uses, bounds }: Held): boolean {
  return names.length + uses.length + bounds.length === 0;
}

/** A resource that the group does not write. */
type Outsider = Pick<Live, "key" | "held">;

function outsiders(state: ModelState, writes: readonly Write[]): readonly Outsider[] {
  const written = new Set(writes.map((write) => keyText(write.key)));
  return [...state.live].flatMap(([id, live]) => (written.has(id) ? [] : [live]));
}

function applyWrite(state: ModelState, write: Write, nowMs: number): Answer {
  const id = keyText(write.key);
  const old = state.live.get(id);
  if (write.kind === "delete") {
    const entry = deletion(state, write, old, nowMs);
    appendEntry(state, entry);
    state.live.delete(id);
    return { kind: "committed", revision: entry.revision };
  }
  const entry = write.kind === "put" ? putEntry(state, write, old, nowMs) : existing(old).entry;
  const work = old?.work ?? noWork();
  if (write.due !== undefined) applyDue(work, write.due, nowMs);
  state.live.set(id, {
    key: write.key,
    entry,
    held: heldAfter(write, old?.held ?? nothingHeld),
    work,
  });
  if (entry === old?.entry) return { kind: "unchanged", revision: entry.revision };
  appendEntry(state, entry);
  return { kind: "committed", revision: entry.revision };
}

function putEntry(state: ModelState, put: Put, old: Live | undefined, nowMs: number): Entry {
  const { draft } = put;
  if (old !== undefined && isSame(old.entry, draft)) return old.entry;
  return {
    ...changeBase(state, put, old, draft, nowMs),
    type: old === undefined ? "created" : "updated",
    uid: put.uid,
  };
}

function deletion(state: ModelState, write: Delete, old: Live | undefined, nowMs: number): Entry {
  const { entry } = existing(old);
  const { body, terms, hasSecrets } = entry;
  const shown = write.last ?? { body, terms, secrets: hasSecrets ? [""] : [] };
  return {
    ...changeBase(state, write, old, shown, nowMs),
    type: "deleted",
    uid: entry.uid,
    showsPrevious: write.last === undefined,
  };
}

function changeBase(
  state: ModelState,
  write: Write,
  old: Live | undefined,
  draft: Pick<Draft, "body" | "terms" | "secrets">,
  nowMs: number,
): Omit<Entry, "type" | "uid"> {
  const replaced = old?.entry;
  return {
    revision: state.head + 1,
    key: write.key,
    previous: replaced?.revision,
    atMs: nowMs,
    ...(write.kind !== "schedule" && { cause: { ...write.cause } }),
    body: Buffer.from(draft.body),
    terms: [...draft.terms],
    ...(replaced === undefined || sameTerms(replaced.terms, draft.terms)
      ? {}
      : { previousTerms: replaced.terms }),
    showsPrevious: false,
    hasSecrets: draft.secrets.length > 0,
  };
}

/** Wakes and releases; the claim was judged before. */
export function applyDue(work: Work, due: DueChange, nowMs: number): void {
  const atMs = due.afterMs === undefined ? undefined : nowMs + due.afterMs;
  if (due.kind === "release") {
    work.dueAtMs = earlier(atMs, work.wishAtMs);
    work.wishAtMs = undefined;
    work.claim = undefined;
    if (due.attempts === "reset") work.attempts = 0;
    return;
  }
  if (work.claim !== undefined && work.claim.expiresAtMs > nowMs) {
    work.wishAtMs = earlier(atMs, work.wishAtMs);
  } else {
    work.dueAtMs = earlier(atMs, work.dueAtMs);
  }
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

function isSame(entry: Entry, draft: Draft): boolean {
  const isEqualBody = entry.body.equals(draft.body);
  return (
    isEqualBody &&
    sameTerms(entry.terms, draft.terms) &&
    entry.hasSecrets === draft.secrets.length > 0
  );
}

export function sameTerms(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((term, index) => term === b[index]);
}

function existing(live: Live | undefined): Live {
  if (live === undefined) throw new Error("a judged write on a missing resource");
  return live;
}

function refuse(code: SetpointError["code"], write: Write, fault?: HeldFault): SetpointError {
  const message = `${write.kind} ${keyText(write.key)} is refused`;
  return new SetpointError(code, message, { details: fault as JsonObject | undefined });
}

function groupRefused(): SetpointError {
  return new SetpointError("resource.group_refused", "another write of the group is refused");
}
