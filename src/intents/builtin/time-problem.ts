// What is wrong with a time, in the words of the API server's decoder: it reads from left to right
// and names the part of the pattern that the rest of the text does not fit.

const date: readonly (readonly [layout: string, part: RegExp])[] = [
  ["2006", /^\d{4}/],
  ["-", /^-/],
  ["01", /^\d\d/],
  ["-", /^-/],
  ["02", /^\d\d/],
  ["T", /^T/],
  ["15", /^\d\d/],
  [":", /^:/],
  ["04", /^\d\d/],
  [":", /^:/],
  ["05", /^\d\d/],
];
const zone = ["Z07:00", /^(?:Z|[+-]\d\d:\d\d)/] as const;
const micros = [".000000", /^[.,]\d{6}/] as const;
/** Whole seconds may be followed by any fraction, although the pattern has none. */
const anyFraction = ["", /^(?:[.,]\d+)?/] as const;

/** Nearly every time there is; the others take the slow way. */
const usual =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/;

/** Undefined for a time that can be read. */
export function timeProblem(text: string, isMicro: boolean): string | undefined {
  const match = usual.exec(text);
  if (match !== null && (!isMicro || match[1] !== undefined)) return undefined;
  return unusualProblem(text, isMicro);
}

function unusualProblem(text: string, isMicro: boolean): string | undefined {
  const pattern = `2006-01-02T15:04:05${isMicro ? ".000000" : ""}Z07:00`;
  const parts = [...date, isMicro ? micros : anyFraction, zone];
  const found: number[] = [];
  let rest = text;
  for (const [layout, part] of parts) {
    const match = part.exec(rest);
    if (match === null) {
      const where = `cannot parse ${quoted(rest)} as "${layout}"`;
      return `parsing time ${quoted(text)} as "${pattern}": ${where}`;
    }
    if (/^\d/.test(layout)) found.push(Number(match[0]));
    rest = rest.slice(match[0].length);
  }
  const outside = outOfRange(found);
  if (outside !== undefined) return `parsing time ${quoted(text)}: ${outside} out of range`;
  if (rest !== "") return `parsing time ${quoted(text)}: extra text: ${quoted(rest)}`;
  return undefined;
}

function outOfRange(found: readonly number[]): string | undefined {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found;
  if (month < 1 || month > 12) return "month";
  if (hour > 23) return "hour";
  if (minute > 59) return "minute";
  if (second > 59) return "second";
  const lastDay = new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
  return day < 1 || day > lastDay ? "day" : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
