// Which refs to ask a host for, and which of its answers is meant. Pure.

import { gitProblem } from "./git-messages.ts";
import { isCommitId, isRefName } from "./git-url.ts";
import type { GitBranch, GitBranches, GitProblem, ResolvedRef } from "./port.ts";

/** The patterns for `git ls-remote`. */
export function refPatterns(ref: string): readonly string[] {
  return candidates(ref).flatMap((name) => (name === "HEAD" ? [name] : [name, `${name}^{}`]));
}

/** A branch wins over a tag of the same name. */
function candidates(ref: string): readonly string[] {
  if (ref === "" || ref === "HEAD") return ["HEAD"];
  return ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
}

/** The lines "ID<tab>REF", and "ref: TARGET<tab>HEAD" for the branch that HEAD is. */
export function chosenRef(output: string, ref: string): ResolvedRef | GitProblem {
  const ids = new Map<string, string>();
  let head: string | undefined;
  for (const line of output.split("\n")) {
    const [value = "", name = ""] = line.split("\t");
    // A pattern also matches the end of longer names.
    if (value.startsWith("ref: ") && name === "HEAD") head = value.slice(5);
    else if (/^[0-9a-f]{40,64}$/.test(value)) ids.set(name, value);
  }
  for (const name of candidates(ref)) {
    const commit = ids.get(`${name}^{}`) ?? ids.get(name);
    if (commit === undefined) continue;
    return { kind: "resolved", commit, ref: name === "HEAD" ? (head ?? name) : name };
  }
  return gitProblem(
    "RefNotFound",
    ref === "" || ref === "HEAD"
      ? "the repository has no commit in its default branch"
      : `the repository has no branch or tag ${JSON.stringify(ref.slice(0, 200))}`,
  );
}

/** The lines of `git ls-remote --heads`. A name that git does not allow is left out. */
export function branchesIn(output: string, most: number): GitBranches | GitProblem {
  const branches = output.split("\n").flatMap((line): readonly GitBranch[] => {
    const [commit = "", ref = ""] = line.split("\t");
    const name = ref.replace(/^refs\/heads\//, "");
    return isCommitId(commit) && name !== ref && isRefName(name) ? [{ name, commit }] : [];
  });
  if (branches.length > most) {
    const message = `the repository has ${branches.length} branches; ${most} are allowed`;
    return gitProblem("TooLarge", message);
  }
  const sorted = branches.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { kind: "branches", branches: sorted };
}
