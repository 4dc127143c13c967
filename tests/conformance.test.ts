// A row of docs/conformance/engine.md is worth as much as the test that it names: each must exist.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
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
