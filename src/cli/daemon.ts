// What a command of a module uses that runs until it is stopped, such as an agent: the log of a
// server, and the signals of the process.
import type { Daemon, DaemonLog } from "../contract/command.ts";
import { systemClock } from "../kernel/clock.ts";
import { systemRandom } from "../kernel/random.ts";
import { systemTimers } from "../kernel/timers.ts";
import { logger } from "../telemetry/log.ts";

export function startDaemon({ level, form }: DaemonLog): Daemon {
  const log = logger((lines) => process.stderr.write(lines), systemClock, level, form);
  const stop = new AbortController();
  const end = (signal: string): void => {
    if (stop.signal.aborted) {
      log.info({ signal }, "process stopped immediately");
      process.exit(1);
    }
    log.info({ signal }, "process stopping");
    stop.abort();
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  const { signal: stopping } = stop;
  return { clock: systemClock, timers: systemTimers, random: systemRandom, log, stopping };
}
