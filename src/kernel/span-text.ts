// Spans of time for people: short, in the largest unit that still says enough.

const units = [
  { name: "d", ms: 86_400_000 },
  { name: "h", ms: 3_600_000 },
  { name: "min", ms: 60_000 },
  { name: "s", ms: 1_000 },
] as const;

/** A span as in "38 s", "12 min" or "3 h"; two units are never needed to decide what to do. */
export function spanText(ms: number): string {
  const span = Math.abs(ms);
  for (const [index, unit] of units.entries()) {
    // From twice the unit on, so that 90 s are not "2 min".
    const least = index === units.length - 1 ? unit.ms : 2 * unit.ms;
    if (span >= least) return `${Math.round(span / unit.ms)} ${unit.name}`;
  }
  return "less than 1 s";
}

/** As the end of a sentence: "in 38 s", or "now". */
export function whenText(inMs: number): string {
  return inMs <= 0 ? "now" : `in ${spanText(inMs)}`;
}
