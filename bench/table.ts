/** The one table a bench run prints: what, the raw limit, ours, the ratio, and what was asked. */
export interface Row {
  readonly what: string;
  readonly raw: string;
  readonly ours: string;
  readonly result: string;
  readonly asked: string;
  readonly isMet: boolean;
}

const headings: Row = {
  what: "what",
  raw: "raw limit",
  ours: "Setpoint",
  result: "result",
  asked: "asked (goal)",
  isMet: true,
};

export function tableText(rows: readonly Row[]): string {
  const columns = ["what", "raw", "ours", "result", "asked"] as const;
  const widths = columns.map((column) =>
    Math.max(...[headings, ...rows].map((row) => row[column].length)),
  );
  const line = (row: Row, mark: string): string =>
    `| ${columns.map((c, i) => row[c].padEnd(widths[i] ?? 0)).join(" | ")} | ${mark} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|------|`;
  return [
    line(headings, "met "),
    rule,
    ...rows.map((row) => line(row, row.isMet ? "yes " : "NO  ")),
  ].join("\n");
}

export function figure(value: number, unit: string): string {
  const digits = value >= 1_000 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: digits })} ${unit}`;
}
