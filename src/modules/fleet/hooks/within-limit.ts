// The time limit of a function of a user module. A function that exceeds it may continue to run;
// its result is ignored.

import type { Timers } from "../../../kernel/timers.ts";

export class HookTimedOut extends Error {
  constructor(limitMs: number) {
    super(`longer than ${limitMs / 1_000} s`);
    this.name = "HookTimedOut";
  }
}

/** Rejects with HookTimedOut. */
export async function withinLimit<T>(
  timers: Timers,
  limitMs: number,
  inside: () => T | Promise<T>,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = timers.after(limitMs, () => late.reject(new HookTimedOut(limitMs)));
  try {
    const called = (async () => await inside())();
    called.catch(() => undefined);
    return await Promise.race([called, late.promise]);
  } finally {
    cancel();
  }
}
