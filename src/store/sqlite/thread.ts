/**
 * The main thread's side of a thread: calls with answers. A thread that dies takes its open calls
 * with it: they reject with `ThreadDied`, and the next call starts another thread, so one mishap is
 * not the end of the process. Every call settles. A call after `close` is refused: a thread that
 * it would start would never end, and the process with it.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { SetpointError, deserialiseError } from "../../kernel/errors.ts";
import type { SerialisedError } from "../../kernel/errors.ts";
import { moduleBeside } from "../../kernel/module-beside.ts";
import { AwakeCaller } from "./awake.ts";
import type { WalLimits } from "./wal-watch.ts";

export interface ThreadOptions {
  readonly role: "writer" | "background";
  readonly path: string;
  /** For tests: how far the clock is ahead. */
  readonly aheadMs: number;
  readonly walLimits: WalLimits;
}

export interface Call {
  readonly id: number;
  readonly op: string;
  readonly args: readonly unknown[];
  /** Another call may follow at once: see awake.ts. */
  readonly stayAwake: boolean;
}

export interface Reply {
  /** 0 for an event that nobody asked for. */
  readonly id: number;
  readonly value?: unknown;
  readonly error?: SerialisedError;
  readonly event?: "checkpoint";
}

/** The call was open when the thread died, so it may have happened. */
export class ThreadDied extends SetpointError {
  constructor(cause: unknown) {
    super("store.outcome_unknown", "the thread of the store stopped during a call", { cause });
  }
}

interface Pending {
  readonly settle: (value: unknown) => void;
  readonly fail: (error: Error) => void;
}

export class Thread {
  readonly #options: () => ThreadOptions;
  readonly #onEvent: () => void;
  readonly #pending = new Map<number, Pending>();
  readonly #awake = new AwakeCaller(() => this.#pending.size > 0);
  #worker: Worker | undefined;
  #lastId = 0;
  #closed: Promise<void> | undefined;

  constructor(options: () => ThreadOptions, onEvent: () => void = () => undefined) {
    this.#options = options;
    this.#onEvent = onEvent;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  async call(
    op: string,
    args: readonly unknown[],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<unknown> {
    if (this.#closed !== undefined) throw new SetpointError("store.closed", "the store is closed");
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    const stayAwake = this.#awake.asks();
    return await new Promise((settle, fail) => {
      this.#pending.set(id, { settle, fail });
      worker.postMessage({ id, op, args, stayAwake } satisfies Call, transfer);
    });
  }

  /** Answers what was asked before, then ends the thread. */
  async close(): Promise<void> {
    await (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = once(worker, "exit");
    await this.call("close", []);
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(moduleBeside(import.meta.url, "worker"), {
      workerData: this.#options(),
    });
    let cause: unknown;
    worker.on("message", (reply: Reply) => this.#receive(reply));
    worker.on("error", (error: unknown) => {
      cause = error;
    });
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      const lost = [...this.#pending.values()];
      this.#pending.clear();
      for (const { fail } of lost) fail(new ThreadDied(cause));
    });
    return worker;
  }

  #receive({ id, value, error, event }: Reply): void {
    if (event !== undefined) this.#onEvent();
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    this.#awake.isAnswered();
    if (error === undefined) pending.settle(value);
    else pending.fail(deserialiseError(error));
  }
}
