/**
 * Calls between two threads, in both directions, with the same code on both sides. An argument may
 * be a function: the other side calls it while the call that brought it is open. A call executes in
 * the asynchronous context of the call that it belongs to, so spans nest and `AsyncLocalStorage`
 * works across the threads.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { pack, unpack } from "./packed.ts";
import type { Callable, ContextHead, FunctionId, Packed, PackedError } from "./packed.ts";
import type { Replaced, Replacer, Restorer } from "./packed.ts";
import { ErrorBook } from "./packed-error.ts";

export type Message =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly target: FunctionId;
      readonly args: Packed;
      /** The call of the receiver that this one belongs to. */
      readonly within?: number | undefined;
      /** The W3C header `traceparent` for calls of external systems. */
      readonly trace?: string | undefined;
    }
  /** A call without an answer. */
  | {
      readonly kind: "tell";
      readonly target: string;
      readonly args: Packed;
      readonly within?: number | undefined;
    }
  | { readonly kind: "done"; readonly id: number; readonly value: Packed }
  | { readonly kind: "failed"; readonly id: number; readonly error: Packed }
  | { readonly kind: "abort"; readonly id: number; readonly reason: Packed };

/** A call of the other side that is executed here. */
export interface Incoming {
  readonly id: number;
  /** The outermost call that it belongs to. */
  readonly root: number;
  readonly trace: string | undefined;
  readonly link: Link;
}

export interface LinkEnds {
  send(message: Message): void;
  /** A function that is known by a name; undefined when there is none. */
  named(target: string, within: Outgoing | undefined): Callable | undefined;
  contextHead?(value: object): ContextHead | undefined;
  makeContext?(head: ContextHead, signal: AbortSignal, call: Incoming): object;
  trace?(): string | undefined;
}

/** A call of this side that is open, or was until recently. */
export interface Outgoing {
  readonly id: number;
  readonly snapshot: <T>(inside: () => T) => T;
  readonly context: object | undefined;
}

interface Open extends Outgoing {
  context: object | undefined;
  settle(value: Packed): void;
  fail(error: unknown): void;
  readonly functions: number[];
  readonly signals: (() => void)[];
}

const incoming = new AsyncLocalStorage<Incoming>();

export function currentIncoming(): Incoming | undefined {
  return incoming.getStore();
}

export class Link {
  readonly #ends: LinkEnds;
  readonly #open = new Map<number, Open>();
  readonly #functions = new Map<number, Callable>();
  readonly #controllers = new Map<number, (reason: unknown) => void>();
  readonly #errors = new ErrorBook();
  readonly #keptEnded: number;
  readonly #ended = new Map<number, Outgoing>();
  #last = 0;

  constructor(ends: LinkEnds, keptEnded = 0) {
    this.#ends = ends;
    this.#keptEnded = keptEnded;
  }

  get open(): Iterable<Outgoing> {
    return this.#open.values();
  }

  outgoing(id: number | undefined): Outgoing | undefined {
    return id === undefined ? undefined : (this.#open.get(id) ?? this.#ended.get(id));
  }

  /** `begun` receives the call before anything is sent. */
  async call(
    target: FunctionId,
    args: readonly unknown[],
    within = this.#within(),
    begun?: (call: Outgoing) => void,
  ): Promise<unknown> {
    const id = (this.#last += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Packed>();
    const open: Open = {
      id,
      snapshot: AsyncLocalStorage.snapshot(),
      context: undefined,
      settle: resolve,
      fail: reject,
      functions: [],
      signals: [],
    };
    this.#open.set(id, open);
    begun?.(open);
    try {
      const packed = pack(args, this.#replacer(open));
      const trace = this.#ends.trace?.();
      this.#ends.send({ kind: "call", id, target, args: packed, within, trace });
      return unpack(await promise, this.#restorer());
    } finally {
      this.#close(open);
    }
  }

  tell(target: string, given: readonly unknown[], within = this.#within()): void {
    const args = pack(given, this.#replacer(undefined));
    this.#ends.send({ kind: "tell", target, args, within });
  }

  receive(message: Message): void {
    switch (message.kind) {
      case "call":
        return void this.#answer(message.id, message);
      case "tell":
        return void this.#answer(undefined, message);
      case "done":
        return this.#open.get(message.id)?.settle(message.value);
      case "failed": {
        const error = unpack(message.error, this.#restorer());
        return this.#open.get(message.id)?.fail(error);
      }
      case "abort":
        return this.#controllers.get(message.id)?.(unpack(message.reason, this.#restorer()));
      default:
        return message satisfies never;
    }
  }

  /** The other side does not exist any more. `errorOf` says how each open call fails. */
  end(errorOf: (call: Outgoing) => unknown): void {
    for (const open of this.#open.values()) open.fail(errorOf(open));
  }

  async #answer(
    id: number | undefined,
    message: Extract<Message, { kind: "call" | "tell" }>,
  ): Promise<void> {
    const around = this.outgoing(message.within);
    const snapshot = around?.snapshot ?? ((inside) => inside());
    const signals: number[] = [];
    try {
      const value = await snapshot(() => this.#execute(id ?? 0, message, around, signals));
      if (id === undefined) return;
      this.#ends.send({ kind: "done", id, value: pack(value, this.#replacer(undefined)) });
    } catch (error) {
      if (id === undefined) return;
      this.#ends.send({ kind: "failed", id, error: this.#packedError(error) });
    } finally {
      for (const signal of signals) this.#controllers.delete(signal);
    }
  }

  async #execute(
    id: number,
    message: Extract<Message, { kind: "call" | "tell" }>,
    around: Outgoing | undefined,
    signals: number[],
  ): Promise<unknown> {
    const { target, args } = message;
    const parent = currentIncoming();
    const root = parent?.link === this ? parent.root : id;
    const trace = "trace" in message ? message.trace : parent?.trace;
    const call: Incoming = { id, root, trace, link: this };
    return await incoming.run(call, async () => {
      const isNumber = typeof target === "number";
      const found = isNumber ? this.#functions.get(target) : this.#ends.named(target, around);
      if (found === undefined) throw new Error("the function is not available any more");
      return await found(...(unpack(args, this.#restorer(call, signals)) as unknown[]));
    });
  }

  #within(): number | undefined {
    const now = currentIncoming();
    return now?.link === this && now.id > 0 ? now.id : undefined;
  }

  #packedError(error: unknown): Packed {
    try {
      return pack(error, this.#replacer(undefined));
    } catch {
      return pack(new Error("an error that cannot be sent"), this.#replacer(undefined));
    }
  }

  #close(open: Open): void {
    this.#open.delete(open.id);
    for (const id of open.functions) this.#functions.delete(id);
    for (const stop of open.signals) stop();
    if (this.#keptEnded === 0 || open.context === undefined) return;
    this.#ended.set(open.id, open);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > this.#keptEnded && oldest !== undefined) this.#ended.delete(oldest);
  }

  /** References live as long as the call that brings them. */
  #replacer(open: Open | undefined): Replacer {
    const replacer: Replacer = {
      function: (value) => {
        if (open === undefined) throw new TypeError("a function cannot be returned or logged");
        const id = (this.#last += 1);
        this.#functions.set(id, value);
        open.functions.push(id);
        return id;
      },
      signal: (signal) => this.#replacedSignal(signal, open, replacer),
      error: (error): PackedError => this.#errors.pack(error, replacer),
      context: (value) => {
        const head = this.#ends.contextHead?.(value);
        if (head === undefined || open === undefined) return undefined;
        open.context = value;
        const { signal } = value as { readonly signal: AbortSignal };
        return { kind: "context", head, signal: this.#replacedSignal(signal, open, replacer) };
      },
    };
    return replacer;
  }

  #replacedSignal(signal: AbortSignal, open: Open | undefined, replacer: Replacer): Replaced {
    const id = (this.#last += 1);
    if (signal.aborted) return { kind: "signal", id, aborted: pack(signal.reason, replacer) };
    const abort = (): void => {
      this.#ends.send({ kind: "abort", id, reason: this.#packedError(signal.reason) });
    };
    signal.addEventListener("abort", abort, { once: true });
    open?.signals.push(() => signal.removeEventListener("abort", abort));
    return { kind: "signal", id };
  }

  #restorer(call?: Incoming, signals: number[] = []): Restorer {
    const restorer: Restorer = {
      function:
        (id) =>
        (...given) =>
          this.call(id, given),
      signal: (id, aborted) => {
        const controller = new AbortController();
        // A listener that throws does so in the context of the call that brought the signal.
        const asCall = AsyncLocalStorage.snapshot();
        const abort = (reason: unknown): void => {
          this.#controllers.delete(id);
          asCall(() => controller.abort(reason));
        };
        signals.push(id);
        if (aborted === undefined) this.#controllers.set(id, abort);
        else controller.abort(unpack(aborted, restorer));
        return controller.signal;
      },
      error: (error) => this.#errors.unpack(error, restorer),
      context: (head, signal) => {
        if (call === undefined || this.#ends.makeContext === undefined) return {};
        return this.#ends.makeContext(head, signal, call);
      },
    };
    return restorer;
  }
}
