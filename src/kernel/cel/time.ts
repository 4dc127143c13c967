// Timestamps and durations: their texts, which are those of RFC 3339 and of Go, and the calendar.
// Nanoseconds are kept exactly; a timestamp is in the years 1 to 9999, a duration in 64 bits.

import type { CelDuration, CelError, CelTimestamp } from "./values.ts";
import { error, maxInt, minInt } from "./values.ts";

/** 0001-01-01T00:00:00Z. */
const minUnixSeconds = -62_135_596_800;
/** 9999-12-31T23:59:59Z. */
const maxUnixSeconds = 253_402_300_799;

const timestampOverflow: CelError = error("timestamp overflow");
const nanosPerSecond = 1_000_000_000n;

export function timestamp(
  seconds: number,
  nanos: number,
  zoneMinutes = 0,
): CelTimestamp | CelError {
  if (seconds < minUnixSeconds || seconds > maxUnixSeconds) return timestampOverflow;
  const zone = zoneMinutes === 0 ? {} : { zoneMinutes };
  return { kind: "timestamp", seconds, nanos, ...zone };
}

export function duration(nanos: bigint): CelDuration | CelError {
  return nanos < minInt || nanos > maxInt ? error("integer overflow") : { kind: "duration", nanos };
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Undefined when the text is not RFC 3339 as Go reads it. */
export function parseTimestamp(text: string): CelTimestamp | CelError | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHour, zoneMinute] =
    match;
  const [y, mo, d] = [Number(year), Number(month), Number(day)];
  const [h, mi, s] = [Number(hour), Number(minute), Number(second)];
  if (mo < 1 || mo > 12 || d < 1 || d > daysIn(y, mo)) return undefined;
  if (h > 23 || mi > 59 || s > 59) return undefined;
  const east = sign === undefined ? 0 : Number(zoneHour) * 60 + Number(zoneMinute);
  if (Number(zoneHour ?? 0) > 24 || Number(zoneMinute ?? 0) > 60) return undefined;
  const zone = sign === "-" ? -east : east;
  const seconds = utcSeconds(y, mo, d) + h * 3600 + mi * 60 + s - zone * 60;
  return timestamp(seconds, Number(fraction.slice(0, 9).padEnd(9, "0")), zone);
}

/** "2006-01-02", which schemas call a date. */
export function parseDate(text: string): CelTimestamp | CelError | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseTimestamp(`${text}T00:00:00Z`) : undefined;
}

function daysIn(year: number, month: number): number {
  const days = new Date(0);
  days.setUTCFullYear(year, month, 0);
  return days.getUTCDate();
}

function utcSeconds(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 1000;
}

/** RFC 3339 with as many digits after the seconds as it takes. */
export function formatTimestamp({ seconds, nanos, zoneMinutes = 0 }: CelTimestamp): string {
  const local = calendar(seconds + zoneMinutes * 60);
  const pad = (value: number, width: number): string => String(value).padStart(width, "0");
  const fraction = nanos === 0 ? "" : `.${pad(nanos, 9).replace(/0+$/, "")}`;
  const minutes = Math.abs(zoneMinutes);
  const sign = zoneMinutes < 0 ? "-" : "+";
  const offset = `${sign}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`;
  const date = `${pad(local.year, 4)}-${pad(local.month, 2)}-${pad(local.day, 2)}`;
  const time = `${pad(local.hours, 2)}:${pad(local.minutes, 2)}:${pad(local.seconds, 2)}`;
  return `${date}T${time}${fraction}${zoneMinutes === 0 ? "Z" : offset}`;
}

export interface Calendar {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  /** From 0, which is Sunday. */
  readonly weekday: number;
  /** From 0. */
  readonly dayOfYear: number;
}

export function calendar(seconds: number): Calendar {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + 1;
  const day = date.getUTCDate();
  return {
    year,
    month,
    day,
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
    dayOfYear: Math.round((utcSeconds(year, month, day) - utcSeconds(year, 1, 1)) / 86_400),
  };
}

/** The calendar in a zone: "", "UTC", "Europe/Berlin", "+02:00" or "-08:30". */
export function calendarIn({ seconds }: CelTimestamp, zone: string): Calendar | CelError {
  const colon = zone.indexOf(":");
  if (colon >= 0) {
    const offset = fixedOffset(zone, colon);
    return typeof offset === "number" ? calendar(seconds + offset * 60) : offset;
  }
  if (zone === "" || zone === "UTC") return calendar(seconds);
  const offset = namedOffset(zone, seconds);
  return offset === undefined ? error(`unknown time zone ${zone}`) : calendar(seconds + offset);
}

function fixedOffset(zone: string, colon: number): number | CelError {
  const parts = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of parts) {
    if (!/^[+-]?\d+$/.test(part)) {
      return error(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
    }
  }
  const [hours = 0, minutes = 0] = parts.map(Number);
  return zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes;
}

function zoneFormat(timeZone: string): Intl.DateTimeFormatOptions {
  return {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  };
}

/** The time zone data is Node's. */
function namedOffset(zone: string, seconds: number): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("en-US", zoneFormat(zone));
    const parts = new Map(
      format.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, value]),
    );
    const part = (name: Intl.DateTimeFormatPartTypes): number => Number(parts.get(name) ?? 0);
    const local =
      utcSeconds(part("year"), part("month"), part("day")) +
      part("hour") * 3600 +
      part("minute") * 60 +
      part("second");
    return local - seconds;
  } catch {
    // Intl throws for a zone that it does not know.
    return undefined;
  }
}

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: nanosPerSecond,
  m: 60n * nanosPerSecond,
  h: 3600n * nanosPerSecond,
};

/** Of a count of units. More are out of range, or less than a nanosecond. */
const maxDigits = 30;

/** As Go writes them: "1h30m", "-1.5s", "0". Undefined when the text is not one. */
export function parseDuration(text: string): CelDuration | undefined {
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  const body = text.slice(sign.length);
  if (body === "0") return { kind: "duration", nanos: 0n };
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of body.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = unitNanos[unit] ?? 0n;
    const digits = whole.replace(/^0+/, "");
    if (digits.length > maxDigits) return undefined;
    nanos += BigInt(digits) * scale;
    const shown = fraction.slice(0, maxDigits);
    nanos += (BigInt(shown) * scale) / 10n ** BigInt(shown.length);
  }
  const signed = sign === "-" ? -nanos : nanos;
  return signed < minInt || signed > maxInt ? undefined : { kind: "duration", nanos: signed };
}

/** In seconds: "3600s", "0.001s". */
export function formatDuration({ nanos }: CelDuration): string {
  const seconds = Number(nanos / nanosPerSecond) + Number(nanos % nanosPerSecond) / 1e9;
  return `${plainDecimal(seconds)}s`;
}

/** The shortest digits that read back as the number, without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = match;
  const shift = Number(exponent);
  const digits = first + rest;
  if (shift < 0) return `${sign}0.${"0".repeat(-shift - 1)}${digits}`;
  return sign + digits.padEnd(shift + 1, "0");
}

export function addDuration(to: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = BigInt(to.seconds) * nanosPerSecond + BigInt(to.nanos) + nanos;
  let seconds = total / nanosPerSecond;
  let rest = total % nanosPerSecond;
  if (rest < 0n) {
    rest += nanosPerSecond;
    seconds -= 1n;
  }
  return timestamp(Number(seconds), Number(rest), to.zoneMinutes);
}

export function between(later: CelTimestamp, earlier: CelTimestamp): CelDuration | CelError {
  const nanos =
    BigInt(later.seconds - earlier.seconds) * nanosPerSecond + BigInt(later.nanos - earlier.nanos);
  return nanos < minInt || nanos > maxInt
    ? error("duration overflow")
    : { kind: "duration", nanos };
}
