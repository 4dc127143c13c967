// `npm run release`: the steps of a release that change the repository. CONTRIBUTING.md has all
// steps in their order.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  changelogWith,
  isNewer,
  replaceLockVersion,
  replaceVersion,
  sectionOf,
} from "./release-text.ts";
import { root } from "./stages.ts";
import { parsedOrExit } from "./usage.ts";

const usage = `usage: npm run release -- prepare VERSION | tag

  prepare VERSION   writes the version into the changelog, the package and the documentation
  tag               tags the last commit; run \`npm test\` on it before`;

const words = parsedOrExit("release", usage, () => {
  const { positionals } = parseArgs({ allowPositionals: true, options: {} });
  const [step, version] = positionals;
  if (step === "prepare" && version !== undefined && positionals.length === 2) return { version };
  if (step === "tag" && positionals.length === 1) return {};
  throw new Error("prepare takes a version, and tag takes nothing");
});

const released = packageVersion();
if (words.version !== undefined) prepare(words.version);
else tag();

function prepare(version: string): void {
  // The first release keeps the version that the repository began with.
  const isFirst = git(["tag", "--list", "v*"]) === "" && version === released;
  if (!isFirst && !isNewer(version, released)) {
    fail(`${version} is not a version after ${released}, such as ${released.replace(/\d+$/, "N")}`);
  }
  requireCleanTree();
  const changelog = join(root, "CHANGELOG.md");
  const date = new Date().toISOString().slice(0, 10);
  const text = changelogWith(readFileSync(changelog, "utf8"), version, date);
  if (text === undefined) fail("CHANGELOG.md has no entries under Unreleased to release");
  writeFileSync(changelog, text);
  for (const path of versionedFiles()) {
    const before = readFileSync(path, "utf8");
    writeFileSync(path, replaceVersion(before, released, version));
  }
  const lock = join(root, "package-lock.json");
  writeFileSync(lock, replaceLockVersion(readFileSync(lock, "utf8"), version));
  console.log(
    `wrote version ${version}. Read \`git diff\`, commit, then run npm run release:fixture.`,
  );
}

function tag(): void {
  requireCleanTree();
  const name = `v${released}`;
  if (git(["tag", "--list", name]) !== "") fail(`the tag ${name} exists`);
  if (!existsSync(join(root, "tests", "releases", released, "release.json"))) {
    fail(`tests/releases/${released} does not exist: run npm run release:fixture and commit it`);
  }
  const section = sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), released);
  if (section === undefined) fail(`CHANGELOG.md has no section ${released}: run prepare first`);
  // Lines that begin with # are headings of the changelog, not comments.
  git([
    "tag",
    "--annotate",
    "--cleanup=whitespace",
    "--message",
    `Setpoint ${released}\n\n${section}`,
    name,
  ]);
  console.log(`tagged ${name}. Push it with: git push origin ${name}`);
}

/** Every file that may state the version, except the lock file. Decisions are not rewritten. */
function versionedFiles(): readonly string[] {
  const patterns = ["package.json", "docs/{how-to,reference,tutorials}/*.md", "deploy/**/*"];
  return globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function requireCleanTree(): void {
  if (git(["status", "--porcelain"]) !== "") fail("the tree has changes: commit them first");
}

function packageVersion(): string {
  const text = readFileSync(join(root, "package.json"), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

function git(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) fail(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

function fail(message: string): never {
  console.error(`release: ${message}`);
  process.exit(1);
}
