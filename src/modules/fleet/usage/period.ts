// The period of a usage report, from the query of a request. Pure.

import { SetpointError } from "../../../kernel/errors.ts";
import { fleetLimits } from "../limits.ts";
import type { UseSpan } from "./instance-use.ts";

/** `to` is now when it is absent or later. Throws fleet.body_invalid with the parameter. */
export function usagePeriod(
  from: string | undefined,
  to: string | undefined,
  nowMs: number,
): UseSpan {
  const fromMs = timeIn("from", from);
  const toMs = to === undefined ? nowMs : Math.min(nowMs, timeIn("to", to));
  if (fromMs >= toMs) {
    throw invalid("from", "must be before `to` and before the present time");
  }
  if (toMs - fromMs > fleetLimits.maxUsageMs) {
    const days = fleetLimits.maxUsageMs / dayMs;
    throw invalid("from", `the period may be at most ${days} days long`);
  }
  return { fromMs, toMs };
}

const dayMs = 86_400_000;
const pattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d))?$/;

/** A date is its beginning, in UTC. */
function timeIn(parameter: string, text: string | undefined): number {
  const ms = text !== undefined && pattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  const why =
    text === undefined
      ? "is required: give a date, such as 2026-01-31, or a time, such as 2026-01-31T12:00:00Z"
      : `${JSON.stringify(text)} is not a date (2026-01-31) or a time (2026-01-31T12:00:00Z)`;
  throw invalid(parameter, why);
}

function invalid(parameter: string, why: string): SetpointError {
  const details = { field: `query.${parameter}` };
  return new SetpointError("fleet.body_invalid", `${parameter}: ${why}`, { details });
}
