/** Git sources in a process: credentials, caches, polling and webhooks. */
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import type { SourceProblem, SourceTrees } from "./source-trees.ts";

export interface SourceInput extends PartInput {
  readonly policies: PolicyReader;
}

export interface SourcePart extends GitOpsPart {
  readonly trees: SourceTrees;
}

export function openSource(_input: SourceInput): SourcePart {
  const problem: SourceProblem = {
    kind: "problem",
    reason: "GitMissing",
    message: "git sources are not read yet",
    isFinal: true,
  };
  const trees: SourceTrees = {
    sourceOf: async () => problem,
    resolve: async () => problem,
    open: async () => problem,
  };
  return { trees };
}
