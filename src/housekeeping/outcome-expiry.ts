// The outcomes of idempotent requests are removed a day after they were stored, and sessions of
// browsers after their end. A task of the leader looks through all of them at intervals, because
// only the clock makes one old.

import type { LeaderTask } from "../engine/wakes/leader-tasks.ts";
import { removeOldOutcomes } from "../intents/idempotency/outcome-expiry.ts";
import { removeOldSessions } from "../intents/sessions/session-expiry.ts";
import type { Intents } from "../intents/request.ts";
import { every } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";

const sweepMs = 3_600_000;

export interface OutcomeExpiryInput {
  readonly intents: Intents;
  readonly timers: Timers;
}

export function outcomeExpiry({ intents, timers }: OutcomeExpiryInput): LeaderTask {
  return {
    name: "outcome expiry",
    lead: async (claim, signal) => {
      const sweep = async (): Promise<void> => {
        await removeOldOutcomes(intents, { claim, signal });
        await removeOldSessions(intents, { claim, signal });
      };
      await every(timers, sweepMs, sweep, signal);
    },
  };
}
