// The parts of timestamps and durations: getFullYear(), getHours("Europe/Berlin") and so on. The
// zone is UTC unless one is named.

import { declare, member } from "./functions.ts";
import type { FunctionDeclaration, Overload } from "./functions.ts";
import { calendar, calendarIn } from "./time.ts";
import type { Calendar } from "./time.ts";
import { durationType, intType, stringType, timestampType } from "./types.ts";
import type { CelTimestamp, CelValue } from "./values.ts";
import { int, noSuchOverload } from "./values.ts";

type Part = (local: Calendar, at: CelTimestamp) => number;

const milliseconds: Part = (_, at) => Math.floor(at.nanos / 1_000_000);

function parts(id: string, part: Part): readonly Overload[] {
  return [
    member(id, [timestampType], intType, (at) =>
      isTimestamp(at) ? part(calendar(at.seconds), at) : noSuchOverload,
    ),
    member(`${id}_with_tz`, [timestampType, stringType], intType, (at, zone) => {
      if (!isTimestamp(at) || typeof zone !== "string") return noSuchOverload;
      const local = calendarIn(at, zone);
      return "kind" in local ? local : part(local, at);
    }),
  ];
}

function inDuration(id: string, nanosPerUnit: bigint): Overload {
  return member(id, [durationType], intType, (value) =>
    typeof value === "object" && value?.kind === "duration"
      ? int(value.nanos / nanosPerUnit)
      : noSuchOverload,
  );
}

function isTimestamp(value: CelValue): value is CelTimestamp {
  return typeof value === "object" && value?.kind === "timestamp";
}

export const timeFunctions: readonly FunctionDeclaration[] = [
  declare(
    "getFullYear",
    parts("timestamp_to_year", (local) => local.year),
  ),
  declare(
    "getMonth",
    parts("timestamp_to_month", (local) => local.month - 1),
  ),
  declare(
    "getDayOfYear",
    parts("timestamp_to_day_of_year", (local) => local.dayOfYear),
  ),
  declare(
    "getDayOfMonth",
    parts("timestamp_to_day_of_month", (local) => local.day - 1),
  ),
  declare(
    "getDate",
    parts("timestamp_to_day_of_month_1_based", (local) => local.day),
  ),
  declare(
    "getDayOfWeek",
    parts("timestamp_to_day_of_week", (local) => local.weekday),
  ),
  declare("getHours", [
    ...parts("timestamp_to_hours", (local) => local.hours),
    inDuration("duration_to_hours", 3_600_000_000_000n),
  ]),
  declare("getMinutes", [
    ...parts("timestamp_to_minutes", (local) => local.minutes),
    inDuration("duration_to_minutes", 60_000_000_000n),
  ]),
  declare("getSeconds", [
    ...parts("timestamp_to_seconds", (local) => local.seconds),
    inDuration("duration_to_seconds", 1_000_000_000n),
  ]),
  declare("getMilliseconds", [
    ...parts("timestamp_to_milliseconds", milliseconds),
    inDuration("duration_to_milliseconds", 1_000_000n),
  ]),
];
