// The lines of a chart. A gap in the data stays a gap.

interface Scale {
  readonly width: number;
  readonly y: (value: number) => number;
}

/** One path for each run of values without a gap. */
export function chartLines(
  values: readonly (number | null)[],
  { width, y }: Scale,
): readonly string[] {
  const step = values.length < 2 ? 0 : width / (values.length - 1);
  const lines: string[] = [];
  let current = "";
  for (const [at, value] of values.entries()) {
    if (value === null) {
      if (current !== "") lines.push(current);
      current = "";
      continue;
    }
    const point = `${round(at * step)} ${round(y(value))}`;
    current += current === "" ? `M${point}` : `L${point}`;
  }
  if (current !== "") lines.push(current);
  // A single point between gaps is a dot.
  return lines.map((line) => (line.includes("L") ? line : `${line}h0.5`));
}

/** A round number above all values, so that the line does not touch the top. */
export function chartTop(values: readonly (number | null)[], threshold = 0): number {
  const most = Math.max(threshold, ...values.map((value) => value ?? 0));
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 1.5, 2, 3, 5, 7.5, 10, 15];
  return (steps.find((step) => step * power >= most * 1.1) ?? 15) * power;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
