// A row of docs/conformance/ is worth as much as the test that it names: each must exist.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../tools/stages.ts";

const page = readFileSync(join(root, "docs/conformance/engine.md"), "utf8");

test("every test that the page about the engine names is there", () => {
  const files = new Map<string, string>();
  for (const [, letter = "", file = ""] of page.matchAll(/\| ([A-Z]{1,2}) \| `([^`]+)`/g)) {
    files.set(letter, readFileSync(join(root, file), "utf8"));
  }
  const proofs = page
    .split("\n")
    .filter((line) => /\| [A-Z]{1,2}: [^|]*\|$/.test(line))
    .flatMap(
      (line) =>
        line
          .split("|")
          .at(-2)
          ?.trim()
          .split(/; (?=[A-Z]{1,2}: )/) ?? [],
    );
  assert.ok(proofs.length > 100);
  const missing = proofs.filter((proof) => {
    const [, letter = "", claim = ""] = /^([A-Z]{1,2}): (.+)$/.exec(proof) ?? [];
    return files.get(letter)?.includes(claim) !== true;
  });
  assert.deepEqual(missing, []);
});

test("every row of the page about the engine names one, or says why we differ", () => {
  const [promises = ""] = page.split("## Where we differ");
  const rows = promises.split("\n").filter((line) => /^\| [^-A-Z`]/.test(line));
  const unproven = rows.filter(
    (row) => !/\| [A-Z]{1,2}: /.test(row) && !/proven by \|$|file \|$/.test(row),
  );
  assert.deepEqual(unproven, []);
});

test("every test that the page about the resource-provider protocol names is there", () => {
  const { proofs, missing, rows } = missingTests("docs/conformance/arm.md");
  assert.ok(proofs.length > 100);
  assert.deepEqual(missing, []);
  assert.equal(rows, 69);
});

test("every test of Azure's clients is there, and each letter means one file, and is used", () => {
  const text = readFileSync(join(root, "docs/conformance/arm.md"), "utf8");
  const [before = "", section = ""] = text.split("## Azure's own clients\n");
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  assert.ok(rows.length > 10);
  const files = filesNamedIn(text);
  const proofs = rows.flatMap((row) => namedTests(row.split("|").at(-2)?.trim() ?? ""));
  assert.deepEqual(
    proofs.filter((proof) => proof.claim === "" || !isThere(proof, files)),
    [],
  );
  const letters = [...text.matchAll(/`([A-Z]{1,2})` is\s/g)].map(([, letter = ""]) => letter);
  assert.equal(new Set(letters).size, letters.length);
  const unused = letters.filter((letter) => {
    const isNamed = (part: string): boolean =>
      new RegExp(`(?:^|[|;.] )${letter}: `, "m").test(part);
    return !isNamed(before) && !isNamed(section);
  });
  assert.deepEqual(unused, []);
});

test("every test that the page about services from their documents names is there", () => {
  const { proofs, missing, rows } = missingTests("docs/conformance/connect.md");
  assert.ok(proofs.length > 100);
  assert.deepEqual(missing, []);
  assert.equal(rows, 29 + 56);
});

test("every step of every real service names a test that is there, or has none to name", () => {
  const text = readFileSync(join(root, "docs/conformance/connect.md"), "utf8");
  const [, section = ""] = text.split(/^## Each real service.*$/m);
  const [table = ""] = section.split(/^## /m);
  const [, , ...rows] = table.split("\n").filter((line) => line.startsWith("|"));
  assert.ok(rows.length > 15);
  const cells = rows.map((row) => row.split("|").slice(2, -1));
  assert.deepEqual(
    cells.filter((services) => services.length !== 3),
    [],
  );
  const files = filesNamedIn(text);
  const proofs = cells.flat().flatMap((cell) => namedTests(cell.trim()));
  assert.ok(proofs.length > 60);
  assert.deepEqual(
    proofs.filter((proof) => !isThere(proof, files)),
    [],
  );
});

test("the reference of resource providers has every code of an error, and no other", () => {
  const folder = join(root, "src/surfaces/arm");
  const codes = new Set(
    readdirSync(folder)
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .flatMap((name) => armCodesIn(readFileSync(join(folder, name), "utf8"))),
  );
  assert.ok(codes.size > 50);
  const reference = readFileSync(join(root, "docs/reference/resource-provider.md"), "utf8");
  const [, section = ""] = reference.split("## Errors\n");
  const [table = ""] = section.split(/^## /m);
  const rows = table.split("\n").filter((line) => /^\| (\d{3}|operations|preflight)/.test(line));
  const told = Array.from(rows.join("\n").matchAll(/`([A-Z][a-zA-Z]+)`/g), ([, code = ""]) => code);
  assert.deepEqual(new Set(told), codes);
});

/** Where a code is given, in tables of codes, and in what makes one; a state is none. */
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

interface Missing {
  readonly proofs: readonly NamedTest[];
  readonly missing: readonly NamedTest[];
  readonly rows: number;
}

function missingTests(path: string): Missing {
  const text = readFileSync(join(root, path), "utf8");
  const files = filesNamedIn(text);
  const rows = text.split("\n").filter((line) => /^\| R?\d+ \|/.test(line));
  const proofs = rows.flatMap((line) => namedTests(line.split("|").at(-2)?.trim() ?? ""));
  const missing = proofs.filter((proof) => !isThere(proof, files));
  return { proofs, missing, rows: rows.length };
}

/** By the letters that the page has for them. */
function filesNamedIn(text: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [, letter = "", file = ""] of text.matchAll(/`([A-Z]{1,2})` is\s+`([^`]+)`/g)) {
    files.set(letter, readFileSync(join(root, file), "utf8"));
  }
  return files;
}

function isThere({ file, claim }: NamedTest, files: ReadonlyMap<string, string>): boolean {
  if (files.get(file)?.includes(claim) === true) return true;
  const named = join(root, file);
  return file.endsWith(".ts") && existsSync(named) && readFileSync(named, "utf8").includes(claim);
}

interface NamedTest {
  /** A letter of the page, or a path. */
  readonly file: string;
  /** As far as it is written out. */
  readonly claim: string;
}

/** Tests of one file follow each other without naming it again; what has none says so. */
function namedTests(cell: string): readonly NamedTest[] {
  const found: NamedTest[] = [];
  let file = "";
  for (const part of cell.split("; ")) {
    if (part === "-" || part.endsWith("no test yet")) continue;
    const [, letter, path, rest = ""] = namedTest.exec(part) ?? [];
    file = letter ?? path ?? file;
    const [claim = ""] = rest.split(/,? \.\.\./, 1);
    found.push({ file, claim });
  }
  return found;
}

/** What it is about may stand before it, as in "204: R: follows the table". */
const namedTest = /^(?:[a-z0-9' ]+: )?(?:([A-Z]{1,2}): |`([^`]+)`(?:: )?)?(.*)$/;
