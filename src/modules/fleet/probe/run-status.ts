// What is known about a region, as it is stored in the status of a Probe. Pure.

import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { shortText } from "../../../kernel/short-text.ts";
import type { Probe, ProbeRun } from "./probe.ts";

export function runStatus({ intervalMs }: Pick<Probe, "intervalMs">, run: ProbeRun): JsonObject {
  const { provider, region, sequence, instance, startedAtMs, verdict, deletingAtMs } = run;
  const { lastFailure } = run;
  const isWaiting = instance === undefined;
  const state = isWaiting ? "waiting" : verdict === undefined ? "creating" : "deleting";
  const time = (field: string, ms: number | undefined): JsonObject =>
    ms === undefined ? {} : { [field]: timeText(ms) };
  return {
    provider,
    region,
    state,
    sequence,
    failuresInRow: run.failuresInRow,
    ...(instance === undefined ? {} : { instance }),
    ...(sequence === 0 ? {} : time("startedAt", startedAtMs)),
    ...(verdict === undefined
      ? {}
      : { verdict: verdict.result, reason: shortText(verdict.reason, 1_000) }),
    ...time("deletingAt", deletingAtMs),
    ...(run.isLate ? { isLate: true } : {}),
    ...time("lastSuccessAt", run.lastSuccessAtMs),
    ...time("lastFailureAt", lastFailure?.atMs),
    ...(lastFailure === undefined ? {} : { lastFailure: shortText(lastFailure.reason, 1_000) }),
    ...time("nextAt", isWaiting && sequence > 0 ? startedAtMs + intervalMs : undefined),
  };
}
