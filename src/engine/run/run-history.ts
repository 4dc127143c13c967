// What ran lately in this process, for people who look after the fact. A ring: the newest runs
// replace the oldest, and of each only so much is kept as a person reads.

import type { ResourceKey } from "../../kernel/resource.ts";
import type { Outcome } from "../outcome.ts";
import type { RunPlan } from "./plan.ts";
import type { Run } from "./run.ts";
import { attemptsOf, statusOf } from "./status.ts";

/** How a run ended: by its outcome, or without one. */
export type Ending = Outcome | "lost" | "handedBack" | "abandoned";

export interface EndedRun {
  readonly key: ResourceKey;
  readonly what: RunPlan["what"];
  readonly outcome: Outcome["kind"] | Exclude<Ending, Outcome>;
  /** What it said about it, where it did. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  /** 1 for the first try since the last success or change of the spec. */
  readonly attempt: number;
  readonly startedMs: number;
  readonly tookMs: number;
}

const mostKept = 1_000;
const longestText = 500;

export class RunHistory {
  readonly #most: number;
  readonly #runs: EndedRun[] = [];
  #next = 0;

  constructor(most: number = mostKept) {
    this.#most = most;
  }

  /**
   * The uneventful runs of the server's own kinds are left out: each new namespace has one, and
   * they would replace the runs that people look for.
   */
  record(run: Run, ending: Ending, nowMs: number): void {
    const isUneventful = typeof ending === "object" && ending.kind === "done";
    if (run.reconciler.ownsStatus === true && isUneventful) return;
    this.add(endedRun(run, ending, nowMs));
  }

  add(run: EndedRun): void {
    this.#runs[this.#next] = run;
    this.#next = (this.#next + 1) % this.#most;
  }

  /** The newest first. */
  recent(): readonly EndedRun[] {
    const { length } = this.#runs;
    const newest = this.#next + length;
    return Array.from({ length }, (_, back) => this.#runs[(newest - 1 - back) % length]).filter(
      (run) => run !== undefined,
    );
  }
}

function endedRun(run: Run, ending: Ending, nowMs: number): EndedRun {
  const resource = run.loaded();
  const said = typeof ending === "string" ? undefined : ending;
  return {
    key: run.key,
    what: run.plan?.what ?? "reconcile",
    outcome: typeof ending === "string" ? ending : ending.kind,
    reason: said && "reason" in said ? cut(said.reason) : undefined,
    message: said && "message" in said ? cut(said.message) : undefined,
    attempt:
      run.reconciler.ownsStatus === true
        ? run.claim.attempts
        : attemptsOf(statusOf(resource), resource.metadata.generation) + 1,
    startedMs: run.startedMs,
    tookMs: Math.max(0, nowMs - run.startedMs),
  };
}

function cut(text: string): string {
  return text.slice(0, longestText);
}
