// Files of a fetched commit, read by `git ls-tree` and `git cat-file`, which run no filters.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { batchContents } from "./batch-output.ts";
import type { LocalGit } from "./git-command.ts";
import { gitProblem } from "./git-messages.ts";
import { isCommitId } from "./git-url.ts";
import type { Checkout, FileContents, GitFile, GitProblem, GitTree, TreeLimits } from "./port.ts";
import { treeFiles, unsafePath } from "./tree-listing.ts";
import { withoutTrailing } from "../../kernel/trailing.ts";

/** Of a line of `git ls-tree`, with a path. */
const lineBytes = 400;
const headBytes = 100;
const portionBytes = 33_554_432;

export async function readTree(
  run: LocalGit,
  commit: string,
  given: string,
  limits: TreeLimits,
): Promise<GitTree | GitProblem> {
  const path = withoutTrailing(given.replace(/^(?:\.?\/+)+|^\.$/, ""), "/");
  const why = path === "" ? undefined : unsafePath(path);
  if (why !== undefined) return gitProblem("PathNotFound", `the path ${why}`);
  if (!isCommitId(commit)) return gitProblem("CommitNotFound", "a commit is named by its full id");
  const names = `${commit}^{tree}\n${commit}:${path}\n`;
  const checked = await run(["cat-file", "--batch-check"], { stdin: names });
  if (checked.kind === "problem") return gitProblem(checked.reason, checked.message);
  const [root = "", found = ""] = checked.stdout.toString().split("\n");
  const [, rootTreeId] = /^([0-9a-f]+) tree /.exec(root) ?? [];
  if (rootTreeId === undefined) return gitProblem("CommitNotFound", "the commit was not fetched");
  const [, treeId, type] = /^([0-9a-f]+) (\w+) \d+$/.exec(found) ?? [];
  if (treeId === undefined || (type !== "tree" && type !== "blob")) {
    return gitProblem("PathNotFound", `the commit has no path ${JSON.stringify(path)}`);
  }
  const of = type === "tree" ? [treeId] : [rootTreeId, "--", path];
  const maxOutputBytes = Math.min(limits.maxFiles * lineBytes, 134_217_728);
  const listed = await run(["ls-tree", "-r", "-z", "-l", "--full-tree", ...of], { maxOutputBytes });
  if (listed.kind === "problem") return gitProblem(listed.reason, listed.message);
  const files = treeFiles(listed.stdout, type === "tree" ? path : "", limits);
  if ("kind" in files) return files;
  return { kind: "tree", commit, path, treeId, rootTreeId, files };
}

export async function readFiles(
  run: LocalGit,
  files: readonly GitFile[],
): Promise<FileContents | GitProblem> {
  const contents: Uint8Array[] = [];
  for (const portion of portions(files)) {
    const ids = portion.map(({ blobId }) => blobId);
    const bytes = portion.reduce((sum, file) => sum + file.bytes + headBytes, 0);
    const stdin = ids.map((id) => `${id}\n`).join("");
    const end = await run(["cat-file", "--batch", "--buffer"], { stdin, maxOutputBytes: bytes });
    if (end.kind === "problem") return gitProblem(end.reason, end.message);
    const read = batchContents(end.stdout, ids);
    if (read === undefined) return gitProblem("CommitNotFound", "the commit was not fetched");
    contents.push(...read);
  }
  return { kind: "contents", contents };
}

/** Deletes the folder unless all files are in it. */
export async function checkoutTree(
  run: LocalGit,
  files: readonly GitFile[],
  folder: string,
): Promise<Checkout | GitProblem> {
  const remove = async (): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const problem = await writeFiles(run, files, folder);
    if (problem === undefined) return { kind: "checkout", folder, [Symbol.asyncDispose]: remove };
    await remove();
    return problem;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeFiles(
  run: LocalGit,
  files: readonly GitFile[],
  folder: string,
): Promise<GitProblem | undefined> {
  for (const portion of portions(files)) {
    const read = await readFiles(run, portion);
    if (read.kind === "problem") return read;
    for (const [index, { path, isExecutable }] of portion.entries()) {
      const why = unsafePath(path);
      if (why !== undefined) return gitProblem("UnsafeTree", `${JSON.stringify(path)} ${why}`);
      const target = join(folder, path);
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o755 });
        const mode = isExecutable ? 0o755 : 0o644;
        await writeFile(target, read.contents[index] ?? "", { mode, flag: "wx" });
      } catch {
        return gitProblem("UnsafeTree", `${JSON.stringify(path)} cannot be written`);
      }
    }
  }
  return undefined;
}

/** In groups whose contents fit into memory. */
function* portions(files: readonly GitFile[]): Generator<readonly GitFile[]> {
  let portion: GitFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (portion.length > 0 && bytes + file.bytes > portionBytes) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(file);
    bytes += file.bytes;
  }
  if (portion.length > 0) yield portion;
}
