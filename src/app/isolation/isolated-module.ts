/**
 * A user module in a thread of its own. The main thread has a copy of the module in which every
 * function is a call into the thread. A thread that ends is started again after a pause, and its
 * open calls fail: see blame.ts for which of them is held responsible.
 */
import type { Meter } from "../../engine/ports.ts";
import { metric } from "../../engine/reporting/metric-names.ts";
import { RunContext } from "../../engine/run/context.ts";
import { runAround } from "../../engine/run/current-run.ts";
import { currentActivity, factsOf } from "../../kernel/activity.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { keyText } from "../../kernel/resource.ts";
import type { Logger } from "../../telemetry/log.ts";
import { unusableModule } from "../broken-module.ts";
import { blameFor } from "./blame.ts";
import { isolationLimits } from "./limits.ts";
import type { Outgoing } from "./link.ts";
import { unpack } from "./packed.ts";
import type { Callable, Packed } from "./packed.ts";
import { restarting, stoppedCall } from "./stopped-call.ts";
import { ModuleThread } from "./thread-life.ts";
import type { ThreadEnd } from "./thread-life.ts";

export interface IsolationInput {
  readonly log: Logger;
  readonly blockedMs: number;
  /** The `traceparent` of the code that executes. */
  readonly trace: () => string | undefined;
}

interface OpenCall {
  /** The resource of a run, or the path of a hook. */
  readonly key: string;
  readonly what: string;
  readonly isRun: boolean;
}

export class IsolatedModule implements AsyncDisposable {
  readonly file: string;
  readonly #input: IsolationInput;
  readonly #calls = new Map<number, OpenCall>();
  #files: readonly string[];
  #thread: ModuleThread | undefined;
  /** Resolves when the last open call of a version that was replaced has ended. */
  #idle: PromiseWithResolvers<void> | undefined;
  /** Resolves when a thread can be called; replaced when it ends. */
  #ready = Promise.withResolvers<ModuleThread>();
  #meter: Meter | undefined;
  #name: string;
  /**
   * Keys of calls that were open when a thread ended, and that may have ended it. Runs of these
   * keys execute one after the other. A key is removed when a call of it returns a value.
   */
  #suspects = new Set<string>();
  /** Resolves when the last queued run of a suspect has ended. The next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();
  #pauseMs: number = isolationLimits.firstRestartMs;
  #restartAtMs = 0;
  #startedMs = 0;
  /** Threads that were terminated and have not ended yet. A system call can delay the end. */
  #stuck = 0;
  #restart: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: string, input: IsolationInput) {
    this.file = file;
    this.#name = file;
    this.#files = [file];
    this.#input = input;
  }

  /** The file and the local files that it imports. */
  get files(): readonly string[] {
    return this.#files;
  }

  /** Undefined while it runs. */
  get problem(): string | undefined {
    return this.#thread === undefined ? `${this.#name} is being restarted` : undefined;
  }

  countIn(meter: Meter): void {
    this.#meter = meter;
    meter.gauge(metric.moduleUp, this.#thread === undefined ? 0 : 1, { module: this.#name });
  }

  /** The module as its author exported it, with calls in place of its functions. */
  async load(): Promise<unknown> {
    const failed = Promise.withResolvers<never>();
    const thread = this.#newThread((end) => failed.reject(notLoaded(this.file, end, this.#input)));
    const described = await Promise.race([thread.link.call("describe", []), failed.promise]);
    this.#files = (await thread.link.call("files", [])) as readonly string[];
    this.#runs(thread);
    const value = unpack(described as Packed, {
      function: (id) => this.#function(String(id)),
      signal: () => new AbortController().signal,
      error: ({ message }) => new Error(message),
      context: () => ({}),
    });
    const { name } = Object(value) as { readonly name?: unknown };
    if (typeof name === "string") this.#name = name;
    return value;
  }

  /** Ends the thread after its open calls, which a newer version of the module does not repeat. */
  async retire(): Promise<void> {
    if (this.#calls.size > 0) {
      this.#idle = Promise.withResolvers();
      const timer = setTimeout(this.#idle.resolve, isolationLimits.retireMs);
      await this.#idle.promise;
      clearTimeout(timer);
    }
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#restart);
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new SetpointError("module.unavailable", "the server is stopping"));
    await this.#thread?.terminate();
  }

  #function(path: string): Callable {
    // In a `validate` hook `next` returns its result at once, but the thread would have to wait for
    // the main thread. So `next` is called here first, and the thread receives the result.
    if (path.endsWith(".validate")) {
      return async (change, next) =>
        await this.#hook(path, [change, await (next as Callable)(change)]);
    }
    return (...given) =>
      given[1] instanceof RunContext ? this.#run(path, given) : this.#hook(path, given);
  }

  async #run(path: string, given: readonly unknown[]): Promise<unknown> {
    const run = runAround();
    const key = run === undefined ? path : keyText(run.key);
    const what = path.split(".").at(-1) ?? path;
    if (this.#thread === undefined) throw restarting(this.#name, this.#afterMs());
    if (!this.#suspects.has(key)) return await this.#call(path, given, { key, what, isRun: true });
    const alone = this.#turn.then(() => {
      if (this.#thread === undefined) throw restarting(this.#name, this.#afterMs());
      return this.#call(path, given, { key, what, isRun: true });
    });
    this.#turn = alone.catch(() => undefined);
    return await alone;
  }

  /** Waits for a module that restarts: a request cannot be repeated by the server. */
  async #hook(path: string, given: readonly unknown[]): Promise<unknown> {
    const late = Promise.withResolvers<never>();
    const message = `${path} of the module ${this.#name} took longer than the limit`;
    const timer = setTimeout(() => {
      late.reject(new SetpointError("module.unavailable", message));
    }, isolationLimits.callMs);
    try {
      const open = { key: `hook ${path}`, what: path, isRun: false };
      const called = this.#ready.promise.then(() => this.#call(path, given, open));
      called.catch(() => undefined);
      return await Promise.race([called, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #call(path: string, given: readonly unknown[], open: OpenCall): Promise<unknown> {
    const thread = this.#thread;
    if (thread === undefined) throw restarting(this.#name, this.#afterMs());
    let id = 0;
    const begun = (call: Outgoing): void => {
      id = call.id;
      this.#calls.set(id, open);
    };
    try {
      const value = await thread.link.call(path, given, undefined, begun);
      this.#suspects.delete(open.key);
      return value;
    } finally {
      if (this.#thread === thread) this.#calls.delete(id);
      if (this.#calls.size === 0) this.#idle?.resolve();
    }
  }

  #newThread(ended: (end: ThreadEnd) => void): ModuleThread {
    const { blockedMs, trace } = this.#input;
    const thread = new ModuleThread({
      file: this.file,
      blockedMs,
      heapMib: isolationLimits.heapMib,
      trace,
      stray: (what, error) => this.#stray(what, error),
      ended: (end) => {
        ended(end);
        this.#ended(thread, end);
      },
    });
    return thread;
  }

  #runs(thread: ModuleThread): void {
    this.#thread = thread;
    this.#startedMs = performance.now();
    thread.loaded();
    this.#meter?.gauge(metric.moduleUp, 1, { module: this.#name });
    this.#ready.resolve(thread);
  }

  /**
   * Reports an error that no code in the thread handled. If it belongs to a run, the process guard
   * reports it, as it does for modules on the main thread. Otherwise it is logged here.
   */
  #stray(what: string, error: unknown): void {
    const event = what === "rejection" ? "unhandledRejection" : "uncaughtException";
    if (runAround() !== undefined) process.emit(event as "uncaughtException", error as Error);
    else this.#input.log.error({ module: this.#name, error }, "module threw an error");
  }

  #ended(thread: ModuleThread, end: ThreadEnd): void {
    const wasRunning = this.#thread === thread;
    if (wasRunning) {
      this.#thread = undefined;
      this.#ready = Promise.withResolvers();
      this.#ready.promise.catch(() => undefined);
    }
    void this.#terminate(thread);
    if (this.#isClosed) return this.#failCalls(thread, end);
    if (performance.now() - this.#startedMs > isolationLimits.settledMs) {
      this.#pauseMs = isolationLimits.firstRestartMs;
    }
    if (wasRunning) {
      this.#restartAtMs = performance.now() + this.#pauseMs;
      this.#report(thread, end);
      this.#restart = setTimeout(() => void this.#startAgain(), this.#pauseMs);
      this.#pauseMs = Math.min(this.#pauseMs * 2, isolationLimits.longestRestartMs);
    }
    this.#failCalls(thread, end);
  }

  async #terminate(thread: ModuleThread): Promise<void> {
    this.#stuck += 1;
    await thread.terminate();
    this.#stuck -= 1;
  }

  /**
   * Fails all open calls. `guilty` is the id of the call that the thread itself named, if any;
   * `blame.guilty` has the keys of the calls that are held responsible, named or not.
   */
  #failCalls(thread: ModuleThread, { cause, guilty }: ThreadEnd): void {
    const named = guilty === undefined ? undefined : this.#calls.get(guilty)?.key;
    const keys = [...this.#calls.values()].map(({ key }) => key);
    const blame = blameFor(keys, this.#suspects, named);
    this.#suspects = new Set([...blame.suspects, ...blame.guilty]);
    const shared = { module: this.#name, cause, blockedMs: this.#input.blockedMs };
    thread.link.end(({ id }) => {
      const call = this.#calls.get(id);
      const { key = "", what = "loading", isRun = false } = call ?? {};
      const isGuilty = blame.guilty.has(key);
      return stoppedCall({ ...shared, what, isRun, isGuilty, afterMs: this.#afterMs() });
    });
    this.#calls.clear();
  }

  #report({ link }: ModuleThread, { cause, guilty, stack, error }: ThreadEnd): void {
    const module = this.#name;
    this.#meter?.count(metric.moduleStops, { module, cause });
    this.#meter?.gauge(metric.moduleUp, 0, { module });
    const outgoing = link.outgoing(guilty);
    const facts = outgoing?.snapshot(() => factsOf(currentActivity())) ?? {};
    const open = [...this.#calls.values()].map(({ key }) => key);
    const named = guilty === undefined ? { open } : facts;
    const fields = { module, file: this.file, cause, ...named, stack, error };
    this.#input.log.error({ ...fields, restartMs: this.#pauseMs }, "module stopped");
  }

  async #startAgain(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#stuck >= isolationLimits.mostStuckThreads) return this.#tryLater();
    const stopped = Promise.withResolvers<never>();
    const thread = this.#newThread((end) => {
      stopped.reject(notLoaded(this.file, end, this.#input));
    });
    try {
      await Promise.race([thread.link.call("describe", []), stopped.promise]);
    } catch (error) {
      this.#input.log.error({ module: this.#name, error }, "module not started");
      void thread.terminate();
      return this.#tryLater();
    }
    this.#runs(thread);
    this.#input.log.info({ module: this.#name }, "module started again");
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    this.#restartAtMs = performance.now() + this.#pauseMs;
    this.#restart = setTimeout(() => void this.#startAgain(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, isolationLimits.longestRestartMs);
  }

  #afterMs(): number {
    const leftMs = Math.max(0, this.#restartAtMs - performance.now());
    return Math.ceil(leftMs) + isolationLimits.firstRestartMs;
  }
}

function notLoaded(file: string, { cause, stack, error }: ThreadEnd, input: IsolationInput): Error {
  const at = stack?.[0] === undefined ? "" : ` in ${stack[0]}`;
  const seconds = Math.round((input.blockedMs * isolationLimits.loadFactor) / 1_000);
  const problems = {
    blocked: `was not loaded: it did not return for ${seconds} s${at}`,
    memory: "was not loaded: it used more memory than a module may use",
    exit: "was not loaded: it called process.exit",
    error: "was not loaded",
    ended: "was not loaded: the server is stopping",
  };
  return unusableModule(file, problems[cause], error);
}
