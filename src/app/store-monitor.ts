/**
 * Tells the log when the store goes away and when it is back. Without it a lost database shows
 * only to clients: the server itself would wait in silence. Asked as `/readyz` asks, one line for
 * each loss and one for each return, however long it lasts.
 */
import type { Clock } from "../kernel/clock.ts";
import { every } from "../kernel/timers.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Store } from "../store/port.ts";
import type { Logger } from "../telemetry/log.ts";
import { storeProblem } from "./health.ts";

export interface StoreMonitorInput {
  readonly store: Pick<Store, "get">;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Logger;
}

const askEveryMs = 5_000;

export function monitorStore(input: StoreMonitorInput): AsyncDisposable {
  const { timers, clock, log } = input;
  const stop = new AbortController();
  let lostAtMs: number | undefined;
  const ask = async (): Promise<void> => {
    const reason = await storeProblem(input);
    if (stop.signal.aborted) return;
    if (reason !== undefined) {
      if (lostAtMs === undefined) log.error({ reason }, "store unavailable");
      lostAtMs ??= clock.nowMs();
    } else if (lostAtMs !== undefined) {
      log.info({ awayMs: clock.nowMs() - lostAtMs }, "store available again");
      lostAtMs = undefined;
    }
  };
  const asking = every(timers, askEveryMs, ask, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await asking;
    },
  };
}
