// Which files of a tree are manifests, and which tool renders the tree. Pure.

import type { GitFile, GitTree } from "../../../adapters/git/port.ts";
import { gitopsLimits } from "../limits.ts";
import { matchesText } from "../policy/patterns.ts";
import type { RenderOptions, RenderRefused, RenderTool } from "./renderer.ts";
import { refused } from "./refused.ts";

const kustomizations = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/** As the deployment states; else from the files directly in the path. */
export function toolOf(tree: GitTree, { tool }: Pick<RenderOptions, "tool">): RenderTool {
  if (tool !== undefined) return tool;
  const names = new Set(tree.files.map((file) => relativePath(tree, file)));
  if (names.has("Chart.yaml")) return "Helm";
  return kustomizations.some((name) => names.has(name)) ? "Kustomize" : "Directory";
}

/** Of the path and of the folders below it; that of the path itself first. */
export function kustomizationFiles(tree: GitTree): readonly GitFile[] {
  const depth = (file: GitFile): number => relativePath(tree, file).split("/").length;
  return tree.files
    .filter(({ path }) => kustomizations.includes(path.slice(path.lastIndexOf("/") + 1)))
    .toSorted((one, other) => depth(one) - depth(other));
}

/** In the order of their paths, within the bounds. */
export function manifestFiles(
  tree: GitTree,
  { directory }: Pick<RenderOptions, "directory">,
): readonly GitFile[] | RenderRefused {
  const files = tree.files.filter((file) => isChosen(relativePath(tree, file), directory));
  const { maxTreeFiles, maxTreeBytes, maxFileBytes } = gitopsLimits;
  if (files.length > maxTreeFiles) {
    return refused("TooLarge", `the path has more than ${maxTreeFiles} files of manifests`);
  }
  const large = files.find(({ bytes }) => bytes > maxFileBytes);
  if (large !== undefined) {
    const message = `the file has ${large.bytes} bytes, and may have ${maxFileBytes}`;
    return refused("TooLarge", `${large.path}: ${message}`, [{ file: large.path, message }]);
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return bytes <= maxTreeBytes
    ? files
    : refused("TooLarge", `the manifests have ${bytes} bytes, and may have ${maxTreeBytes}`);
}

function isChosen(path: string, chosen: RenderOptions["directory"]): boolean {
  const { isRecursive, include, exclude } = chosen;
  if (!/\.(?:ya?ml|json)$/.test(path)) return false;
  if (!isRecursive && path.includes("/")) return false;
  if (include.length > 0 && !include.some((glob) => matchesGlob(glob, path))) return false;
  return !exclude.some((glob) => matchesGlob(glob, path));
}

/** In a glob, * stands for any characters, also for slashes, and {a,b} for one of the parts. */
function matchesGlob(glob: string, path: string): boolean {
  const [, before = "", parts, after = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(glob) ?? [];
  if (parts === undefined) return matchesText(glob, path);
  return parts.split(",").some((part) => matchesText(before + part + after, path));
}

/** Below the path of the tree; the name alone when the path is a file. */
function relativePath(tree: GitTree, { path }: GitFile): string {
  const folder = tree.path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  if (folder === "") return path;
  if (path === folder) return path.slice(path.lastIndexOf("/") + 1);
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}
