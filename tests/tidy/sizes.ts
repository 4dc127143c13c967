// How long a file, a function and a line may be, how deep a folder, and what it may be called.
import { isCode, isTest, source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

const maxLines = 500;
/** A list of cases is read one by one, and never has to be understood as a whole. */
const maxTestLines = 800;
const maxFunctionLines = 70;
const maxColumns = 100;
const maxDepth = 4;
const vagueNames = new Set(["util", "utils", "common", "helpers", "misc", "shared", "lib"]);

const repeat = (line: string, times: number): string => `${line}\n`.repeat(times);

export const sizeRules: readonly Rule[] = [
  {
    name: `a file has at most ${maxLines} lines, a test ${maxTestLines}`,
    find: (sources) => sources.filter(({ path }) => isCode(path)).flatMap(tooLong),
    bad: [source("src/kernel/a.ts", repeat("x();", 501)), source("a.test.ts", repeat("x();", 801))],
    good: [
      source("src/kernel/a.ts", repeat("x();", 500)),
      source("a.test.ts", repeat("x();", 800)),
    ],
  },
  {
    name: `a function has at most ${maxFunctionLines} lines`,
    find: (sources) =>
      sources.filter(({ path }) => isCode(path) && !isTest(path)).flatMap(longFunctions),
    bad: [
      source("src/a.ts", `function long(): Promise<void> {\n${repeat("  x();", 69)}}\n`),
      source("src/b.ts", `const long = (a: { b: string }) => {\n${repeat("  x();", 69)}};\n`),
      source("src/c.ts", `class A {\n  async long(b = f()) {\n${repeat("    x();", 69)}  }\n}\n`),
    ],
    good: [
      source("src/a.ts", `function short(): void {\n${repeat("  x();", 68)}}\n`),
      source("src/b.ts", `const table = {\n${repeat("  a: b,", 90)}};\n`),
      source("src/c.ts", `class A {\n${repeat("  a() {}", 90)}}\n`),
      source("a.test.ts", `describe("a", () => {\n${repeat("  x();", 90)}});\n`),
    ],
  },
  {
    name: `a line has at most ${maxColumns} columns`,
    find: (sources) => sources.filter(({ path }) => isCode(path)).flatMap(wideLines),
    bad: [source("src/a.ts", `const a = "${"x".repeat(90)}";`)],
    good: [source("src/a.ts", `// https://example.org/${"x".repeat(90)}`)],
  },
  {
    name: `a folder is at most ${maxDepth} deep and says what it holds`,
    find: (sources) => sources.flatMap(badFolder),
    bad: [source("src/a/b/c/d/e.ts", ""), source("src/kernel/utils/a.ts", "")],
    good: [source("src/store/postgres/migrations/0001_a.sql", "")],
  },
  {
    name: "there are no barrels",
    find: (sources) =>
      sources
        .filter(({ path }) => /(^|\/)index\.(ts|js)$/.test(path))
        .map((at) => violationAt(at, 0, "import the file that has it, not an index")),
    bad: [source("src/kernel/index.ts", "")],
    good: [source("src/kernel/indexes.ts", "")],
  },
];

function tooLong(at: Source): readonly Violation[] {
  const lines = at.text.trimEnd().split("\n").length;
  const limit = isTest(at.path) ? maxTestLines : maxLines;
  return lines <= limit ? [] : [violationAt(at, 0, `${lines} lines: split it by concept`)];
}

function wideLines(at: Source): readonly Violation[] {
  return at.text
    .split("\n")
    .map((line, index) => ({ line, index }))
    .filter(({ line }) => line.length > maxColumns && !line.includes("://"))
    .map(({ line, index }) => ({
      path: at.path,
      line: index + 1,
      message: `${line.length} columns`,
    }));
}

function badFolder(at: Source): readonly Violation[] {
  const folders = at.path.split("/").slice(0, -1);
  const vague = folders.find((name) => vagueNames.has(name));
  if (vague !== undefined) return [violationAt(at, 0, `"${vague}" says nothing: name the concept`)];
  return folders.length <= maxDepth
    ? []
    : [violationAt(at, 0, `is ${folders.length} folders deep`)];
}

/** Counts braces. What groups tests may be as long as it likes. */
function longFunctions(at: Source): readonly Violation[] {
  const open: { readonly index: number; readonly isFunction: boolean }[] = [];
  const violations: Violation[] = [];
  for (const { 0: brace, index } of at.code.matchAll(/[{}]/g)) {
    if (brace === "{") {
      open.push({ index, isFunction: opensFunction(at, index) });
      continue;
    }
    const block = open.pop();
    if (block?.isFunction !== true) continue;
    const lines = at.code.slice(block.index, index).split("\n").length;
    if (lines > maxFunctionLines) {
      violations.push(violationAt(at, block.index, `a function of ${lines} lines: split it`));
    }
  }
  return violations;
}

function opensFunction(at: Source, brace: number): boolean {
  const before = at.code.slice(Math.max(0, brace - 400), brace).trimEnd();
  if (before.endsWith("=>")) return true;
  const end = /\)(?:\s*:\s*[\w<][^;{}()]*)?$/.exec(before)?.index;
  if (end === undefined) return false;
  let depth = 0;
  let start = end;
  for (; start >= 0; start--) {
    if (before[start] === ")") depth++;
    if (before[start] === "(") depth--;
    if (depth === 0) break;
  }
  return !/\b(?:if|for|while|switch|catch|with|await)\s*$/.test(
    before.slice(0, Math.max(0, start)),
  );
}
