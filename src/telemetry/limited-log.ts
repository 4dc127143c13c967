// The log lines that callers can cause. In each window at most `maxLines` of one message are
// written. The number of suppressed lines follows at the end of the window, so that a flood of
// requests costs a bounded number of lines and is still visible.

import type { Timers } from "../kernel/timers.ts";
import type { Fields, Level, Logger } from "./log.ts";

export interface LogLimit {
  readonly maxLines: number;
  readonly windowMs: number;
}

/** Enough to find the cause of a fault; a flood is about 2 lines per second and message. */
export const requestLineLimit: LogLimit = { maxLines: 20, windowMs: 10_000 };

export type LimitedLog = Logger & Disposable;

/** Disposing reports what is suppressed so far. */
export function limitedLog(
  log: Logger,
  timers: Pick<Timers, "after">,
  { maxLines, windowMs }: LogLimit = requestLineLimit,
): LimitedLog {
  const windows = new Map<string, Window>();
  const end = (line: string, { level, suppressed, cancel }: Window): void => {
    windows.delete(line);
    cancel();
    if (suppressed > 0) log[level]({ line, suppressed }, "log lines suppressed");
  };
  const at = (level: Level) => (fields: Fields, message: string) => {
    let window = windows.get(message);
    if (window === undefined) {
      const opened: Window = { level, written: 0, suppressed: 0, cancel: () => {} };
      opened.cancel = timers.after(windowMs, () => end(message, opened));
      windows.set(message, opened);
      window = opened;
    }
    if (window.written === maxLines) {
      window.suppressed += 1;
      return;
    }
    window.written += 1;
    log[level](fields, message);
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    [Symbol.dispose]: () => {
      for (const [line, window] of windows) end(line, window);
    },
  };
}

interface Window {
  readonly level: Level;
  written: number;
  suppressed: number;
  cancel: () => void;
}
