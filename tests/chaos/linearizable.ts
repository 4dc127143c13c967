// Is a history of one register linearizable? Given calls with the times they began and were
// answered, the checker looks for one order of all of them that keeps the real-time order (a call
// answered before another began comes first) and in which every answer is right. This is the search
// of Wing and Gong with Lowe's memory: a set of calls already placed together with the state they
// led to is tried only once. Registers are independent, so each is checked by itself.
//
// A call whose outcome is unknown (its process died, or the store could not tell) may be placed at
// any moment after it began, or never; it is never required.
//
// Values must be unique per write: then a value says which write it came from, and the revision of
// an unknown write becomes known when somebody reads it.

/** What a register holds. The revision is null while only an unknown write knows it. */
export interface Held {
  readonly value: string;
  readonly revision: number | null;
}

export interface Version {
  readonly value: string;
  readonly revision: number;
}

export type Action =
  | { readonly kind: "read"; readonly found: Version | null }
  | { readonly kind: "create"; readonly value: string; readonly outcome: WriteOutcome }
  | {
      readonly kind: "swap";
      readonly expected: Version;
      readonly value: string;
      readonly outcome: WriteOutcome;
    }
  | { readonly kind: "delete"; readonly expected: Version; readonly outcome: WriteOutcome };

export type WriteOutcome =
  | { readonly kind: "done"; readonly revision: number }
  /** Somebody else was first: the register holds something else. */
  | { readonly kind: "conflict" }
  | { readonly kind: "missing" }
  | { readonly kind: "exists" }
  | { readonly kind: "unknown" };

export interface Operation {
  readonly process: string;
  readonly beginUs: number;
  /** Ignored for a write whose outcome is unknown. */
  readonly endUs: number;
  readonly action: Action;
}

export type Verdict =
  | { readonly kind: "linearizable" }
  /** The longest order found, and the calls that could not follow it. */
  | { readonly kind: "violation"; readonly placed: number; readonly stuck: readonly Operation[] }
  | { readonly kind: "undecided"; readonly steps: number };

type State = Held | null;

interface Node {
  readonly operation: Operation;
  readonly index: number;
  readonly isCall: boolean;
  /** Of a call: its answer's node; undefined when no answer is known. */
  answer: Node | undefined;
  before: Node | undefined;
  after: Node | undefined;
}

const maxSteps = 5_000_000;

export function checkRegister(history: readonly Operation[]): Verdict {
  const operations = [...history].sort((a, b) => a.beginUs - b.beginUs);
  const head = linkedEvents(operations);
  const required = operations.filter((operation) => !isUnknown(operation)).length;
  const memory = new Set<string>();
  const placed = new PlacedSet(operations.length);
  const stack: { readonly node: Node; readonly state: State }[] = [];
  let state: State = null;
  let done = 0;
  let best: Verdict = { kind: "violation", placed: 0, stuck: [] };
  let node = head.after;
  for (let steps = 0; done < required; steps += 1) {
    if (steps > maxSteps) return { kind: "undecided", steps };
    const next: State | undefined = node?.isCall ? step(state, node.operation.action) : undefined;
    if (node?.isCall && next !== undefined && remember(memory, placed.with(node.index), next)) {
      stack.push({ node, state });
      placed.add(node.index);
      state = next;
      lift(node);
      if (!isUnknown(node.operation)) done += 1;
      node = head.after;
    } else if (node?.isCall) {
      node = node.after;
    } else {
      // An answer was reached before its call could be placed: the last choice was wrong.
      if (best.kind === "violation" && done >= best.placed) {
        best = { kind: "violation", placed: done, stuck: openCalls(head) };
      }
      const last = stack.pop();
      if (last === undefined) return best;
      placed.delete(last.node.index);
      if (!isUnknown(last.node.operation)) done -= 1;
      state = last.state;
      unlift(last.node);
      node = last.node.after;
    }
  }
  return { kind: "linearizable" };
}

/** The state after the action, or undefined when its answer would be wrong here. */
function step(state: State, action: Action): State | undefined {
  switch (action.kind) {
    case "read": {
      const { found } = action;
      if (found === null) return state === null ? null : undefined;
      return state !== null && isHeld(state, found) ? { ...found } : undefined;
    }
    case "create": {
      const { outcome, value } = action;
      if (outcome.kind === "exists") return state === null ? undefined : state;
      return state === null ? written(value, outcome) : undefined;
    }
    case "swap": {
      const { outcome, value, expected } = action;
      const refused = refusal(state, expected, outcome);
      if (refused !== undefined) return refused.state;
      return state !== null && isHeld(state, expected) ? written(value, outcome) : undefined;
    }
    case "delete": {
      const { outcome, expected } = action;
      const refused = refusal(state, expected, outcome);
      if (refused !== undefined) return refused.state;
      return state !== null && isHeld(state, expected) ? null : undefined;
    }
    default:
      return action satisfies never;
  }
}

/** Undefined unless the write was refused; then whether that was right in this state. */
function refusal(
  state: State,
  expected: Version,
  outcome: WriteOutcome,
): { readonly state: State | undefined } | undefined {
  if (outcome.kind === "missing") return { state: state === null ? null : undefined };
  if (outcome.kind !== "conflict") return undefined;
  return { state: state !== null && !isHeld(state, expected) ? state : undefined };
}

function written(value: string, outcome: WriteOutcome): State {
  return { value, revision: outcome.kind === "done" ? outcome.revision : null };
}

function isHeld(state: Held, version: Version): boolean {
  if (state.value !== version.value) return false;
  return state.revision === null || state.revision === version.revision;
}

function isUnknown({ action }: Operation): boolean {
  return action.kind !== "read" && action.outcome.kind === "unknown";
}

/** Begins and answers in the order of time; at one instant begins come first (they overlap). */
function linkedEvents(operations: readonly Operation[]): Node {
  const events: { readonly node: Node; readonly atUs: number }[] = [];
  for (const [index, operation] of operations.entries()) {
    const call = event(operation, index, true);
    events.push({ node: call, atUs: operation.beginUs });
    if (isUnknown(operation)) continue;
    call.answer = event(operation, index, false);
    events.push({ node: call.answer, atUs: operation.endUs });
  }
  events.sort((a, b) => a.atUs - b.atUs || Number(b.node.isCall) - Number(a.node.isCall));
  const nobody: Operation = {
    process: "",
    beginUs: 0,
    endUs: 0,
    action: { kind: "read", found: null },
  };
  const head = event(nobody, -1, true);
  let last = head;
  for (const { node } of events) {
    last.after = node;
    node.before = last;
    last = node;
  }
  return head;
}

function event(operation: Operation, index: number, isCall: boolean): Node {
  return { operation, index, isCall, answer: undefined, before: undefined, after: undefined };
}

function lift(call: Node): void {
  unlink(call);
  if (call.answer !== undefined) unlink(call.answer);
}

function unlift(call: Node): void {
  if (call.answer !== undefined) relink(call.answer);
  relink(call);
}

function unlink({ before, after }: Node): void {
  if (before !== undefined) before.after = after;
  if (after !== undefined) after.before = before;
}

function relink(node: Node): void {
  if (node.before !== undefined) node.before.after = node;
  if (node.after !== undefined) node.after.before = node;
}

/** The calls that were open when the search got stuck: the first of them cannot be placed. */
function openCalls(head: Node): readonly Operation[] {
  const calls: Operation[] = [];
  for (let node = head.after; node !== undefined && node.isCall; node = node.after) {
    calls.push(node.operation);
  }
  return calls;
}

/** False when the same calls have led to the same state before. */
function remember(memory: Set<string>, placed: string, state: State): boolean {
  const text = `${placed} ${state === null ? "" : `${state.value} ${state.revision}`}`;
  if (memory.has(text)) return false;
  memory.add(text);
  return true;
}

/**
 * Which calls are placed. All calls before some index are, save for a few, so the text form is that
 * index and the exceptions: histories of thousands of calls keep a small memory.
 */
class PlacedSet {
  readonly #placed: Uint8Array;
  #low = 0;
  #high = 0;

  constructor(size: number) {
    this.#placed = new Uint8Array(size);
  }

  add(index: number): void {
    this.#placed[index] = 1;
    this.#high = Math.max(this.#high, index + 1);
    while (this.#placed[this.#low] === 1) this.#low += 1;
  }

  delete(index: number): void {
    this.#placed[index] = 0;
    this.#low = Math.min(this.#low, index);
  }

  /** The text of the set with this index added. */
  with(index: number): string {
    const was = this.#placed[index];
    this.#placed[index] = 1;
    let low = this.#low;
    while (this.#placed[low] === 1) low += 1;
    const others: number[] = [];
    for (let i = low; i < Math.max(this.#high, index + 1); i += 1) {
      if (this.#placed[i] === 1) others.push(i);
    }
    this.#placed[index] = was ?? 0;
    return `${low}:${others.join()}`;
  }
}
