// Remembers which tokens have a good signature, because checking one costs a hundred microseconds
// and a client sends the same token with each request. Bounded in number and time; the oldest goes
// first. Only what never changes about a token is remembered: whether it has expired and whether
// its account still exists is asked each time.

import { hash } from "node:crypto";
import type { Clock } from "../../kernel/clock.ts";
import { limits } from "../../kernel/limits.ts";

export interface VerifiedTokens<T> {
  get(token: string): T | undefined;
  set(token: string, value: T): void;
  clear(): void;
}

export interface VerifiedTokensOptions {
  readonly clock: Clock;
  readonly maxItems?: number;
  readonly ttlMs?: number;
}

export function verifiedTokens<T>(options: VerifiedTokensOptions): VerifiedTokens<T> {
  const { clock } = options;
  const { maxItems = limits.maxVerifiedTokens, ttlMs = limits.verifiedTokenTtlMs } = options;
  const items = new Map<string, { readonly value: T; readonly untilMs: number }>();
  return {
    get: (token) => {
      const key = digest(token);
      const found = items.get(key);
      if (found === undefined) return undefined;
      if (clock.nowMs() < found.untilMs) return found.value;
      items.delete(key);
      return undefined;
    },
    set: (token, value) => {
      const key = digest(token);
      items.delete(key);
      items.set(key, { value, untilMs: clock.nowMs() + ttlMs });
      if (items.size <= maxItems) return;
      const [oldest] = items.keys();
      if (oldest !== undefined) items.delete(oldest);
    },
    clear: () => items.clear(),
  };
}

function digest(token: string): string {
  return hash("sha256", token, "base64");
}
