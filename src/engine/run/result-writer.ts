// What follows a run: its status and its claim go back to the store in one write. It takes no slot,
// and many go on at once. As long as the lease is live it is tried again until the store has an
// answer; each answer is final: written, or no longer ours, or gone. When nothing in the document
// changes, only the claim is given back, which uses no revision.

import { isSetpointError } from "../../kernel/errors.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { DueChange, Schedule, Write } from "../../store/port.ts";
import { withStatus, withoutFinalizers } from "./document-edits.ts";
import { eventsBetween } from "../reporting/events.ts";
import type { Heartbeat } from "../work/heartbeat.ts";
import { refusalIn } from "./refusal.ts";
import type { Report } from "./reports.ts";
import type { Run, RunSurroundings } from "./run.ts";

interface Prepared {
  readonly writes: readonly Write[];
  /** What the resource is and becomes; undefined when it stays as it is. */
  readonly before?: Resource;
  readonly next?: Resource;
}

const firstRetryMs = 50;
const lastRetryMs = 2_000;
const mostHandedBack = 256;
/** When a report cannot be stored for what it says, its resource is looked at again after this. */
const unreportableMs = 300_000;

export class ResultWriter {
  readonly #around: RunSurroundings;
  readonly #heartbeat: Heartbeat;
  /** Told when a run has ended in every sense. */
  readonly #over: (run: Run) => void;
  readonly #handedBack: Run[] = [];
  #outstanding = 0;
  #isStopped = false;

  constructor(around: RunSurroundings, heartbeat: Heartbeat, over: (run: Run) => void) {
    this.#around = around;
    this.#heartbeat = heartbeat;
    this.#over = over;
  }

  get outstanding(): number {
    return this.#outstanding;
  }

  /** Counts something else that belongs to the end of a run; returns what ends that. */
  begin(): () => void {
    this.#outstanding += 1;
    return () => {
      this.#outstanding -= 1;
    };
  }

  /** What has no answer by now is left to whoever claims it next. */
  stop(): void {
    this.#isStopped = true;
  }

  /** `instead` is reported when the store or the kind refuses what `report` says. */
  async settle(run: Run, report: Report, instead?: (error: unknown) => Report): Promise<void> {
    this.#outstanding += 1;
    run.phase = "settling";
    try {
      await this.#settle(run, report, instead);
    } catch (error) {
      this.#around.ports.log.error({ error, key: run.key }, "result of a run not stored");
    } finally {
      this.#outstanding -= 1;
      this.#end(run);
    }
  }

  /** Others may have it at once. Soon, so that many go together. */
  handBack(run: Run): void {
    run.phase = "settling";
    this.#outstanding += 1;
    if (this.#handedBack.push(run) === 1) queueMicrotask(() => void this.#flush());
  }

  async #settle(run: Run, report: Report, instead?: (error: unknown) => Report): Promise<void> {
    let delayMs = firstRetryMs;
    while (!run.isLost && !this.#isStopped) {
      try {
        if (!run.isLoaded && !(await run.reread())) return;
        const prepared = this.#prepare(run, report);
        // Nearly always at once: a wait for nothing would be one more for every run.
        const { writes, before, next } = prepared instanceof Promise ? await prepared : prepared;
        if (next === undefined) run.unload();
        const answers = await this.#around.ports.store.commit(writes, optionsFor(writes));
        const verdict = refusalIn(answers);
        if (verdict === undefined) return this.#tell(run, before, next);
        if (isSetpointError(verdict, "claim.lost")) return run.lost();
        if (isSetpointError(verdict, "resource.not_found")) return;
        if (!isSetpointError(verdict, "resource.conflict")) throw verdict;
        if (!(await run.reread())) return;
      } catch (error) {
        if (!isPassing(error)) {
          this.#around.ports.log.warn({ error, key: run.key }, "status refused");
          // What is said instead may be refused as well; then only the claim goes back.
          if (instead === undefined) return await this.#giveUp(run);
          return await this.#settle(run, instead(error));
        }
        await this.#around.ports.timers.sleep(delayMs);
        delayMs = Math.min(lastRetryMs, delayMs * 2);
      }
    }
  }

  async #giveUp(run: Run): Promise<void> {
    await this.#around.ports.store.commit([releaseOf(run, released(unreportableMs))]);
  }

  #prepare(run: Run, report: Report): Prepared | Promise<Prepared> {
    const resource = run.current();
    const settled = report(resource);
    const { status, isChanged, releaseAfterMs, letsGo = false, keepsAttempts } = settled;
    const due = released(releaseAfterMs, keepsAttempts);
    const kept = isChanged ? withStatus(resource, status) : resource;
    if (letsGo) return this.#prepareLetGo(run, withoutFinalizers(kept), due);
    if (!isChanged) return { writes: [releaseOf(run, due)] };
    const put = run.put(kept, due);
    if (!(put instanceof Promise)) return { writes: [put], before: resource, next: kept };
    return put.then((write) => ({ writes: [write], before: resource, next: kept }));
  }

  async #prepareLetGo(run: Run, next: Resource, due: DueChange): Promise<Prepared> {
    const before = run.current();
    const put = await run.put(next, due);
    if ((next.metadata.finalizers ?? []).length > 0) return { writes: [put], before, next };
    const { key, when, cause, claim, draft } = put;
    const gone: Write = { kind: "delete", key, when, cause, last: draft, ...(claim && { claim }) };
    const farewell = (await this.#around.parts.farewell?.(run)) ?? [];
    return { writes: [gone, ...fenced(farewell, run)], before, next };
  }

  /** Only what has been written is told. */
  #tell(run: Run, before: Resource | undefined, next: Resource | undefined): void {
    if (before === undefined || next === undefined) return;
    try {
      for (const { type, reason, message } of eventsBetween(before, next)) {
        this.#around.parts.event(run, type, reason, message);
      }
    } catch (error) {
      // The report is written: whatever this is, it must not be taken for a refusal.
      this.#around.ports.log.error({ error, key: run.key }, "events not recorded");
    }
  }

  async #flush(): Promise<void> {
    const runs = this.#handedBack.splice(0);
    for (let at = 0; at < runs.length; at += mostHandedBack) {
      const some = runs.slice(at, at + mostHandedBack);
      try {
        await this.#around.ports.store.commit(some.map((run) => releaseOf(run, handedBack(run))));
      } catch (error) {
        // Their leases end by themselves.
        this.#around.ports.log.warn({ error, claims: some.length }, "claims not released");
      }
      for (const run of some) {
        this.#outstanding -= 1;
        this.#end(run);
      }
    }
  }

  #end(run: Run): void {
    run.phase = "over";
    this.#heartbeat.drop(run);
    this.#over(run);
  }
}

function releaseOf(run: Run, due: DueChange): Schedule {
  const { key, uid, fence } = run;
  return { kind: "schedule", key, when: { kind: "exists", uid }, claim: fence, due };
}

function fenced(writes: readonly Write[], { fence: claim }: Run): readonly Write[] {
  return writes.map((write) => Object.assign({ ...write }, { claim }));
}

function released(afterMs: number | undefined, keepsAttempts = false): DueChange {
  const attempts = keepsAttempts ? "keep" : "reset";
  return { kind: "release", attempts, ...(afterMs === undefined ? {} : { afterMs }) };
}

/** A claim that never began says nothing about those before it that ended without a word. */
function handedBack({ claim, hasBegun }: Run): DueChange {
  const isSilent = claim.attempts > 1 && !hasBegun;
  return isSilent ? { kind: "release", attempts: "keep", afterMs: 0 } : released(0);
}

function optionsFor(writes: readonly Write[]): { readonly atomic?: boolean } {
  return writes.length > 1 ? { atomic: true } : {};
}

/** Whether the same may be accepted later, or already was. */
function isPassing(error: unknown): boolean {
  if (!isSetpointError(error)) return false;
  return error.retry === "backoff" || error.retry === "after_check";
}
