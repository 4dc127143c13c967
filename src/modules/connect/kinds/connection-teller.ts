// Tells in a condition of Connections what this process found out about them. Several processes do,
// and may fare differently: who has seen it well soon takes back what another said, be that one
// alive or not, and who has not says so once, and then only from time to time. So what is told is
// right in the end, and no two ever answer each other without a pause.

import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { writeCondition } from "../../../intents/housekeeping/write-condition.ts";
import type { LiveRecord } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { connectGroup, connectionsKind } from "./connection-kind.ts";

export interface Finding {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

export interface ConnectionTeller extends AsyncDisposable {
  /** What was found about a Connection; told when it is news. */
  say(name: string, finding: Finding): void;
  /** Nothing is to be told of it any more. */
  forget(name: string): void;
}

export interface ConnectionTellerInput {
  readonly intents: Intents;
  readonly timers: Timers;
  /** Of the condition. */
  readonly type: string;
  /** Between two tellings, and at most after several in a row; none where findings are rare. */
  readonly pausesMs: readonly [least: number, most: number];
  readonly onError: (error: unknown, name: string) => void;
}

interface Own {
  readonly finding: Finding;
  isNews: boolean;
  /** Not told before then. */
  dueMs: number;
}

const correctsAfterMs = 5_000;
const insistsAfterMs = 3_600_000;

export function connectionTeller(input: ConnectionTellerInput): ConnectionTeller {
  const { intents, timers, type, onError } = input;
  const { live, clock } = intents;
  const found = new Map<string, Own>();
  const paces = new Map<string, Pace>();
  const place = (name: string) => ({ group: connectGroup, plural: "connections", name });
  const worker = keyedWorker({
    timers,
    onError,
    work: async (name) => {
      const own = found.get(name);
      const record = live.get({ kind: connectionsKind, namespace: "", name });
      if (own === undefined || record === undefined) return undefined;
      if (!own.isNews && shownIn(record, type) === own.finding.status) return undefined;
      const waitMs = own.dueMs - clock.nowMs();
      if (waitMs > 0) return waitMs;
      const { generation: observedGeneration } = record.resource.metadata;
      await writeCondition(intents, place(name), { type, ...own.finding, observedGeneration });
      own.isNews = false;
      const pace = nextPace(input.pausesMs, paces.get(name), clock.nowMs());
      paces.set(name, pace);
      // What was found while this was written is news again.
      const newer = found.get(name);
      if (newer === undefined || newer === own) return undefined;
      newer.dueMs = pace.toldMs + pace.pauseMs;
      return pace.pauseMs;
    },
  });
  live.follow(connectionsKind, (after, before) => {
    const name = (after ?? before)?.key.name ?? "";
    const own = found.get(name);
    if (after === undefined) {
      found.delete(name);
      paces.delete(name);
    } else if (own?.isNews === true) {
      // It may have been found out before the Connection was known here.
      if (before === undefined) worker.add(name);
    } else if (own !== undefined && shownIn(after, type) !== own.finding.status) {
      const isGood = own.finding.status === "True";
      own.dueMs = clock.nowMs() + (isGood ? correctsAfterMs : insistsAfterMs);
      worker.add(name);
    }
  });
  return {
    say: (name, finding) => {
      const own = found.get(name);
      if (own !== undefined && isSame(own.finding, finding)) return;
      const { toldMs = 0, pauseMs = 0 } = paces.get(name) ?? {};
      found.set(name, { finding, isNews: true, dueMs: toldMs + pauseMs });
      // What waits to be told already is told as it is then.
      if (own?.isNews !== true) worker.add(name);
    },
    forget: (name) => void found.delete(name),
    [Symbol.asyncDispose]: async () => await worker[Symbol.asyncDispose](),
  };
}

interface Pace {
  readonly toldMs: number;
  readonly pauseMs: number;
}

function nextPace(
  [least, most]: ConnectionTellerInput["pausesMs"],
  before: Pace | undefined,
  nowMs: number,
): Pace {
  // What is told for the first time, or after long, may be followed by its contrary at once.
  const isLately = before !== undefined && nowMs - before.toldMs < 2 * most;
  const pauseMs = isLately ? Math.min(most, Math.max(least, before.pauseMs * 2)) : 0;
  return { toldMs: nowMs, pauseMs };
}

function isSame(one: Finding, other: Finding): boolean {
  return (
    one.status === other.status && one.reason === other.reason && one.message === other.message
  );
}

/** The status of the condition; empty where there is none. */
function shownIn({ resource }: LiveRecord, type: string): string {
  const conditions = objectsAt(resource, "status", "conditions");
  return textAt(
    conditions.find((each) => textAt(each, "type") === type),
    "status",
  );
}
