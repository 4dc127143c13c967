// Calls to git hosts by a run: under the circuit breaker of the host, and counted. A failure is a
// problem that the caller stores; it does not end the run.

import type { Git, GitProblem } from "../../../adapters/git/port.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import { CallRefused } from "../../../engine/external/call-refused.ts";
import type { SystemPolicy } from "../../../engine/external/external.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import type { Context } from "../../../engine/reconciler.ts";
import { gitopsLimits } from "../limits.ts";
import { fetchSecondsMetric } from "../metrics.ts";
import { gitSystem } from "../names.ts";
import { hostOf } from "./repository-name.ts";
import type { SourceProblem } from "./source-trees.ts";

export interface GitPorts {
  readonly git: () => Promise<Git>;
  readonly ports: Pick<ProcessPorts, "meter">;
}

/** A call waits here for its turn, not in the queue of the breaker. */
export const gitPolicy: Partial<SystemPolicy> = {
  calls: gitopsLimits.maxGitPrograms,
  queue: 1_000,
  waitMs: gitopsLimits.gitTimeoutMs,
  timeoutMs: gitopsLimits.gitTimeoutMs * 2,
};

/** Problems that the host causes, and that can pass without a change by the user. */
const hostReasons = new Set<GitProblem["reason"]>(["HostUnreachable", "TimedOut", "Busy"]);
const passing = new Set<GitProblem["reason"]>([...hostReasons, "Failed", "GitMissing"]);

class HostFailed extends ReconcileFailure {
  readonly problem: GitProblem;

  constructor(problem: GitProblem) {
    super(failed(problem.reason, problem.message));
    this.problem = problem;
  }
}

export async function callGit<T extends { readonly kind: string }>(
  { git, ports: { meter } }: GitPorts,
  name: "resolve" | "fetch",
  url: string,
  context: Context,
  call: (git: Git, signal: AbortSignal) => Promise<T | GitProblem>,
): Promise<T | SourceProblem> {
  const startMs = context.clock.nowMs();
  const system = gitSystem(hostOf(url));
  try {
    const answer = await context.outside(system, async (signal) => {
      const result = await call(await git(), signal);
      if (isProblem(result) && hostReasons.has(result.reason)) throw new HostFailed(result);
      return result;
    });
    return isProblem(answer) ? sourceProblem(answer) : answer;
  } catch (error) {
    if (error instanceof HostFailed) return sourceProblem(error.problem);
    if (!(error instanceof CallRefused)) throw error;
    const message = "the git host failed several times and is not called now";
    return { kind: "problem", reason: "HostUnreachable", message, isFinal: false };
  } finally {
    const seconds = (context.clock.nowMs() - startMs) / 1_000;
    meter.observe(fetchSecondsMetric, seconds, { call: name });
  }
}

export function sourceProblem({ reason, message }: GitProblem): SourceProblem {
  return { kind: "problem", reason, message, isFinal: !passing.has(reason) };
}

export function isProblem(value: { readonly kind: string }): value is GitProblem {
  return value.kind === "problem";
}
