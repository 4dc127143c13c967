// Times in documents, which the formats of schemas read more leniently than CEL does: a date-time
// may lack its zone, and a duration may be "3 weeks".

import { duration, parseDuration, parseTimestamp } from "./time.ts";
import type { CelValue } from "./values.ts";

export function parseDateTime(text: string): CelValue | undefined {
  const upper = text.toUpperCase();
  return parseTimestamp(upper) ?? parseTimestamp(`${upper}Z`);
}

const second = 1_000_000_000n;

/** Short names are whole words; the last of each line may be the start of a longer one. */
const units: readonly (readonly [bigint, readonly string[]])[] = [
  [1n, ["ns", "nano"]],
  [1_000n, ["us", "µs", "micro"]],
  [1_000_000n, ["ms", "milli"]],
  [second, ["s", "sec"]],
  [60n * second, ["m", "min"]],
  [3600n * second, ["h", "hr", "hour"]],
  [86_400n * second, ["d", "day"]],
  [604_800n * second, ["w", "wk", "week"]],
];

/** Of many digits the first ones: the duration is out of range with them too. */
function countOf(digits: string): bigint {
  return BigInt(digits.replace(/^0+/, "").slice(0, 30));
}

export function parseSchemaDuration(text: string): CelValue | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total: bigint | undefined;
  for (const [, count = "0", unit = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]*)/g)) {
    // Matched as well, because else each digit of a long number would be tried.
    if (unit === "") continue;
    const name = unit.toLowerCase();
    const found = units.find(
      ([, names]) => names.includes(name) || name.startsWith(names.at(-1) ?? name),
    );
    if (found !== undefined) total = (total ?? 0n) + countOf(count) * found[0];
  }
  return total === undefined ? undefined : duration(total);
}
