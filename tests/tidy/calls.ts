// Words that may not appear, each with what to write instead.
import { isTest, source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

interface Ban {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
  readonly appliesTo: (path: string) => boolean;
  /** Comments and strings count, too. */
  readonly inText?: boolean;
  readonly bad: string;
  readonly good: string;
  /** Where the samples stand, for a ban that does not reach everywhere. */
  readonly sampledAt?: string;
}

/** Time, chance and surroundings come in through ports: that is what makes simulation possible. */
const externalPorts = (path: string): boolean => /^src\/(?!kernel\/|app\/)/.test(path);
const unconfigured = (path: string): boolean => externalPorts(path) && !path.startsWith("src/cli/");
const inSrc = (path: string): boolean => path.startsWith("src/");
const quiet = (path: string): boolean => inSrc(path) && !path.startsWith("src/cli/");
const written = (path: string): boolean =>
  /^(src|tools|tests|bench|console)\/.*\.(tsx?|js)$/.test(path) && !path.startsWith("tests/tidy/");

const bans: readonly Ban[] = [
  {
    name: "the time comes from the clock",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/g,
    instead: "take a Clock",
    appliesTo: externalPorts,
    bad: "const t = Date.now(); const d = new Date();",
    good: 'const d = new Date(row.at); // Date.now\nconst s = "Date.now()";',
  },
  {
    name: "chance comes from the random port",
    pattern: /\bMath\.random\b|\brandomUUID\b/g,
    instead: "take the random source or the ids",
    appliesTo: externalPorts,
    bad: "const id = crypto.randomUUID(); const r = Math.random();",
    good: "const id = ids.next();",
  },
  {
    name: "chance in a test comes from the seed",
    pattern: /\bMath\.random\b|\brandomInt\b|\bDate\.now\(\)\s*%/g,
    instead: "take the seed of tests/seed.ts, so that each run is the same",
    appliesTo: (path) => (isTest(path) || path.startsWith("tests/")) && written(path),
    bad: "const name = Math.random(); const seed = Date.now() % 1_000;",
    good: "const random = seededRandom(seed);",
  },
  {
    name: "waiting goes through the timers",
    pattern: /\b(?:setTimeout|setInterval|setImmediate)\b/g,
    instead: "take the Timers",
    appliesTo: externalPorts,
    bad: "setTimeout(work, 10);",
    good: "timers.after(10, work);",
  },
  {
    name: "the environment is read at the edge",
    pattern: /\bprocess\.env\b/g,
    instead: "take the value from the configuration",
    appliesTo: unconfigured,
    bad: 'const home = process.env["HOME"];',
    good: "const home = config.home;",
  },
  {
    name: "what clients write goes through intents/write/commit.ts",
    pattern: /\bstore\.commit\(/g,
    instead: "use commitPut and its neighbours, which check, admit and make due",
    appliesTo: (path) =>
      /^src\/(?:intents|surfaces|app|modules|housekeeping)\//.test(path) && !isTest(path),
    bad: "await intents.store.commit(writes);",
    good: "await commitPut(intents, write);",
    sampledAt: "src/intents/sample.ts",
  },
  {
    name: "documents are parsed by parseExact, which keeps every int64",
    pattern: /\bJSON\.parse\(/g,
    instead: "use parseExact of kernel/int64.ts",
    appliesTo: (path) =>
      /^src\/(?:kernel|store\/[^/]+\.ts|intents|surfaces|modules|engine|housekeeping)/.test(path) &&
      !isTest(path) &&
      path !== "src/kernel/reliable-json.ts",
    bad: "const document = JSON.parse(text);",
    good: "const document = parseExact(text);",
    sampledAt: "src/intents/sample.ts",
  },
  {
    name: "only the command line prints",
    pattern: /\bconsole\.\w+\(/g,
    instead: "take the log",
    appliesTo: quiet,
    bad: 'console.log("here");',
    good: 'log.info({}, "here");',
  },
  {
    name: "no enum and no namespace",
    pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:enum|namespace)\s+\w+\s*\{/gm,
    instead: "use a union of literals, or a module",
    appliesTo: written,
    bad: "export enum Colour { red }",
    good: 'export type Colour = "red";',
  },
  {
    name: "no default export",
    pattern: /\bexport\s+default\b|\bas\s+default\b/g,
    instead: "export it by its name",
    appliesTo: written,
    bad: "export default function run() {}",
    good: "export function run() {}",
  },
  {
    name: "no any",
    pattern: /[:<,|&(]\s*any\b(?!\s*[:(])|\bas\s+any\b|\bany\[\]/g,
    instead: "use unknown, and narrow it",
    appliesTo: written,
    bad: "const x: any = 1;",
    good: "const any = 1; use({ any: 2 });",
  },
  {
    name: "a linter rule is switched off with a reason",
    pattern: /(?:oxlint|eslint)-disable(?!.* -- \w)|@ts-(?:ignore|nocheck)|@ts-expect-error *$/gm,
    instead: "end the comment with ` -- ` and why",
    appliesTo: written,
    inText: true,
    bad: "// oxlint-disable-next-line no-explicit-any\n",
    good: "// oxlint-disable-next-line no-explicit-any -- the library's type says so\n",
  },
  {
    name: "an error is not swallowed without a word",
    pattern: /\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}/g,
    instead: "handle it, or say in a comment why nothing is to be done",
    appliesTo: written,
    inText: true,
    bad: "try { work(); } catch (error) {\n}",
    good: "try { work(); } catch {\n  // It was gone already.\n}",
  },
  {
    name: "what is left to do has an issue",
    pattern: /\bFIXME\b|\bTODO\b(?!\s*\(?#\d+)/g,
    instead: "do it now, or write TODO(#123)",
    appliesTo: written,
    inText: true,
    bad: "// TODO: later\n// FIXME\n",
    good: "// TODO(#12): later\n",
  },
  {
    name: "every test runs",
    pattern: /\.(?:only|skip)\s*\(|\bonly:\s*true\b|\bskip:\s*true\b/g,
    instead: "delete it or mend it",
    appliesTo: (path) => isTest(path) && written(path),
    bad: 'test.only("this", () => {});',
    good: 'test("this", () => {});',
  },
];

export const callRules: readonly Rule[] = bans.map((ban) => {
  const { sampledAt = "src/store/sample.test.ts" } = ban;
  const sample = (text: string): Source => source(sampledAt, text);
  return {
    name: ban.name,
    find: (sources) =>
      sources.filter(({ path }) => ban.appliesTo(path)).flatMap((s) => scan(s, ban)),
    bad: [sample(ban.bad)],
    good: [sample(ban.good)],
  };
});

function scan(at: Source, { pattern, instead, inText = false }: Ban): readonly Violation[] {
  return [...(inText ? at.text : at.code).matchAll(pattern)].map((match) =>
    violationAt(at, match.index, `\`${match[0].trim()}\`: ${instead}`),
  );
}
