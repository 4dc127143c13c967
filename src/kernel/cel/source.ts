// The text of an expression, and problems in it as clients know them from the Kubernetes API:
// with line and column, the line itself, and a mark below the place. Lines and columns count
// code points, and wide characters get wide marks, so that the mark stands where it should.

export interface Problem {
  /** Index into the text in UTF-16 units; undefined for a problem of the whole text. */
  readonly at: number | undefined;
  readonly message: string;
}

const maxProblems = 100;
const maxSnippetBytes = 16_384;

/** "ERROR: <input>:1:5: undefined field 'x'" and the place, problem after problem. */
export function formatProblems(text: string, problems: readonly Problem[]): string {
  const shown = problems
    .slice(0, maxProblems)
    .map((problem) => ({ problem, place: place(text, problem.at) }))
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map((placed) => formatProblem(text, placed.problem.message, placed.place));
  const more = problems.length - maxProblems;
  if (more > 0) shown.push(`${more} more errors were truncated`);
  return shown.join("\n");
}

interface Place {
  /** From 1; -1 when there is no place. */
  readonly line: number;
  /** From 0. */
  readonly column: number;
}

function formatProblem(text: string, message: string, { line, column }: Place): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const snippet = line < 1 ? undefined : text.split("\n")[line - 1];
  if (snippet === undefined || Buffer.byteLength(snippet) > maxSnippetBytes) return head;
  const shown = snippet.replaceAll("\t", " ");
  return `${head}\n | ${shown}\n | ${marks(Array.from(shown), column)}`;
}

function marks(characters: readonly string[], column: number): string {
  const dots = characters.slice(0, column).map((c) => (isWide(c) ? "．" : "."));
  const under = characters[column];
  return dots.join("") + (under !== undefined && isWide(under) ? "＾" : "^");
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) > 0x7f;
}

function place(text: string, at: number | undefined): Place {
  if (at === undefined) return { line: -1, column: -1 };
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: Array.from(before.at(-1) ?? "").length };
}
