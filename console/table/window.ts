// Which rows of a long table are in the page: those that are visible, and some around them.

export interface Window {
  readonly first: number;
  /** After the last one. */
  readonly end: number;
  readonly before: number;
  readonly after: number;
}

const margin = 8;
/** Shorter tables are in the page as a whole. */
const shortRows = 60;

export function visibleWindow(
  count: number,
  { top, height, rowHeight }: { top: number; height: number; rowHeight: number },
): Window {
  if (count <= shortRows) return { first: 0, end: count, before: 0, after: 0 };
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight) - margin, count - 1));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + margin);
  return { first, end, before: first * rowHeight, after: (count - end) * rowHeight };
}
