// The pages of docs/conformance/ name the tests that prove each row. This file checks that the
// named files and tests exist, that every row has a proof, and that every letter is used.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../tools/stages.ts";

interface Page {
  readonly name: string;
  readonly text: string;
}

interface NamedTest {
  /** A letter of the page, or a path. */
  readonly file: string;
  /** The title of the test, or its start. */
  readonly claim: string;
}

const names = "arm connect engine environments fleet gitops hardening kube store".split(" ");
const pages = names.map((name): Page => ({
  name,
  text: readFileSync(join(root, `docs/conformance/${name}.md`), "utf8"),
}));

for (const page of pages) {
  test(`every test on the conformance page ${page.name} exists`, () => {
    const files = filesByLetter(page);
    const named = namedTests(page);
    assert.ok(page.name === "store" || named.length > 40);
    assert.deepEqual(
      named.filter((proof) => !exists(proof, files)),
      [],
    );
    assert.deepEqual(
      namedFiles(page).filter((file) => !existsSync(join(root, file))),
      [],
    );
  });

  test(`every row on the conformance page ${page.name} has a proof`, () => {
    const rows = rowsToProve(page);
    assert.ok(rows.length > 15);
    assert.deepEqual(
      rows.filter((cells) => !/`|^-$|^\[ADR /.test(cells.at(-1) ?? "")),
      [],
    );
  });

  test(`every letter on the conformance page ${page.name} is one file, and is used`, () => {
    const letters = legendOf(page).map(([letter]) => letter);
    assert.equal(new Set(letters).size, letters.length);
    const used = new Set(namedTests(page).map(({ file }) => file));
    assert.deepEqual(
      letters.filter((letter) => !used.has(letter)),
      [],
    );
  });
}

test("the conformance pages have a row for each numbered requirement", () => {
  const numbered = (name: string): number =>
    rowsToProve(pageOf(name)).filter(([first = ""]) => /^R?\d+$/.test(first)).length;
  assert.equal(numbered("arm"), 69);
  assert.equal(numbered("connect"), 29 + 56);
  assert.equal(numbered("environments"), 48 + 3 + 60 + 4);
  assert.equal(numbered("fleet"), 64 + 45);
  assert.equal(numbered("gitops"), 60);
});

test("every step of every real service has a test, or a dash", () => {
  const [, section = ""] = pageOf("connect").text.split(/^## Each real service.*$/m);
  const [, , ...rows] = tableRows(section.split(/^## /m)[0] ?? "");
  assert.ok(rows.length > 15);
  const steps = rows.filter(([step]) => step !== "");
  assert.deepEqual(
    steps.filter((cells) => cells.length !== 4 || cells.slice(1).includes("")),
    [],
  );
});

test("the reference of resource providers has every code of an error, and no other", () => {
  const folders = ["src/surfaces/arm", "src/modules/resource-provider"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => join(root, folder, name)),
  );
  const codes = new Set(files.flatMap((file) => armCodesIn(readFileSync(file, "utf8"))));
  assert.ok(codes.size > 50);
  const reference = readFileSync(join(root, "docs/reference/resource-provider.md"), "utf8");
  const [, section = ""] = reference.split("## Errors\n");
  const [table = ""] = section.split(/^## /m);
  const rows = table.split("\n").filter((line) => /^\| (\d{3}|operations|preflight)/.test(line));
  const listed = [...rows.join("\n").matchAll(/`([A-Z][a-zA-Z]+)`/g)].map(([, code = ""]) => code);
  assert.deepEqual(new Set(listed), codes);
});

/** The codes in errors, in tables of codes and in calls; `Canceled` is a state. */
function armCodesIn(source: string): readonly string[] {
  const places = [
    /\bcode(?:: | = )[^,;}]*/g,
    /\bproblem(?:At)?\(\s*"\w+"/g,
    /\bconst codes\w*[^=]*= \{[^}]*\}/g,
    /\bfunction fieldCode\b.*?\n\}/gs,
  ];
  const given = places.flatMap((place) => source.match(place) ?? []).join("\n");
  const codes = given.matchAll(/(?:: |= |return |\? |\()"([A-Z][a-zA-Z]+)"/g);
  return Array.from(codes, ([, code = ""]) => code).filter((code) => code !== "Canceled");
}

function pageOf(name: string): Page {
  const page = pages.find((each) => each.name === name);
  assert.ok(page !== undefined);
  return page;
}

/** Rows of the form `| A | \`file\` |`; a folder ends with a slash. */
function legendOf({ text }: Page): readonly (readonly [letter: string, file: string])[] {
  return [...text.matchAll(/\| ([A-Z]{1,2}) \| `([^`]+)`/g)].map(
    ([, letter = "", file = ""]) => [letter, file] as const,
  );
}

function filesByLetter(page: Page): ReadonlyMap<string, string> {
  return new Map(legendOf(page).map(([letter, file]) => [letter, contentOf(file)]));
}

function contentOf(file: string): string {
  const path = join(root, file);
  if (!file.endsWith("/")) return readFileSync(path, "utf8");
  return readdirSync(path)
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(path, name), "utf8"))
    .join("\n");
}

/** Proofs of the form X: `title` or `path`: `title`. A title may be cut by three dots. */
function namedTests({ text }: Page): readonly NamedTest[] {
  const proofs = text.matchAll(/(?:(?<=[|;] )([A-Z]{1,2})|`([\w./-]+\.ts)`): `([^`]+)`/g);
  return Array.from(proofs, ([, letter, path, title = ""]) => {
    const [claim = ""] = title.split(/,? ?\.\.\./, 1);
    return { file: letter ?? path ?? "", claim };
  });
}

function exists({ file, claim }: NamedTest, files: ReadonlyMap<string, string>): boolean {
  const content = files.get(file);
  if (content !== undefined) return content.includes(claim);
  return existsSync(join(root, file)) && contentOf(file).includes(claim);
}

function namedFiles({ text }: Page): readonly string[] {
  return Array.from(text.matchAll(/`((?:src|tests)\/[\w./-]+\.ts)`/g), ([, file = ""]) => file);
}

/** Rows of tables whose last column is "proven by"; a row without a first cell continues one. */
function rowsToProve({ text }: Page): readonly (readonly string[])[] {
  return text.split("\n\n").flatMap((block) => {
    const [head = [], , ...rows] = tableRows(block);
    return head.at(-1) === "proven by" ? rows.filter(([first]) => first !== "") : [];
  });
}

function tableRows(text: string): readonly (readonly string[])[] {
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  return rows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
