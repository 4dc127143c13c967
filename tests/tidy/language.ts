// The worst words of the tree and what to write instead; CONTRIBUTING.md has the whole table. A new
// file must not contain any of them. An old file may contain as many as language-baseline.json
// states, and that number may only fall: `npm run language` rewrites the file downward.
//
// The rule reads comments, strings and names (camelCase is split into words). In documents, quoted
// text (inline code and fenced blocks) is skipped, because the program that prints it is checked.
import { prose } from "./documents.ts";
import { source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

export const baselinePath = "tests/tidy/language-baseline.json";
const thisFile = "tests/tidy/language.ts";

/** The number of banned words that each old file may still contain. */
export type Baseline = Readonly<Record<string, number>>;

interface Word {
  readonly pattern: string;
  readonly instead: string;
}

const banned: readonly Word[] = [
  { pattern: "anew|once more", instead: "again" },
  { pattern: "nevertheless", instead: "still, or nothing" },
  { pattern: "nobody|somebody|anybody|everybody|whoever", instead: "the user, client or process" },
  { pattern: "who ask(?:s|ed)", instead: "the caller" },
  { pattern: "tells", instead: "reports, returns, shows or logs" },
  {
    pattern: "(?:is|are|was|were|be|been|being) told",
    instead: "is notified, receives, or the active voice",
  },
  { pattern: "becom(?:e|es|ing) of|became of|comes of|came of", instead: "the result" },
  { pattern: "made of", instead: "built from, parsed from or consists of" },
  { pattern: "ma(?:de|kes?) (?:it|them) so", instead: "reconciles" },
  { pattern: "the outside", instead: "the external system" },
  { pattern: "a moment", instead: "the number, or the event that ends the wait" },
  { pattern: "(?:is|are|was|were) gone", instead: "is deleted, or does not exist" },
  { pattern: "for good", instead: "permanently" },
  { pattern: "in the words of", instead: "in the format of" },
  { pattern: "stands? (?:in|beside|on|at|there)", instead: "is in, is next to" },
  {
    pattern:
      "(?<!there )(?:is|are|was) no (?:address|field|kind|list|name|number|object|string|url)",
    instead: "is not a valid ... or is not a known ...",
  },
];

/** Words of one phrase may be on two lines of a comment. */
const gap = "[\\s/*]+";
const bannedWords = new RegExp(
  banned.map(({ pattern }) => `\\b(?:${pattern.replaceAll(" ", gap)})\\b`).join("|"),
  "gi",
);

const sample = (allowed: Baseline): Source => source(baselinePath, JSON.stringify(allowed));

export const languageRules: readonly Rule[] = [
  {
    name: "no banned words: see the table in CONTRIBUTING.md",
    find: (sources) => [...newWords(sources), ...staleLines(sources)],
    bad: [
      source("src/a.ts", "// It is\n// told what changed.\n"),
      source("src/b.ts", 'const text = "nobody listens";'),
      source("tests/c.test.ts", "const nobodyListens = 1;"),
      source("docs/d.md", "# A\n\nIt is made anew.\n"),
      source("docs/e.svg", "<text>the outside</text>"),
      sample({ "src/gone.ts": 1 }),
    ],
    good: [
      source("src/a.ts", "// nobody, somebody\n"),
      sample({ "src/a.ts": 2 }),
      source("src/b.ts", "// There is no kind of that name..\n"),
      source("docs/c.md", "# A\n\nDo not write `anew`.\n\n```sh\n# nobody\n```\n"),
    ],
  },
];

/** The number of banned words in each file that has any. */
export function countWords(sources: readonly Source[]): Baseline {
  const counts = sources.map((at): [string, number] => [at.path, wordsIn(at).length]);
  return Object.fromEntries(
    counts.filter(([, count]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Why `after` may not replace `before`; undefined: it may. Words may move between files. */
export function refusal(before: Baseline, after: Baseline): string | undefined {
  const total = (counts: Baseline): number => Object.values(counts).reduce((a, b) => a + b, 0);
  if (total(after) <= total(before)) return undefined;
  const risen = Object.entries(after)
    .filter(([path, count]) => count > (before[path] ?? 0))
    .map(([path, count]) => `  ${path}: ${count}, was ${before[path] ?? 0}`);
  return [
    `The tree has ${total(after)} banned words, and the baseline of HEAD ${total(before)}.`,
    "The baseline may only shrink. Rewrite the new text in one of these files:",
    ...risen,
  ].join("\n");
}

function newWords(sources: readonly Source[]): readonly Violation[] {
  const allowed = baselineOf(sources);
  return sources.flatMap((at) => {
    const found = wordsIn(at);
    const limit = allowed[at.path] ?? 0;
    if (found.length <= limit) return [];
    if (limit === 0) return found;
    const lines = found.map(({ line }) => line).join(", ");
    const message = `has ${found.length} banned words (limit ${limit}) in lines ${lines}`;
    return [violationAt(at, 0, message)];
  });
}

function staleLines(sources: readonly Source[]): readonly Violation[] {
  const actual = countWords(sources);
  return Object.entries(baselineOf(sources))
    .filter(([path, count]) => count > (actual[path] ?? 0))
    .map(([path, count]) => ({
      path: baselinePath,
      line: 1,
      message: `${path} has ${actual[path] ?? 0} words, not ${count}: run \`npm run language\``,
    }));
}

function baselineOf(sources: readonly Source[]): Baseline {
  const file = sources.find(({ path }) => path === baselinePath);
  return file === undefined ? {} : (JSON.parse(file.text) as Baseline);
}

function wordsIn(at: Source): readonly Violation[] {
  if (!/\.(?:md|svg|ts|js|mjs)$/.test(at.path) || at.path === thisFile) return [];
  const text = at.path.endsWith(".md") ? prose(at) : at.text;
  const split = { ...at, text: text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ") };
  return [...split.text.matchAll(bannedWords)].map((match) =>
    violationAt(
      split,
      match.index,
      `"${match[0].replaceAll(/[\s/*]+/g, " ")}": ${advice(match[0])}`,
    ),
  );
}

function advice(text: string): string {
  const plain = text.replaceAll(/[\s/*]+/g, " ");
  const word = banned.find(({ pattern }) => new RegExp(`^(?:${pattern})$`, "i").test(plain));
  return `write ${word?.instead ?? "plain English"}`;
}
