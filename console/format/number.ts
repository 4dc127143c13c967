// Numbers as people read them: 1,284.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

export function countText(value: number): string {
  return whole.format(value);
}

/** Three digits at most: "44", "0.83", "1,280". */
export function amountText(value: number): string {
  return Math.abs(value) >= 1_000 ? whole.format(value) : short.format(value);
}

/** Seconds below one are milliseconds: "0.977 ms" and not "0.000977 s". */
export function measureOf(value: number, unit: string): readonly [string, string] {
  return unit === "s" && value > 0 && value < 1
    ? [amountText(value * 1_000), "ms"]
    : [amountText(value), unit];
}

/** "1 resource", "4 resources" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
