// The header Retry-After of an answer.

import { limits } from "./limits.ts";

/**
 * In seconds or as a date; undefined when it is absent or cannot be read. A time beyond the limit
 * is cut: a year, by a mistake or a wrong clock, must not stop the retries for a year.
 */
export function retryAfterMs(
  headers: { readonly [name: string]: string },
  nowMs: number,
): number | undefined {
  const value = headers["retry-after"]?.trim() ?? "";
  const most = limits.maxRetryAfterMs;
  if (/^\d{1,9}$/.test(value)) return Math.min(most, Number(value) * 1_000);
  const at = value === "" ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.min(most, Math.max(0, at - nowMs));
}
