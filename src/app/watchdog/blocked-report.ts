// One block of the event loop, as the watchdog describes it.

import type { ActivityFacts } from "../../kernel/activity.ts";

export interface BlockedReport {
  readonly blockedMs: number;
  /**
   * What blocks. Where the thread could not be inspected: what began last, which is likely but not
   * certain.
   */
  readonly facts: ActivityFacts;
  readonly isCertain: boolean;
  readonly stack: readonly string[];
}

/** The global function of the main thread that the watchdog evaluates there. */
export const describeKey = "setpoint.describe-activity";

/** From the texts of `describeKey` and of the board, which may be cut. */
export function factsIn(text: string): ActivityFacts {
  try {
    return JSON.parse(text) as ActivityFacts;
  } catch {
    return text === "" ? {} : { activity: text };
  }
}

/** The fields of the log line. */
export function reportFields(report: BlockedReport): Readonly<Record<string, unknown>> {
  const { blockedMs, facts, isCertain, stack } = report;
  return {
    blockedMs: Math.round(blockedMs),
    ...facts,
    ...(isCertain ? {} : { isCertain }),
    ...(stack.length === 0 ? {} : { stack }),
  };
}
