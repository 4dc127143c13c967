/**
 * What the store forgets with time: superseded states after `history`, and before that the secrets
 * of deleted resources after `secretRetention`. Every process does it, because both are idempotent.
 */
import { forgetHistory } from "../intents/housekeeping/history.ts";
import type { SlowReader } from "../intents/housekeeping/history.ts";
import { systemClock } from "../kernel/clock.ts";
import { every, systemTimers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";
import type { ServeConfig } from "./config.ts";

const historySweepMs = 3_600_000;
const secretSweepMs = 600_000;

/** The returned function ends it. */
export function startForgetting(
  { historyMs, secretRetentionMs }: Pick<ServeConfig, "historyMs" | "secretRetentionMs">,
  store: Store,
  log: Logger,
  readers: readonly SlowReader[] = [],
): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const repeat = async (
    keepMs: number | undefined,
    { sweepMs, failure }: { readonly sweepMs: number; readonly failure: string },
    forget: (keepMs: number) => Promise<unknown>,
  ): Promise<void> => {
    if (keepMs === undefined) return;
    const sweep = async (): Promise<void> => {
      try {
        await forget(keepMs);
      } catch (error) {
        if (!signal.aborted) log.warn({ error }, failure);
      }
    };
    await every(systemTimers, Math.min(sweepMs, keepMs), sweep, signal);
  };
  const sweeping = Promise.all([
    repeat(historyMs, { sweepMs: historySweepMs, failure: "history not compacted" }, (keepMs) =>
      forgetHistory(store, { nowMs: systemClock.nowMs(), keepMs, readers }, signal),
    ),
    repeat(
      secretRetentionMs,
      { sweepMs: secretSweepMs, failure: "secrets not erased" },
      (minAgeMs) => store.erase({ kind: "deleted", minAgeMs }, signal),
    ),
  ]);
  return async () => {
    stop.abort();
    await sweeping;
  };
}
