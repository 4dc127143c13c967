// A pool of threads for heavy work. Threads start with the first job and end when idle. A thread
// that stops during a job fails that job alone and is replaced. A job that exceeds its time fails,
// and its thread is terminated, because nothing else ends a running function.

import { Worker } from "node:worker_threads";
import { SetpointError, deserialiseError } from "../../kernel/errors.ts";
import type { HeavyJob, HeavyResult, HeavyWork } from "../../kernel/heavy-work.ts";
import { limits } from "../../kernel/limits.ts";
import { overloaded } from "../../kernel/overloaded.ts";
import type { Timers } from "../../kernel/timers.ts";
import { JobQueue } from "./job-queue.ts";
import { ownBytes } from "./serve-jobs.ts";
import type { JobCall, JobReply } from "./serve-jobs.ts";

export interface PoolInput {
  /** The file that each thread runs; it calls `serveJobs`. */
  readonly entry: URL;
  readonly timers: Timers;
  readonly threads?: number;
  readonly maxJobs?: number;
  readonly maxTenantJobs?: number;
  readonly maxBytes?: number;
  readonly jobMs?: number;
  readonly waitMs?: number;
  readonly idleMs?: number;
  readonly maxThreadMib?: number;
  /** A thread stopped during a job, or was terminated. */
  readonly onLost?: (reason: LostThread) => void;
}

export interface LostThread {
  readonly job: string;
  readonly tenant: string;
  readonly error: unknown;
}

/** Counted since the start of the process. */
export interface PoolCounts {
  readonly done: number;
  readonly refused: number;
  readonly lostThreads: number;
  readonly waiting: number;
  readonly threads: number;
}

export interface ThreadPool extends HeavyWork, AsyncDisposable {
  counts(): PoolCounts;
}

export function openThreadPool(input: PoolInput): ThreadPool {
  return new Pool(input);
}

interface Waiting {
  readonly job: HeavyJob;
  readonly tenant: string;
  readonly bytes: Uint8Array;
  readonly isContinued: boolean;
  readonly settle: (result: HeavyResult) => void;
  readonly fail: (error: unknown) => void;
  stopWaiting: () => void;
}

interface Thread {
  readonly worker: Worker;
  running: Waiting | undefined;
  /** Cancels the limit of the running job, or that of the idle time. */
  cancel: () => void;
}

class Pool implements ThreadPool {
  readonly #input: PoolInput;
  readonly #maxThreads: number;
  readonly #queue: JobQueue<Waiting>;
  readonly #threads = new Set<Thread>();
  #done = 0;
  #refused = 0;
  #lostThreads = 0;
  #isClosed = false;

  constructor(input: PoolInput) {
    this.#input = input;
    this.#maxThreads = input.threads ?? limits.heavyThreads;
    this.#queue = new JobQueue({
      threads: this.#maxThreads,
      maxJobs: input.maxJobs ?? limits.maxHeavyJobs,
      maxTenantJobs: input.maxTenantJobs ?? limits.maxTenantHeavyJobs,
      maxBytes: input.maxBytes ?? limits.maxHeavyBytes,
    });
  }

  async run(job: HeavyJob): Promise<HeavyResult> {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<HeavyResult>();
    const { isContinued = false } = job;
    const stopWaiting = (): void => undefined;
    const waiting: Waiting = { ...job, job, isContinued, settle, fail, stopWaiting };
    if (this.#isClosed || !this.#queue.add(waiting)) {
      this.#refused += 1;
      throw overloaded();
    }
    const { waitMs = limits.maxRequestWaitMs, timers } = this.#input;
    if (!isContinued) {
      waiting.stopWaiting = timers.after(waitMs, () => {
        if (!this.#queue.remove(waiting)) return;
        this.#refused += 1;
        fail(overloaded());
      });
    }
    this.#startJobs();
    return await promise;
  }

  counts(): PoolCounts {
    return {
      done: this.#done,
      refused: this.#refused,
      lostThreads: this.#lostThreads,
      waiting: this.#queue.length,
      threads: this.#threads.size,
    };
  }

  /** Fails the jobs that wait or run: the requests that they belong to have been answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#queue.drain()) {
      waiting.stopWaiting();
      waiting.fail(overloaded());
    }
    const threads = [...this.#threads];
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  #startJobs(): void {
    for (;;) {
      const thread = this.#freeThread();
      if (thread === undefined) return;
      const next = this.#queue.next();
      if (next === undefined) {
        this.#rest(thread);
        return;
      }
      this.#start(thread, next);
    }
  }

  /** A thread is started only when a job waits. */
  #freeThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.running === undefined) return thread;
    const mayStart = this.#queue.length > 0 && this.#threads.size < this.#maxThreads;
    return mayStart && !this.#isClosed ? this.#startThread() : undefined;
  }

  #startThread(): Thread {
    const { entry, maxThreadMib = limits.maxHeavyThreadMib } = this.#input;
    const resourceLimits = { maxOldGenerationSizeMb: maxThreadMib, maxYoungGenerationSizeMb: 32 };
    const worker = new Worker(entry, { resourceLimits });
    const thread: Thread = { worker, running: undefined, cancel: () => undefined };
    this.#threads.add(thread);
    let cause: unknown;
    worker.on("message", (reply: JobReply) => this.#receive(thread, reply));
    worker.on("error", (error: unknown) => {
      cause = error;
    });
    worker.once("exit", () => this.#lose(thread, this.#isClosed ? overloaded() : stopped(cause)));
    return thread;
  }

  #start(thread: Thread, next: Waiting): void {
    const { job } = next;
    const { jobMs = limits.heavyJobMs, timers } = this.#input;
    next.stopWaiting();
    thread.cancel();
    thread.running = next;
    thread.cancel = timers.after(jobMs, () => {
      this.#lose(thread, tooLong());
      void thread.worker.terminate();
    });
    // A copy: the body of a request may be part of a block that is used elsewhere.
    const bytes = job.isOwned === true ? ownBytes(job.bytes) : new Uint8Array(job.bytes);
    const call: JobCall = { name: job.name, bytes, options: job.options ?? {} };
    thread.worker.postMessage(call, [bytes.buffer]);
  }

  #receive(thread: Thread, reply: JobReply): void {
    const { running } = thread;
    if (running === undefined) return;
    thread.cancel();
    thread.running = undefined;
    this.#queue.finished(running);
    this.#done += 1;
    if (reply.kind === "failed") running.fail(deserialiseError(reply.error));
    else {
      const { buffer, byteOffset, byteLength } = reply.bytes;
      running.settle({ bytes: Buffer.from(buffer, byteOffset, byteLength), facts: reply.facts });
    }
    this.#rest(thread);
    this.#startJobs();
  }

  #rest(thread: Thread): void {
    const { idleMs = limits.heavyThreadIdleMs, timers } = this.#input;
    thread.cancel();
    thread.cancel = timers.after(idleMs, () => {
      // Out of the set first: no job may start in a thread that ends.
      this.#threads.delete(thread);
      void thread.worker.terminate();
    });
  }

  #lose(thread: Thread, error: SetpointError): void {
    if (!this.#threads.delete(thread)) return;
    thread.cancel();
    const { running } = thread;
    thread.running = undefined;
    if (running !== undefined) {
      const { name: job, tenant } = running.job;
      this.#queue.finished(running);
      running.fail(error);
      if (this.#isClosed) return;
      this.#lostThreads += 1;
      this.#input.onLost?.({ job, tenant, error });
    }
    if (!this.#isClosed) this.#startJobs();
  }
}

function tooLong(): SetpointError {
  const message = "the request needs more time to process than it is given; send less at once";
  return new SetpointError("request.timeout", message);
}

/** A thread runs out of memory when a small text describes a very large document. */
function stopped(cause: unknown): SetpointError {
  const isMemory = (cause as { readonly code?: unknown } | undefined)?.code === memoryCode;
  return isMemory
    ? new SetpointError("request.too_large", "the request needs too much memory to process")
    : new SetpointError("internal", "a thread stopped during the request", { cause });
}

const memoryCode = "ERR_WORKER_OUT_OF_MEMORY";
