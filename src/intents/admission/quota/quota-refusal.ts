// The words for a full quota. The counter knows how many places are taken; where more objects
// exist than the quota allows, its status knows how many there are.

import type { SetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { overQuota } from "../../refusals.ts";
import type { LiveView } from "../../live-view.ts";
import type { Target } from "../../request.ts";
import { counterOf, quotaOf, quotasKind } from "./quota.ts";

export interface ExceededCounter {
  readonly counter: string;
  /** With the object that was refused. */
  readonly value: number;
  readonly max: number;
}

/** Undefined when no quota of the namespace has the counter. */
export function quotaExceeded(
  live: LiveView,
  { served, namespace, name }: Target,
  { counter, value, max }: ExceededCounter,
): SetpointError | undefined {
  for (const { key, resource: quota } of live.all(quotasKind)) {
    if (key.namespace !== namespace) continue;
    const parsed = quotaOf(quota);
    for (const what of parsed.hard.keys()) {
      if (counterOf(parsed, what) !== counter) continue;
      const known = Number(textAt(quota, "status", "used", what));
      const used = Math.max(value - 1, Number.isNaN(known) ? 0 : known);
      const why =
        `exceeded quota: ${key.name}, requested: ${what}=1, ` +
        `used: ${what}=${used}, limited: ${what}=${max}`;
      return overQuota(served.kind, name, why);
    }
  }
  return undefined;
}
