// The repository as the tidy rules see it: every tracked or new file that is not ignored. `code` is
// the text with comments and the contents of strings blanked out, position for position, so that a
// rule about calls is not fooled by a sentence that mentions one.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/stages.ts";

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly code: string;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** A rule carries the proof that it still bites: files it must object to, and files it must not. */
export interface Rule {
  readonly name: string;
  readonly find: (sources: readonly Source[]) => readonly Violation[];
  readonly bad: readonly Source[];
  /** The bad files are bad only together; otherwise each is by itself. */
  readonly isJoint?: boolean;
  readonly good: readonly Source[];
}

export function readRepository(): readonly Source[] {
  const listing = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const paths = listing.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
  return [...new Set(paths)]
    .sort()
    .map((path) => source(path, readFileSync(join(root, path), "utf8")));
}

export function source(path: string, text: string): Source {
  return { path, text, code: isCode(path) ? blankOut(text) : text };
}

export function violationAt(at: Source, index: number, message: string): Violation {
  return { path: at.path, line: at.text.slice(0, index).split("\n").length, message };
}

/** A contract suite is a test, too: one that every implementation of a port runs. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.includes("/contract/");
}

export function isCode(path: string): boolean {
  return /\.(tsx?|js)$/.test(path);
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/y;
const untilToken = /[\s\S][^/"'`]*/y;
const regexLiteral = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;

/** Expressions inside a template literal are blanked with it: the rules live with that. */
function blankOut(text: string): string {
  let code = "";
  let index = 0;
  while (index < text.length) {
    const match = matchAt(token, text, index) ?? matchRegex(text, index, code);
    // What begins nothing is taken as it is, up to what may begin something.
    const plain = match === undefined ? (matchAt(untilToken, text, index) ?? "") : "";
    code += match === undefined ? plain : blank(match);
    index += match?.length ?? plain.length;
  }
  return code;
}

function blank(match: string): string {
  return match[0] + match.slice(1, -1).replaceAll(/[^\n]/g, " ") + match.at(-1);
}

function matchRegex(text: string, index: number, before: string): string | undefined {
  if (text[index] !== "/") return undefined;
  const canStart = /(?:^|[(,=:[!&|?{};+]|=>|return|case)\s*$/.test(before.slice(-20));
  return canStart ? matchAt(regexLiteral, text, index) : undefined;
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0];
}
