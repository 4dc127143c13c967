// Texts from a server for a terminal. Whoever may write a status could otherwise move the cursor,
// change the title or hide lines of whoever reads it.

/** On one line, without anything that a terminal would obey. */
export function plainText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is taken out
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e]+/g, " ");
}

/** Rows with their cells below each other. */
export function alignedRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
