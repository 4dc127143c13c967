// Tasks that one process at a time does for all processes of a store: the leader, which holds the
// claim on the cursor (cursor.ts). A task is for work that follows many resources at once, so that
// no single resource could be claimed for it, such as garbage collection. Work about one resource
// is a reconciler.
//
// A task starts when this process becomes the leader, and must end when its signal aborts. Its
// writes name the claim, so the store refuses the late writes of a former leader. A task that fails
// is started again, with back-off.

import type { ClaimRef } from "../../store/port.ts";
import type { EnginePorts } from "../ports.ts";

export interface LeaderTask {
  /** For the log. */
  readonly name: string;
  /** Resolves soon after the signal aborts. Starts from stored state: nothing was handed over. */
  lead(claim: ClaimRef, signal: AbortSignal): Promise<void>;
}

const firstRetryMs = 500;
const longestRetryMs = 30_000;

interface Leadership {
  readonly claim: ClaimRef;
  readonly signal: AbortSignal;
}

export class LeaderTasks {
  readonly #ports: Pick<EnginePorts, "timers" | "log">;
  readonly #tasks = new Map<LeaderTask, AbortController>();
  readonly #running = new Set<Promise<void>>();
  #leadership: Leadership | undefined;

  constructor(ports: Pick<EnginePorts, "timers" | "log">) {
    this.#ports = ports;
  }

  /** Returns a function that ends the task in this process. */
  add(task: LeaderTask): () => void {
    const controller = new AbortController();
    this.#tasks.set(task, controller);
    if (this.#leadership !== undefined) this.#start(task, controller.signal, this.#leadership);
    return () => {
      controller.abort();
      this.#tasks.delete(task);
    };
  }

  /** Runs all tasks until the signal aborts, and resolves when they have ended. */
  async lead(claim: ClaimRef, signal: AbortSignal): Promise<void> {
    const leadership = { claim: { key: claim.key, token: claim.token }, signal };
    this.#leadership = leadership;
    for (const [task, { signal: ended }] of this.#tasks) this.#start(task, ended, leadership);
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await promise;
    this.#leadership = undefined;
    await Promise.all(this.#running);
  }

  #start(task: LeaderTask, ended: AbortSignal, { claim, signal }: Leadership): void {
    const running = this.#run(task, claim, AbortSignal.any([signal, ended])).finally(() => {
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  async #run(task: LeaderTask, claim: ClaimRef, signal: AbortSignal): Promise<void> {
    for (
      let delayMs = firstRetryMs;
      !signal.aborted;
      delayMs = Math.min(longestRetryMs, delayMs * 2)
    ) {
      try {
        await task.lead(claim, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#ports.log.warn(
          { error, task: task.name },
          "leader task failed and will be restarted",
        );
      }
      await this.#ports.timers.sleep(delayMs, signal).catch(() => undefined);
    }
  }
}
