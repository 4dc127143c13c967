// Times between their two forms: RFC 3339 text in JSON, seconds and nanoseconds since 1970 on the
// wire. Text is read in any zone and precision, and written in UTC as the API writes it: whole
// seconds for a time, six digits for a microTime. The year one is the absent time.

export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

const syntax =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

export function parseInstant(text: string): Instant | undefined {
  const match = syntax.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, zoneHour, zoneMinute] =
    match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const zone = (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)) * (sign === "-" ? -60 : 60);
  const seconds = date.getTime() / 1_000 - zone;
  return { seconds, nanos: Number(fraction.padEnd(9, "0")) };
}

/** Undefined for the absent time and for what RFC 3339 cannot write. */
export function formatInstant(instant: Instant, digits: 0 | 6): string | undefined {
  const { seconds, nanos } = instant;
  if (!(seconds > yearOne || (seconds === yearOne && nanos > 0)) || seconds > endOfTime) {
    return undefined;
  }
  const whole = new Date(seconds * 1_000).toISOString().slice(0, "2024-01-01T00:00:00".length);
  if (digits === 0) return `${whole}Z`;
  return `${whole}.${String(Math.floor(nanos / 1_000)).padStart(6, "0")}Z`;
}

const yearOne = -62_135_596_800;
const endOfTime = 253_402_300_799;
