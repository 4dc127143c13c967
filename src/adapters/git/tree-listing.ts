// The output of `git ls-tree -r -z -l` as the files of a tree. Entries that a program could follow
// out of a folder are refused: links, submodules, and names that a file system reads otherwise.
// Pure.

import { gitProblem } from "./git-messages.ts";
import type { GitFile, GitProblem, TreeLimits } from "./port.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const maxNameBytes = 255;
const maxPathBytes = 4_096;

export function treeFiles(
  output: Uint8Array,
  path: string,
  limits: TreeLimits,
): readonly GitFile[] | GitProblem {
  const files: GitFile[] = [];
  let bytes = 0;
  for (let start = 0; start < output.length;) {
    const end = output.indexOf(0, start);
    if (end === -1) return gitProblem("Failed", "git listed a tree in an unknown form");
    const file = entry(output.subarray(start, end), path);
    if ("kind" in file) return file;
    if (file.bytes > limits.maxFileBytes) {
      return tooLarge(`the file ${shown(file.path)} has ${file.bytes} bytes`, limits.maxFileBytes);
    }
    bytes += file.bytes;
    files.push(file);
    if (files.length > limits.maxFiles) return tooLarge("it has more files", limits.maxFiles);
    if (bytes > limits.maxBytes) return tooLarge("its files have more bytes", limits.maxBytes);
    start = end + 1;
  }
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function entry(line: Uint8Array, path: string): GitFile | GitProblem {
  let text;
  try {
    text = utf8.decode(line);
  } catch {
    return gitProblem("UnsafeTree", "the tree has a name that is not UTF-8");
  }
  const [, mode = "", blobId = "", size = "", name = ""] =
    /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(text) ?? [];
  const full = path === "" ? name : `${path}/${name}`;
  const why = unsafeMode(mode) ?? unsafePath(full);
  if (why !== undefined) return gitProblem("UnsafeTree", `${shown(full)} ${why}`);
  return { path: full, blobId, bytes: Number(size), isExecutable: mode === "100755" };
}

function unsafeMode(mode: string): string | undefined {
  if (mode === "120000") return "is a symbolic link, which is not followed: use a file";
  if (mode === "160000") return "is a submodule, which is not read";
  return mode.startsWith("100") ? undefined : "is not a file";
}

/** Why a file must not have this path on a file system; undefined: it may. */
export function unsafePath(path: string): string | undefined {
  if (Buffer.byteLength(path) > maxPathBytes) return "has a path that is too long";
  for (const name of path.split("/")) {
    if (name === "" || name === "." || name === "..") return "has a name that is not allowed";
    if (name.toLowerCase() === ".git") return "is below a folder .git";
    if (/[\\\p{Cc}]/u.test(name)) return "has a character that is not allowed in its name";
    if (Buffer.byteLength(name) > maxNameBytes) return "has a name that is too long";
  }
  return undefined;
}

function tooLarge(what: string, most: number): GitProblem {
  return gitProblem("TooLarge", `the path is too large: ${what}; at most ${most} are read`);
}

function shown(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
