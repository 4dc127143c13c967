// Several documents of one service as one, such as the files of a folder of which each describes a
// few resources. Each keeps its own schemas, version and defaults; a path that two of them have is
// taken from the first.

import { SetpointError } from "../../../kernel/errors.ts";
import type { Json } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Documents } from "./load.ts";
import { rootOf } from "./place.ts";
import { collectProblems } from "./problem.ts";

export function joinDocuments(
  [first, ...others]: readonly Documents[],
  basePathOf: (documents: Documents) => string,
): Documents {
  if (first === undefined) throw new SetpointError("config.invalid", "no document was given");
  if (others.length === 0) return first;
  const problems = collectProblems();
  const files = new Map<string, Json>();
  const all = [first, ...others];
  const paths = new Set<string>();
  for (const documents of all) {
    if (basePathOf(documents) !== basePathOf(first)) {
      const message = `${documents.root} and ${first.root} have different base paths`;
      const suggestion = "import it separately, with its own --connection and --base-url";
      throw new SetpointError("config.invalid", message, { suggestion });
    }
    for (const [file, node] of documents.files) files.set(file, node);
    for (const problem of documents.problems.all()) problems.add(problem);
    for (const path of Object.keys(objectAt(rootOf(documents).node, "paths"))) {
      if (paths.has(path)) {
        const message = `another document also has the path ${path} and takes precedence`;
        problems.add({ severity: "warning", file: documents.root, pointer: "/paths", message });
      }
      paths.add(path);
    }
  }
  return {
    root: first.root,
    roots: all.map(({ root }) => root),
    files,
    problems,
  };
}
