// Schedules of sync windows: cron expressions of five fields in a time zone. Pure.

export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  /** Where both are restricted, a day matches when one of them does, as in cron. */
  readonly isEitherDay: boolean;
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun"].concat([
  "jul",
  "aug",
  "sep",
  "oct",
  "nov",
  "dec",
]);
const weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const fields = [
  { title: "minute", least: 0, most: 59, names: [] },
  { title: "hour", least: 0, most: 23, names: [] },
  { title: "day of the month", least: 1, most: 31, names: [] },
  { title: "month", least: 1, most: 12, names: monthNames },
  { title: "day of the week", least: 0, most: 7, names: weekdayNames },
] as const;

/** A text says what is wrong. */
export function parseSchedule(text: string): Schedule | string {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== fields.length) return "must have five fields, such as 0 22 * * 1-5";
  const sets: ReadonlySet<number>[] = [];
  for (const [index, field] of fields.entries()) {
    const set = numbersIn(parts[index] ?? "", field);
    if (typeof set === "string") return set;
    sets.push(set);
  }
  const none = new Set<number>();
  const [minutes = none, hours = none, days = none, months = none, sevenDays = none] = sets;
  // 7 is Sunday as well.
  const weekdays = new Set(Array.from(sevenDays, (day) => day % 7));
  const isEitherDay = !parts[2]?.startsWith("*") && !parts[4]?.startsWith("*");
  return { minutes, hours, days, months, weekdays, isEitherDay };
}

interface Field {
  readonly title: string;
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

function numbersIn(text: string, field: Field): ReadonlySet<number> | string {
  const { title, least, most, names } = field;
  const problem =
    `the ${title} ${JSON.stringify(text)} must be *, numbers from ${least} to ${most}, ` +
    `ranges such as ${least}-${most} or steps such as */5`;
  const numbers = new Set<number>();
  const numberOf = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    if (named >= 0) return named + least;
    return /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  };
  for (const part of text.split(",")) {
    const [range = "", stepText = "1", ...more] = part.split("/");
    const [from = "", to = range.includes("-") || stepText === "1" ? from : String(most)] =
      range === "*" ? [String(least), String(most)] : range.split("-");
    const [first, last, step] = [numberOf(from), numberOf(to), Number(stepText)];
    const isValid = first >= least && last <= most && first <= last && more.length === 0;
    if (!isValid || !/^[1-9]\d?$/.test(stepText)) return problem;
    for (let number = first; number <= last; number += step) numbers.add(number);
  }
  return numbers;
}

export function isTimeZone(name: string): boolean {
  try {
    formatIn(name);
    return true;
  } catch {
    return false;
  }
}

/** The last begin of a schedule up to a time. */
export function lastBegin(schedule: Schedule, zone: string, nowMs: number): number | undefined {
  return begin(schedule, zone, nowMs, -1);
}

/** The first begin of a schedule after a time. */
export function nextBegin(schedule: Schedule, zone: string, nowMs: number): number | undefined {
  return begin(schedule, zone, nowMs, 1);
}

/** The 29th of February occurs in any eight years, also around 2100. */
const mostDays = 366 * 8;
const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Clocks are changed by less than this, so that earlier times need no exact comparison. */
const zoneChangeMs = 10_800_000;

function begin(
  schedule: Schedule,
  zone: string,
  nowMs: number,
  direction: 1 | -1,
): number | undefined {
  const { hours, minutes } = schedule;
  const order = (one: number, other: number): number => (one - other) * direction;
  const sortedHours = [...hours].toSorted(order);
  const sortedMinutes = [...minutes].toSorted(order);
  const today = wallTime(zone, nowMs);
  const start = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate());
  for (let offset = 0; offset <= mostDays; offset += 1) {
    const day = new Date(start + offset * direction * dayMs);
    if (!matchesDay(schedule, day)) continue;
    for (const hour of sortedHours) {
      for (const minute of sortedMinutes) {
        const wallMs = day.getTime() + (hour * 60 + minute) * minuteMs;
        if ((today.getTime() - wallMs) * direction > zoneChangeMs) continue;
        const atMs = momentOf(zone, wallMs);
        if (direction === 1 ? atMs > nowMs : atMs <= nowMs) return atMs;
      }
    }
  }
  return undefined;
}

function matchesDay({ days, months, weekdays, isEitherDay }: Schedule, day: Date): boolean {
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const isDay = days.has(day.getUTCDate());
  const isWeekday = weekdays.has(day.getUTCDay());
  return isEitherDay ? isDay || isWeekday : isDay && isWeekday;
}

/** The time on a clock in the zone, as if it were UTC. */
function wallTime(zone: string, atMs: number): Date {
  const parts = new Map(
    formatIn(zone)
      .formatToParts(atMs)
      .map(({ type, value }) => [type as string, Number(value)]),
  );
  const part = (name: string): number => parts.get(name) ?? 0;
  return new Date(
    Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    ),
  );
}

/** A time that the zone skips is that of the clock before the change. */
function momentOf(zone: string, wallMs: number): number {
  const offsetAt = (ms: number): number => wallTime(zone, ms).getTime() - ms;
  const guess = wallMs - offsetAt(wallMs);
  return wallMs - offsetAt(guess);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const found = formats.get(zone);
  if (found !== undefined) return found;
  const number = "numeric" as const;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: number,
    month: number,
    day: number,
    hour: number,
    minute: number,
    second: number,
  });
  formats.set(zone, format);
  return format;
}
