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
// In what is printed, `...` stands for anything.

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

/** The first promised line that was not printed after the one before it. */
export function firstMissing(promises: readonly string[], output: string): string | undefined {
  const lines = output.split("\n");
  let at = 0;
  for (const promised of promises) {
    // Newer versions of kubectl say a little more at the end of some lines.
    const [head = "", ...rest] = promised.split("...");
    const fits = (line: string): boolean =>
      line.startsWith(head.trimEnd()) && followEachOther(rest, line.slice(head.trimEnd().length));
    const found = lines.findIndex((line, index) => index >= at && fits(line));
    if (found < 0) return promised;
    at = promised === "..." ? at : found + 1;
  }
  return undefined;
}

function followEachOther(parts: readonly string[], text: string): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}
