// Times as Go reads and writes them in metadata: RFC 3339, but hours may have one digit, shown in
// UTC and whole seconds.

const layout = "2006-01-02T15:04:05Z07:00";
const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:Z|([-+])(\d{2}):(\d{2}))$/;

/** Why the text is not a time, in the words of Go; undefined when it is one. */
export function goTimeProblem(text: string): string | undefined {
  const found = rfc3339.exec(text);
  if (found === null) return unreadable(text);
  const [, , month, day, hour, minute, second] = found.map(Number);
  const complain = (what: string): string =>
    `parsing time ${JSON.stringify(text)}: ${what} out of range`;
  if (!isWithin(month, 1, 12)) return complain("month");
  if (!isWithin(hour, 0, 23)) return complain("hour");
  if (!isWithin(minute, 0, 59)) return complain("minute");
  if (!isWithin(second, 0, 59)) return complain("second");
  const date = new Date(0);
  date.setUTCFullYear(Number(found[1]), Number(month), 0);
  if (!isWithin(day, 1, date.getUTCDate())) return complain("day");
  if (!isWithin(Number(found[8] ?? 0), 0, 24)) return complain("time zone offset hour");
  if (!isWithin(Number(found[9] ?? 0), 0, 60)) return complain("time zone offset minute");
  return undefined;
}

/** The text is known to be a time. */
export function normalTime(text: string): string {
  const [, year, month, day, hour, minute, second, sign, zoneHours, zoneMinutes] =
    rfc3339.exec(text) ?? [];
  if (sign === undefined && hour?.length === 2) return `${text.slice(0, 19)}Z`;
  const offset = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * (sign === "-" ? -1 : 1);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  return `${date.toISOString().slice(0, 19)}Z`;
}

function isWithin(value: number | undefined, min: number, max: number): boolean {
  return value !== undefined && value >= min && value <= max;
}

/** Go names the first part of its layout that the rest of the text does not fit. */
function unreadable(text: string): string {
  const parts: readonly (readonly [string, RegExp])[] = [
    ["2006", /^\d{4}/],
    ["-", /^-/],
    ["01", /^\d{2}/],
    ["-", /^-/],
    ["02", /^\d{2}/],
    ["T", /^T/],
    ["15", /^\d{1,2}/],
    [":", /^:/],
    ["04", /^\d{2}/],
    [":", /^:/],
    ["05", /^\d{2}/],
    ["Z07:00", /^(?:[.,]\d+)?(?:Z|[-+]\d{2}:\d{2})/],
  ];
  const start = `parsing time ${JSON.stringify(text)}`;
  let rest = text;
  for (const [part, pattern] of parts) {
    const found = pattern.exec(rest);
    if (found === null) {
      return `${start} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${part}"`;
    }
    rest = rest.slice(found[0].length);
  }
  return `${start}: extra text: ${JSON.stringify(rest)}`;
}
