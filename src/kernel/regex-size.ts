// About the number of instructions that a regular expression compiles to, found without compiling
// it: a counted repetition such as `x{1,1000}` is one copy of its operand for each count, so that a
// short pattern can need seconds and gigabytes. The estimate is never far below the true size.

/** Stops counting beyond `max`. */
export function regexSize(pattern: string, max: number): number {
  const groups: Group[] = [{ size: 0, operand: 0 }];
  let total = 0;
  for (let at = 0; at < pattern.length && total <= max;) {
    const group = groups.at(-1) ?? { size: 0, operand: 0 };
    const char = pattern[at];
    const repeat = char === "{" ? countAt(pattern, at) : undefined;
    let added = 0;
    let next = at + 1;
    if (repeat !== undefined) {
      added = (group.size - group.operand) * Math.max(0, repeat.count - 1);
      next = repeat.end;
    } else if (char === "(") {
      groups.push({ size: 2, operand: 2 });
      total += 2;
    } else if (char === ")" && groups.length > 1) close(groups);
    else {
      group.operand = group.size;
      added = 1;
      next = endOfAtom(pattern, at);
    }
    group.size += added;
    total += added;
    at = next;
  }
  return total;
}

interface Group {
  size: number;
  /** The size before the last operand, which a repetition multiplies. */
  operand: number;
}

/** A closed group is an operand of the group around it. */
function close(groups: Group[]): void {
  const closed = groups.pop();
  const around = groups.at(-1);
  if (closed === undefined || around === undefined) return;
  around.operand = around.size;
  around.size += closed.size;
}

const counted = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

function countAt(pattern: string, at: number): { count: number; end: number } | undefined {
  counted.lastIndex = at;
  const match = counted.exec(pattern);
  if (match === null) return undefined;
  const [text, least = "0", most = ""] = match;
  return { count: Math.max(Number(least), Number(most)), end: at + text.length };
}

/** An escape and a class are one atom. */
function endOfAtom(pattern: string, at: number): number {
  if (pattern[at] === "\\") return at + 2;
  if (pattern[at] !== "[") return at + 1;
  // A bracket right after the start is a member of the class.
  let end = at + (pattern[at + 1] === "^" ? 3 : 2);
  while (end < pattern.length && pattern[end] !== "]") end += pattern[end] === "\\" ? 2 : 1;
  return end + 1;
}
