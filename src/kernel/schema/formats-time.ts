// Dates, times and durations as the Kubernetes API server reads them in custom resources. Its
// date-time is more lenient than RFC 3339 in places, and its duration takes "3 weeks", too.

export function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
}

/** Nearly all there are, on days that every month has. */
const usualDateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

export function isDateTime(text: string): boolean {
  if (usualDateTime.test(text)) return true;
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/u.exec(time);
  if (found === null) return false;
  return Number(found[1]) <= 23 && Number(found[2]) <= 59 && Number(found[3]) <= 59;
}

/** Go's durations, and counts of named units anywhere in the text. */
export function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  let isFound = false;
  // A number without a unit is matched as well: else each of its digits would be tried.
  for (const [, count = "", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]*)/gu)) {
    if (unit === "") continue;
    const digits = count.replace(/^0+/u, "");
    if (digits.length > maxInt64Digits || BigInt(digits) > maxInt64) return false;
    isFound ||= isUnit(unit.toLowerCase());
  }
  return isFound;
}

const maxInt64 = 2n ** 63n - 1n;
const maxInt64Digits = 19;

/** Short names are whole words; the last of each line may be the start of a longer one. */
const units: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

const nanosecondsOf: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

function isUnit(unit: string): boolean {
  return units.some(
    (names) => names.includes(unit) || unit.startsWith(names[names.length - 1] ?? ""),
  );
}

function isGoDuration(text: string): boolean {
  const bare = text.replace(/^[-+]/, "");
  if (bare === "0") return true;
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/u.test(bare)) return false;
  let total = 0;
  for (const [, count, unit = ""] of bare.matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/gu)) {
    total += Number(count) * (nanosecondsOf[unit] ?? 0);
  }
  return total < 2 ** 63;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
