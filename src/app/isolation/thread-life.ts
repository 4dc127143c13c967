/**
 * One thread of a module, from its start to its end. It ends once, with a reason: its code blocked
 * it, it needed too much memory, called process.exit, or threw an error that belongs to no run.
 */
import { Worker } from "node:worker_threads";
import type { Context } from "../../engine/reconciler.ts";
import { RunContext } from "../../engine/run/context.ts";
import { moduleBeside } from "../../kernel/module-beside.ts";
import { BlockedTime } from "../watchdog/blocked-time.ts";
import { askContext } from "./ask-context.ts";
import { inspectModule } from "./inspect-module.ts";
import { isolationLimits } from "./limits.ts";
import { Link } from "./link.ts";
import type { Message, Outgoing } from "./link.ts";
import type { ModuleThreadData } from "./module-thread.ts";
import type { Callable } from "./packed.ts";

export type StopCause = "blocked" | "memory" | "exit" | "error" | "ended";

export interface ThreadEnd {
  readonly cause: StopCause;
  /** The id of the call that was executing. Undefined if the thread could not name it. */
  readonly guilty?: number | undefined;
  readonly stack?: readonly string[] | undefined;
  readonly error?: unknown;
}

export interface ThreadInput {
  readonly file: string;
  readonly blockedMs: number;
  readonly heapMib: number;
  readonly trace: () => string | undefined;
  /** An error that no code in the thread handled; called in the context of its run. */
  readonly stray: (what: string, error: unknown) => void;
  /** Called once; the thread does not execute anything for this server any more. */
  readonly ended: (end: ThreadEnd) => void;
}

export class ModuleThread {
  readonly link: Link;
  readonly #input: ThreadInput;
  readonly #worker: Worker;
  readonly #beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #time = new BlockedTime(isolationLimits.beatMs);
  readonly #watching: NodeJS.Timeout;
  readonly #exited = Promise.withResolvers<void>();
  #lastLookMs = performance.now();
  #isEnding = false;
  #isLoaded = false;
  #stray: unknown;

  constructor(input: ThreadInput) {
    this.#input = input;
    const { file, heapMib } = input;
    const workerData: ModuleThreadData = { file, beats: this.#beats.buffer };
    this.#worker = new Worker(moduleBeside(import.meta.url, "module-thread"), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
      name: file,
    });
    const worker = this.#worker;
    this.link = new Link(
      {
        // oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
        send: (message) => worker.postMessage(message),
        named: (target, within) => this.#named(target, within),
        contextHead: (value) => (value instanceof RunContext ? headOf(value) : undefined),
        trace: input.trace,
      },
      isolationLimits.endedRuns,
    );
    worker.on("message", (message: Message) => {
      if (!this.#isEnding) this.link.receive(message);
    });
    worker.on("error", (error) => this.#end({ cause: causeOf(error), error }));
    worker.on("exit", () => {
      this.#exited.resolve();
      this.#end({ cause: "exit", error: this.#stray });
    });
    this.#watching = setInterval(() => this.#look(), isolationLimits.beatMs);
    this.#watching.unref();
  }

  /** Resolves when the thread has ended, which it does not while it is in a system call. */
  async terminate(): Promise<void> {
    this.#end({ cause: "ended" });
    void this.#worker.terminate();
    await this.#exited.promise;
  }

  /** The module was imported. */
  loaded(): void {
    this.#isLoaded = true;
    this.#worker.unref();
  }

  #end(end: ThreadEnd): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    clearInterval(this.#watching);
    this.#input.ended(end);
  }

  #look(): void {
    const nowMs = performance.now();
    const beats = Atomics.load(this.#beats, 0);
    const blockedMs = this.#time.look(beats, nowMs - this.#lastLookMs);
    this.#lastLookMs = nowMs;
    const factor = this.#isLoaded ? 1 : isolationLimits.loadFactor;
    if (blockedMs < this.#input.blockedMs * factor) return;
    clearInterval(this.#watching);
    void this.#stopBlocked();
  }

  async #stopBlocked(): Promise<void> {
    const found = await inspectModule(this.#worker.threadId);
    const guilty = Number(found?.value);
    this.#end({ cause: "blocked", guilty: guilty > 0 ? guilty : undefined, stack: found?.stack });
  }

  #named(target: string, within: Outgoing | undefined): Callable | undefined {
    if (target === "context") return (call, method, given) => this.#ask(call, method, given);
    if (target !== "stray") return undefined;
    return (what, error) => {
      this.#stray = error;
      if (within !== undefined) this.#input.stray(String(what), error);
    };
  }

  /** The arguments come from a thread that executes the author's code. */
  #ask(call: unknown, method: unknown, given: unknown): unknown {
    const context = this.link.outgoing(call as number)?.context as Context | undefined;
    if (context === undefined) throw new Error("the run has ended");
    return askContext(context, String(method), given as readonly unknown[], (reason) => {
      if (!this.#isEnding) this.link.tell("superseded", [call, reason]);
    });
  }
}

function headOf({ token, attempt, externalId }: RunContext): {
  readonly token: number;
  readonly attempt: number;
  readonly externalId: string | undefined;
} {
  return { token, attempt, externalId };
}

function causeOf(error: unknown): StopCause {
  const { code } = Object(error) as { readonly code?: unknown };
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "error";
}
