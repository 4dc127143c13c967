// Waiting for a condition, with a limit: what tests do instead of sleeping.
import { setTimeout as delay } from "node:timers/promises";

/** So long that only what never comes is in vain, however busy the machine is. */
const usualLimitMs = 120_000;

export interface Limit {
  readonly limitMs?: number;
}

/** Tries until the answer is neither undefined nor false; fails by saying what was waited for. */
export async function waitUntil<T>(
  what: string,
  attempt: () => T | undefined | false | Promise<T | undefined | false>,
  { limitMs = usualLimitMs }: Limit = {},
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await attempt();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() >= deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await delay(5);
  }
}

/** The answer, or a failure that says what was waited for; the wait keeps the process alive. */
export async function within<T>(
  what: string,
  answer: Promise<T>,
  { limitMs = usualLimitMs, explain = () => "" }: Limit & { readonly explain?: () => string } = {},
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`waited ${limitMs} ms in vain for ${what}\n${explain()}`));
  }, limitMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
