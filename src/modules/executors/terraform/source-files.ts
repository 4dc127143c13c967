// The files of a configuration, from the spec and from a ConfigMap. Pure checks; admission calls
// them for the spec, and a run for the ConfigMap.

import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { executorLimits } from "../limits.ts";

export type SourceFiles = ReadonlyMap<string, string>;

/** Files that the executor generates begin with this prefix. */
export const ownPrefix = "setpoint_";

export function specFiles(spec: JsonObject): SourceFiles {
  const files = objectAt(spec, "source", "files");
  return new Map(Object.keys(files).map((path) => [path, textAt(files, path)]));
}

/** Keys of a ConfigMap have no slash: `modules__web__main.tf` is `modules/web/main.tf`. */
export function configMapFiles(configMap: JsonObject): SourceFiles {
  const data = objectAt(configMap, "data");
  return new Map(Object.keys(data).map((key) => [key.replaceAll("__", "/"), textAt(data, key)]));
}

/** What is wrong with the path of a file; undefined when it is valid. */
export function pathProblem(path: string): string | undefined {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    return "must be a relative path without empty parts, . and ..";
  }
  if (!/^[\w.@+/-]+$/.test(path) || path.length > 1_000) {
    return "must have only letters, digits and the characters . _ @ + - /";
  }
  const file = parts.at(-1) ?? "";
  if (file.startsWith(ownPrefix)) return `must not begin with ${ownPrefix}`;
  const isOfTerraform = parts[0] === ".terraform" || file.endsWith(".tfstate");
  if (isOfTerraform) return "is a file of Terraform itself";
  return undefined;
}

/** What is wrong with the files together; undefined when they are valid. */
export function filesProblem(files: SourceFiles): string | undefined {
  for (const path of files.keys()) {
    const problem = pathProblem(path);
    if (problem !== undefined) return `the file ${path} ${problem}`;
  }
  const isRoot = (path: string): boolean => /^[^/]+\.(?:tf|tofu)(?:\.json)?$/.test(path);
  if (![...files.keys()].some(isRoot)) return "there is no file *.tf in the root folder";
  let bytes = 0;
  for (const text of files.values()) bytes += Buffer.byteLength(text);
  if (bytes <= executorLimits.maxSourceBytes) return undefined;
  return `the files have ${bytes} bytes; at most ${executorLimits.maxSourceBytes} are allowed`;
}
