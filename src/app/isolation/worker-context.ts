/**
 * The context of a run inside of the thread of its module. What writes, reads or decides is done by
 * the real context on the main thread, under the claim of the run. The clock and random numbers are
 * local. Values that an author's function returns stay in this thread, so they may be anything.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, RunLog, RunMetrics, Tracer } from "../../engine/reconciler.ts";
import { checkedMetric } from "../../engine/run/own-metrics.ts";
import type { Clock } from "../../kernel/clock.ts";
import { systemClock } from "../../kernel/clock.ts";
import type { Random } from "../../kernel/random.ts";
import { systemRandom } from "../../kernel/random.ts";
import { currentIncoming } from "./link.ts";
import type { Incoming, Link } from "./link.ts";
import type { ContextHead } from "./packed.ts";

export class WorkerContext implements Context {
  readonly #link: Link;
  readonly #call: Incoming;
  readonly #head: ContextHead;
  readonly signal: AbortSignal;
  readonly #superseded = new AbortController();
  readonly #asRun = AsyncLocalStorage.snapshot();
  #hasAsked = false;
  #externalId: string | undefined;

  constructor(link: Link, call: Incoming, head: ContextHead, signal: AbortSignal) {
    this.#link = link;
    this.#call = call;
    this.#head = head;
    this.signal = signal;
    this.#externalId = head.externalId;
  }

  /** Only runs that ask for it are followed: see engine/run/superseded.ts. */
  get superseded(): AbortSignal {
    if (!this.#hasAsked) {
      this.#hasAsked = true;
      this.#tell("superseded", []);
    }
    return this.#superseded.signal;
  }

  /** The main thread reports it. A listener that throws does so as a part of the run. */
  supersede(reason: unknown): void {
    this.#asRun(() => this.#superseded.abort(reason));
  }

  get token(): number {
    return this.#head.token;
  }

  get attempt(): number {
    return this.#head.attempt;
  }

  get clock(): Clock {
    return systemClock;
  }

  get random(): Random {
    return systemRandom;
  }

  get log(): RunLog {
    const say =
      (level: string): RunLog["info"] =>
      (fields, message) =>
        this.#tell(`log.${level}`, [loggable(fields), message]);
    return { debug: say("debug"), info: say("info"), warn: say("warn") };
  }

  get tracer(): Tracer {
    return {
      span: (name, inside, about) =>
        this.#keeping((keep) => this.#ask("tracer.span", [name, () => keep(inside()), about])),
      traceparent: () => currentIncoming()?.trace,
    };
  }

  get metrics(): RunMetrics {
    return {
      count: (name, ...rest) => this.#tell("metrics.count", [checkedMetric(name), ...rest]),
      gauge: (name, ...rest) => this.#tell("metrics.gauge", [checkedMetric(name), ...rest]),
      observe: (name, ...rest) => this.#tell("metrics.observe", [checkedMetric(name), ...rest]),
    };
  }

  get status(): Context["status"] {
    return { patch: async (fields) => void (await this.#ask("status.patch", [fields])) };
  }

  get children(): Context["children"] {
    return {
      apply: (child) => this.#ask("children.apply", [child]) as never,
      delete: (child) => this.#ask("children.delete", [child]) as never,
      list: (kind) => this.#ask("children.list", [kind]) as never,
    };
  }

  get references(): Context["references"] {
    return { get: (reference) => this.#ask("references.get", [reference]) as never };
  }

  get externalId(): string | undefined {
    return this.#externalId;
  }

  get rememberExternalId(): Context["rememberExternalId"] {
    return async (id) => {
      await this.#ask("rememberExternalId", [id]);
      this.#externalId = id;
    };
  }

  get remember(): Context["remember"] {
    return (name, make) => this.#ask("remember", [name, make]) as never;
  }

  get perform(): Context["perform"] {
    return (operation) => this.#ask("perform", [operation]) as never;
  }

  get progress(): Context["progress"] {
    return async (progress) => void (await this.#ask("progress", [progress]));
  }

  get outside(): Context["outside"] {
    return (system, call) =>
      this.#keeping((keep) => {
        const kept = (signal: AbortSignal): Promise<void> => keep(call(signal));
        return this.#ask("outside", [system, kept]);
      });
  }

  get event(): Context["event"] {
    return (...given) => this.#tell("event", given);
  }

  /** The innermost call of this run that executes, so that spans nest. */
  #within(): number {
    const now = currentIncoming();
    return now?.root === this.#call.root ? now.id : this.#call.id;
  }

  async #ask(method: string, given: readonly unknown[]): Promise<unknown> {
    const args = [this.#call.id, method, given];
    return await this.#link.call("context", args, this.#within());
  }

  #tell(method: string, given: readonly unknown[]): void {
    this.#link.tell("context", [this.#call.id, method, given], this.#within());
  }

  async #keeping<T>(
    ask: (keep: (made: Promise<T>) => Promise<void>) => Promise<unknown>,
  ): Promise<T> {
    let kept: { readonly value: T } | undefined;
    await ask(async (made) => {
      kept = { value: await made };
    });
    if (kept === undefined) throw new Error("the call was not made");
    return kept.value;
  }
}

/** Fields may be anything, and what cannot be sent is shown as text. */
function loggable(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(Object(fields) as object)) {
    shown[name] = value instanceof Error ? value : sendable(value);
  }
  return shown;
}

function sendable(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return `(${typeof value as string})`;
  }
}
