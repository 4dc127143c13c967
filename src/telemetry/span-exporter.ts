// Sends ended spans to a collector in batches. Nothing waits for it: spans go to a bounded queue,
// and those that do not fit are dropped and counted. A batch that the collector refuses for now is
// sent again a few times; a batch that cannot be sent is dropped and counted. The log reports when
// the collector stops and starts to answer, not each failure.

import { limits } from "../kernel/limits.ts";
import type { Timers } from "../kernel/timers.ts";
import type { Logger } from "./log.ts";
import { otlpJson } from "./otlp-json.ts";
import type { EndedSpan, SpanAttributes } from "./spans.ts";

export interface SpanExporterInput {
  /** Sends a body and resolves with the status of the answer. Rejects when there was none. */
  readonly send: (body: string, signal: AbortSignal) => Promise<number>;
  readonly timers: Timers;
  readonly log: Pick<Logger, "info" | "warn">;
  /** What describes this process. */
  readonly resource: SpanAttributes;
}

/** Disposing sends what is queued, within limits.spanExportStopMs. */
export interface SpanExporter extends AsyncDisposable {
  add(span: EndedSpan): void;
  readonly exported: number;
  readonly dropped: number;
}

const retryable: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const maxAttempts = 4;

export function createSpanExporter(input: SpanExporterInput): SpanExporter {
  return new QueuedExporter(input);
}

class QueuedExporter implements SpanExporter {
  exported = 0;
  dropped = 0;
  readonly #input: SpanExporterInput;
  readonly #stopping = new AbortController();
  #queue: EndedSpan[] = [];
  #cancel: (() => void) | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #attempting: AbortController | undefined;

  constructor(input: SpanExporterInput) {
    this.#input = input;
  }

  add(span: EndedSpan): void {
    if (this.#queue.length >= limits.maxQueuedSpans || this.#stopping.signal.aborted) {
      this.dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#sending !== undefined) return;
    if (this.#queue.length >= limits.maxSpanBatch) this.#begin();
    else this.#cancel ??= this.#input.timers.after(limits.spanExportDelayMs, () => this.#begin());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#begin();
    // Pauses between attempts end now. A collector that does not answer must not hold up the stop.
    this.#stopping.abort(new Error("the exporter stops"));
    const { timers } = this.#input;
    const cancel = timers.after(limits.spanExportStopMs, () => this.#attempting?.abort());
    await this.#sending;
    cancel();
    this.dropped += this.#queue.length;
    this.#queue = [];
  }

  #begin(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sending ??= this.#drain();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, limits.maxSpanBatch);
      const isSent = await this.#export(otlpJson(this.#input.resource, batch));
      if (isSent) this.exported += batch.length;
      else this.dropped += batch.length;
      if (!isSent && this.#stopping.signal.aborted) break;
    }
    this.#sending = undefined;
  }

  async #export(body: string): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const problem = await this.#attempt(body);
      this.#report(problem);
      if (problem === undefined) return true;
      if (!problem.isPassing || attempt >= maxAttempts) return false;
      try {
        const pauseMs = limits.spanExportDelayMs * 2 ** (attempt - 1);
        await this.#input.timers.sleep(pauseMs, this.#stopping.signal);
      } catch {
        return false;
      }
    }
  }

  async #attempt(body: string): Promise<Problem | undefined> {
    const { timers, send } = this.#input;
    const late = (this.#attempting = new AbortController());
    const cancel = timers.after(limits.spanExportTimeoutMs, () => {
      late.abort(new Error(`no response within ${limits.spanExportTimeoutMs} ms`));
    });
    try {
      const status = await send(body, late.signal);
      if (status >= 200 && status < 300) return undefined;
      return { fields: { status }, isPassing: retryable.has(status) };
    } catch (error) {
      return { fields: { error }, isPassing: true };
    } finally {
      cancel();
    }
  }

  #report(problem: Problem | undefined): void {
    const isFailing = problem !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    const { log } = this.#input;
    if (problem === undefined) log.info({ dropped: this.dropped }, "trace export works again");
    else log.warn(problem.fields, "trace export failed");
  }
}

interface Problem {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the same batch may be accepted later. */
  readonly isPassing: boolean;
}
