// Pages that a newcomer types from are promises, so they are typed here as a newcomer types them.
// A mark in front of a block of a page says what becomes of it:
//
//   <!-- tested -->          its commands are run, and must print what the page says
//   <!-- tested: soon -->    the same, asked again until they do: what they show takes a moment
//   <!-- tested: stays -->   goes on while the steps after it run, as in a terminal of its own
//   <!-- tested: starts -->  the same, and the steps after it wait until all of it was printed
//   <!-- stops: COMMAND -->  Ctrl-C in the terminal of that command
//   <!-- file: NAME -->      is written to that file
//
// In what is printed, `...` stands for anything, and as a line of its own for any lines. What stays
// or starts may print more later. Everything else is printed as the page has it.

export type Step = Typed | Stop | Write;

export interface Typed {
  readonly kind: "run" | "soon" | "stays" | "starts";
  readonly command: string;
  readonly printed: readonly string[];
}

export interface Stop {
  readonly kind: "stop";
  readonly command: string;
}

export interface Write {
  readonly kind: "write";
  readonly file: string;
  readonly text: string;
}

const marked = /^<!-- (tested|stops|file)(?:: (.+?))? -->\n(?:```\w+\n([\s\S]*?)^```)?/gm;

export function stepsOf(page: string): readonly Step[] {
  return [...page.matchAll(marked)].flatMap(
    ([, mark, about = "run", block = ""]): readonly Step[] => {
      if (mark === "stops") return [{ kind: "stop", command: about }];
      if (mark === "file") return [{ kind: "write", file: about, text: block }];
      return typedIn(block, about as Typed["kind"]);
    },
  );
}

/** Each line with a prompt is a command, and the lines below it are what it prints. */
function typedIn(block: string, kind: Typed["kind"]): readonly Typed[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...printed] = part.trimEnd().split("\n");
      return { kind, command, printed };
    });
}

/**
 * The first line in which a page and what was printed differ: one that was promised and not
 * printed there, or one that was printed and not promised.
 */
export function firstDifference(promises: readonly string[], output: string): string | undefined {
  const printed = output === "" || output.endsWith("\n") ? output : `${output}\n`;
  const lengths = promises.map((_, index) => fitting(promises.slice(0, index + 1), printed));
  const missing = lengths.findIndex((length) => length === undefined);
  if (missing >= 0) return promises[missing];
  if (new RegExp(`^${pattern(promises)}\\s*$`).test(printed)) return undefined;
  const more = printed.slice(lengths.at(-1) ?? 0).split("\n");
  return `not on the page: ${more.find((line) => line.trim() !== "")}`;
}

/** How much of what was printed the lines of a page stand for; undefined: it is something else. */
function fitting(promises: readonly string[], printed: string): number | undefined {
  return new RegExp(`^${pattern(promises)}`).exec(printed)?.[0].length;
}

function pattern(promises: readonly string[]): string {
  return promises
    .map((line) => (line === "..." ? "(?:.*\n)*?" : `${linePattern(line)}\n`))
    .join("");
}

/** Tables end their lines with spaces, and newer versions of kubectl say where they deleted. */
function linePattern(line: string): string {
  const parts = line.trimEnd().split("...");
  const text = parts.map((part) => RegExp.escape(part)).join(".*");
  return `${text}${line.endsWith(" deleted") ? "(?: from .* namespace)?" : ""} *`;
}
