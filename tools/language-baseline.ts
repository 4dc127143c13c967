// `npm run language`: counts the banned words of each file and rewrites the baseline of
// tests/tidy/language.ts. It compares with the baseline of HEAD and refuses to raise the total, so
// that words can move with their file, but never increase. It ignores the file in the work tree:
// a baseline with merge conflicts is repaired by running this command.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { baselinePath, countWords, refusal } from "../tests/tidy/language.ts";
import type { Baseline } from "../tests/tidy/language.ts";
import { readRepository } from "../tests/tidy/source.ts";
import { root } from "./stages.ts";

const before = baselineOfHead();
const after = countWords(readRepository());
const reason = before === undefined ? undefined : refusal(before, after);
if (reason === undefined) {
  writeFileSync(join(root, baselinePath), `${JSON.stringify(after, undefined, 2)}\n`);
  const words = Object.values(after).reduce((a, b) => a + b, 0);
  console.log(`${baselinePath}: ${words} words in ${Object.keys(after).length} files`);
} else {
  console.error(reason);
  process.exitCode = 1;
}

/** Undefined: HEAD has no baseline yet. */
function baselineOfHead(): Baseline | undefined {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" });
  if (git("ls-tree", "HEAD", "--", baselinePath) === "") return undefined;
  return JSON.parse(git("show", `HEAD:${baselinePath}`)) as Baseline;
}
