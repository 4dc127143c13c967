// What holds for documents, packages and migrations: everything that is not code.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "../../tools/stages.ts";
import { source, violationAt } from "./source.ts";
import type { Rule, Source, Violation } from "./source.ts";

const maxReadmeLines = 60;
/** Two lines of a rendered table. */
const maxCellCharacters = 160;
const docsIndex = "docs/README.md";
const emptySum = sha256("");

export const documentRules: readonly Rule[] = [
  {
    name: "a document has one title",
    find: (sources) => sources.filter(isDocument).flatMap(titles),
    bad: [source("a.md", "# One\n\n# Two\n"), source("b.md", "text\n")],
    good: [source("a.md", "# One\n\n```sh\n# a comment\n```\n\n## Part\n")],
  },
  {
    name: "a relative link leads somewhere",
    find: (sources) => sources.filter(isDocument).flatMap((at) => brokenLinks(at, sources)),
    bad: [
      source("docs/a.md", "# A\n\n[gone](./gone.md)\n"),
      source("docs/b.md", "# B\n\n[here](#part)\n\n## Another part\n"),
    ],
    good: [
      source("docs/a.md", "# A\n\n[ours](../package.json#name) [out](https://example.org)\n"),
      source(
        "docs/b.md",
        "# B\n\n[here](#part-1-its-name) `[not](a.link)`\n\n## Part 1: its `name`\n",
      ),
    ],
  },
  {
    name: `a table cell has at most ${maxCellCharacters} characters`,
    find: (sources) => sources.filter(isDocument).flatMap(longCells),
    bad: [source("a.md", `# A\n\n| a | b |\n|---|---|\n| ${"word ".repeat(33)} | b |\n`)],
    good: [source("a.md", `# A\n\n| a \\| a | [b](https://${"x".repeat(160)}) |\n`)],
  },
  {
    name: `${docsIndex} links to every page of docs/`,
    find: unlistedPages,
    isJoint: true,
    bad: [source(docsIndex, "# Index\n\n[a](how-to/a.md)\n"), source("docs/how-to/b.md", "# B\n")],
    good: [source(docsIndex, "# Index\n\n[a](how-to/a.md)\n"), source("docs/how-to/a.md", "# A\n")],
  },
  {
    name: `a folder of src/ has a README of at most ${maxReadmeLines} lines`,
    find: readmes,
    bad: [
      source("src/kernel/a.ts", ""),
      source("src/store/README.md", "line\n".repeat(maxReadmeLines + 1)),
    ],
    good: [source("src/kernel/a.ts", ""), source("src/kernel/README.md", "# kernel\n")],
  },
  {
    name: "no file names a machine or a package host",
    find: (sources) => sources.flatMap(machineNames),
    bad: [
      source("a.md", ["see ", "work", "main", "x"].join("/")),
      source("b.md", ["cd ", "root", ".npm"].join("/")),
      source("c.json", ["https://registry", "npmjs", "org/a"].join(".")),
    ],
    good: [source("a.md", "PUT /apis/work/main and https://example.org/root/a")],
  },
  {
    name: "migrations are numbered from 1 without a gap",
    find: migrationGaps,
    isJoint: true,
    bad: [
      source("src/store/postgres/migrations/0001_a.sql", ""),
      source("src/store/postgres/migrations/0003_b.sql", ""),
    ],
    good: [
      source("src/store/postgres/migrations/0001_a.sql", ""),
      source("src/store/postgres/migrations/0002_b.sql", ""),
      source("src/store/sqlite/migrations/0001_a.sql", ""),
    ],
  },
  {
    name: "a migration that was released is never edited",
    find: editedMigrations,
    bad: [source("migrations/SHA256SUMS", `${emptySum}  0001_a.sql\n`)],
    good: [
      source("migrations/SHA256SUMS", `${emptySum}  0001_a.sql\n`),
      source("migrations/0001_a.sql", ""),
      source("migrations/0002_b.sql", "SELECT 1;"),
    ],
  },
  {
    name: "dependencies are exact, and no package runs a script when it is installed",
    find: (sources) =>
      sources.filter(({ path }) => /package(-lock)?\.json$/.test(path)).flatMap(pins),
    bad: [
      source("package.json", '{ "dependencies": { "pg": "^8.0.0" } }'),
      source("package-lock.json", '{ "packages": { "a": { "resolved": "https://a/b.tgz" } } }'),
      source("package-lock.json", '{ "packages": { "a": { "hasInstallScript": true } } }'),
    ],
    good: [
      source("package-lock.json", '{ "packages": { "a": { "resolved": "console" } } }'),
      source(
        "package.json",
        '{ "engines": { "node": ">=20" }, "dependencies": { "pg": "8.0.0" } }',
      ),
    ],
  },
];

function isDocument({ path }: Source): boolean {
  return path.endsWith(".md");
}

const fencedBlock = /^( *)(```|~~~)[\s\S]*?^\1\2/gm;

/** Fenced and inline code is blanked out: what looks like a title or a link there is none. */
export function prose({ text }: Source): string {
  return text.replaceAll(/^( *)(```|~~~)[\s\S]*?^\1\2|`[^`\n]*`/gm, (code) =>
    code.replaceAll(/[^\n]/g, " "),
  );
}

function titles(at: Source): readonly Violation[] {
  const found = [...prose(at).matchAll(/^# .+/gm)];
  if (found.length === 1) return [];
  return [violationAt(at, found[1]?.index ?? 0, `has ${found.length} titles (lines with one #)`)];
}

function brokenLinks(at: Source, sources: readonly Source[]): readonly Violation[] {
  return [...prose(at).matchAll(/\]\(([^)\s]+)\)/g)].flatMap((match) => {
    const link = match[1] ?? "";
    if (/^[a-z]+:/.test(link)) return [];
    const [path = "", anchor = ""] = link.split("#");
    const target = normalize(join(dirname(at.path), decodeURIComponent(path)));
    const page = path === "" ? at : sources.find((candidate) => candidate.path === target);
    const exists = page !== undefined || existsSync(join(root, target));
    if (!exists) return [violationAt(at, match.index, `leads nowhere: ${link}`)];
    if (anchor === "" || page === undefined || !isDocument(page)) return [];
    if (anchorsOf(page).has(anchor)) return [];
    return [violationAt(at, match.index, `${page.path} has no heading for #${anchor}`)];
  });
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf({ text }: Source): ReadonlySet<string> {
  const withoutBlocks = text.replaceAll(fencedBlock, "");
  const headings = [...withoutBlocks.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return new Set(
    headings.map((title) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Counts what a reader sees: the text of a link, and code without its quotes. */
function longCells(at: Source): readonly Violation[] {
  const text = at.text.replaceAll(fencedBlock, (block) => block.replaceAll(/[^\n]/g, ""));
  return [...text.matchAll(/^\|.*\|$/gm)].flatMap((row) => {
    const cells = row[0].split(/(?<!\\)\|/).slice(1, -1);
    const lengths = cells.map(
      (cell) =>
        cell
          .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
          .replaceAll(/[`*]/g, "")
          .trim().length,
    );
    const longest = Math.max(...lengths);
    if (longest <= maxCellCharacters) return [];
    const line = text.slice(0, row.index).split("\n").length;
    const message = `${longest} characters: use more rows, or a paragraph below the table`;
    return [{ path: at.path, line, message }];
  });
}

function unlistedPages(sources: readonly Source[]): readonly Violation[] {
  const text = sources.find(({ path }) => path === docsIndex)?.text ?? "";
  return sources
    .filter((at) => isDocument(at) && at.path.startsWith("docs/") && at.path !== docsIndex)
    .filter(({ path }) => !text.includes(`](${path.slice("docs/".length)})`))
    .map((at) => violationAt(at, 0, `has no row in ${docsIndex}`));
}

function readmes(sources: readonly Source[]): readonly Violation[] {
  const folders = new Set(
    sources.map(({ path }) => /^src\/[^/]+(?=\/)/.exec(path)?.[0]).filter((f) => f !== undefined),
  );
  return [...folders].flatMap((folder): readonly Violation[] => {
    const path = `${folder}/README.md`;
    const readme = sources.find((candidate) => candidate.path === path);
    if (readme === undefined) return [{ path, line: 1, message: "is missing" }];
    const lines = readme.text.trimEnd().split("\n").length;
    return lines <= maxReadmeLines
      ? []
      : [violationAt(readme, 0, `${lines} lines: one page is enough`)];
  });
}

function machineNames(at: Source): readonly Violation[] {
  const patterns = [
    /(?<![\w.:/-])\/(?:work\/(?:main|shared|\.)|root\/)[^\s"'`)]*/g,
    /registry\.npmjs\.\w+|deb\.debian\.\w+/g,
  ];
  return patterns.flatMap((pattern) =>
    [...at.text.matchAll(pattern)].map((match) =>
      violationAt(at, match.index, `\`${match[0]}\` is not the product's`),
    ),
  );
}

function migrationGaps(sources: readonly Source[]): readonly Violation[] {
  const groups = Map.groupBy(
    sources.filter(({ path }) => /\/migrations\/[^/]+\.sql$/.test(path)),
    ({ path }) => dirname(path),
  );
  return [...groups.values()].flatMap((files) =>
    files
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .flatMap((file, index) => {
        const expected = `${String(index + 1).padStart(4, "0")}_`;
        const name = file.path.slice(dirname(file.path).length + 1);
        if (name.startsWith(expected)) return [];
        return [violationAt(file, 0, `is not number ${expected.slice(0, 4)}`)];
      }),
  );
}

/** Sums stand beside the migrations, in the form that `sha256sum --check` reads. */
function editedMigrations(sources: readonly Source[]): readonly Violation[] {
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  return sources
    .filter(({ path }) => /(?:^|\/)migrations\/SHA256SUMS$/.test(path))
    .flatMap((sums) =>
      [...sums.text.matchAll(/^(\w+) {2}(.+)$/gm)].flatMap(({ index, 1: sum, 2: name = "" }) => {
        const text = texts.get(join(dirname(sums.path), name));
        if (text !== undefined && sha256(text) === sum) return [];
        return [violationAt(sums, index, `${name} was edited: write a new migration instead`)];
      }),
    );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function pins(at: Source): readonly Violation[] {
  const patterns = at.path.endsWith("lock.json")
    ? [/"resolved": "[a-z+]+:[^"]*"/g, /"hasInstallScript": true/g]
    : [/"(?!node")[^"]+": "(?:[\^~]|[<>]=?)\s*\d[^"]*"/g];
  return patterns.flatMap((pattern) =>
    [...at.text.matchAll(pattern)].map((match) => violationAt(at, match.index, match[0])),
  );
}
