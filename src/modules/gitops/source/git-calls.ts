// Calls to git hosts by a run: under the circuit breaker of the host, and counted. A failure is a
// problem that the caller stores; it does not end the run. A call that is refused, because the host
// failed often or too many calls run, throws `CallRefused`.

import type { Git, GitProblem } from "../../../adapters/git/port.ts";
import type { ProcessPorts } from "../../../contract/ports.ts";
import type { SystemPolicy } from "../../../engine/external/external.ts";
import type { CallRefused } from "../../../engine/external/call-refused.ts";
import { ReconcileFailure, done, failed } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
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

/**
 * A run does not wait long for its call: a host that hangs would hold the places of runs, which
 * belong to all tenants.
 */
export const gitPolicy: Partial<SystemPolicy> = {
  calls: gitopsLimits.maxGitPrograms,
  waitMs: 1_000,
  timeoutMs: gitopsLimits.gitTimeoutMs * 2,
};

type Reasons = ReadonlySet<GitProblem["reason"]>;

/** For which the host is to blame. A fetch can take too long because of one large repository. */
const hostReasons: Readonly<Record<"resolve" | "fetch", Reasons>> = {
  resolve: new Set(["HostUnreachable", "TimedOut", "Busy"]),
  fetch: new Set(["HostUnreachable"]),
};
/** They can pass without a change by the user. */
const passing: Reasons = new Set([
  "HostUnreachable",
  "TimedOut",
  "Busy",
  "Failed",
  "GitMissing",
  "CommitNotFound",
]);

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
      if (isProblem(result) && hostReasons[name].has(result.reason)) throw new HostFailed(result);
      return result;
    });
    return isProblem(answer) ? sourceProblem(answer) : answer;
  } catch (error) {
    if (error instanceof HostFailed) return sourceProblem(error.problem);
    throw error;
  } finally {
    const seconds = (context.clock.nowMs() - startMs) / 1_000;
    meter.observe(fetchSecondsMetric, seconds, { call: name });
  }
}

/** What is known about the repository stays known. */
export function untouched({ afterMs }: CallRefused): Outcome {
  return done({ ready: "keep", resyncMs: afterMs });
}

export function sourceProblem({ reason, message }: GitProblem): SourceProblem {
  return { kind: "problem", reason, message, isFinal: !passing.has(reason) };
}

export function isProblem(value: { readonly kind: string }): value is GitProblem {
  return value.kind === "problem";
}
