/** Targets in a process: this server, managed environments and clusters that pull. */
import type { GitOpsPart, PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import type { TargetProblem, Targets } from "./target.ts";

export interface TargetsInput extends PartInput {
  readonly policies: PolicyReader;
}

export interface TargetsPart extends GitOpsPart {
  readonly targets: Targets;
}

export function openTargets(_input: TargetsInput): TargetsPart {
  const problem: TargetProblem = {
    kind: "problem",
    reason: "EnvironmentNotReady",
    message: "targets are not opened yet",
    isFinal: true,
  };
  return { targets: { open: async () => problem, openEarlier: async () => problem } };
}
