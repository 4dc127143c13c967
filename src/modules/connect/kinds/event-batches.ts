// Events are taken together for a moment, so that a service which tells of a thousand changes a
// second costs a few looks at the store. What is more than can be told apart, or could not be
// carried out, ends in a look at everything: no event is lost, and what waits is bounded.

import { parseExact } from "../../../kernel/int64.ts";
import { isJsonArray, jsonProblem } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { limits } from "../../../kernel/limits.ts";
import type { Timers } from "../../../kernel/timers.ts";

export interface EventBatches extends AsyncDisposable {
  /** An event, or a list of them, as JSON; anything else says nothing. */
  add(text: string): void;
  /** Everything is to be looked at. */
  addAll(): void;
}

export interface EventBatchesInput {
  readonly timers: Timers;
  readonly wakeNamed: (events: readonly Json[]) => Promise<unknown>;
  readonly wakeAll: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

const collectMs = 50;
const againMs = 1_000;
const mostEvents = 1_000;

export function eventBatches(input: EventBatchesInput): EventBatches {
  const { timers, wakeNamed, wakeAll, onError } = input;
  let events: Json[] = [];
  let isAll = false;
  let isOver = false;
  let cancel: (() => void) | undefined;
  let working: Promise<void> | undefined;
  const schedule = (ms: number): void => {
    if (isOver || cancel !== undefined || working !== undefined) return;
    cancel = timers.after(ms, () => {
      cancel = undefined;
      working = work();
    });
  };
  const work = async (): Promise<void> => {
    const taken = { events, isAll };
    events = [];
    isAll = false;
    let nextMs = collectMs;
    try {
      if (taken.isAll) await wakeAll();
      else await wakeNamed(taken.events);
    } catch (error) {
      if (!isOver) onError(error);
      isAll = true;
      nextMs = againMs;
    }
    working = undefined;
    if (isAll || events.length > 0) schedule(nextMs);
  };
  return {
    add: (text) => {
      const event = eventIn(text);
      if (event === undefined || isAll) return;
      const told = isJsonArray(event) ? event : [event];
      // Counted before they are taken: a list may be longer than anything can be called with.
      if (events.length + told.length > mostEvents) {
        isAll = true;
        events = [];
      } else events.push(...told);
      schedule(collectMs);
    },
    addAll: () => {
      isAll = true;
      events = [];
      schedule(0);
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      cancel?.();
      await working;
    },
  };
}

function eventIn(text: string): Json | undefined {
  try {
    const event: unknown = parseExact(text);
    return jsonProblem(event, limits.maxJsonDepth) === undefined ? (event as Json) : undefined;
  } catch {
    return undefined;
  }
}
