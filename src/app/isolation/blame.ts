/**
 * Which calls are to blame when the thread of a module ended. The thread may have named one. If
 * not, the only call is, or a call that was also open at an earlier end. Otherwise all are
 * suspects, and suspects execute one after the other until each has ended well.
 */
export interface Blame {
  readonly guilty: ReadonlySet<string>;
  readonly suspects: ReadonlySet<string>;
}

export function blameFor(
  open: readonly string[],
  earlier: ReadonlySet<string>,
  named: string | undefined,
): Blame {
  const none: ReadonlySet<string> = new Set();
  if (named !== undefined) return { guilty: new Set([named]), suspects: none };
  const repeated = open.filter((key) => earlier.has(key));
  if (repeated.length > 0) return { guilty: new Set(repeated), suspects: none };
  if (open.length === 1) return { guilty: new Set(open), suspects: none };
  return { guilty: none, suspects: new Set(open) };
}
