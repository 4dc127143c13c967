// Sends reports about instances: only what has changed since the last report that the control plane
// has taken, several in one request, and never two requests at a time. What cannot be sent stays
// and is sent later; a newer report about the same instance replaces it.

import { hash } from "node:crypto";
import { canonicalJson } from "../../../kernel/canonical-json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Random } from "../../../kernel/random.ts";
import type { Timers } from "../../../kernel/timers.ts";
import type { ModuleLog } from "../../../contract/ports.ts";
import { Backoff } from "./backoff.ts";
import type { ReportAnswer } from "./control-plane.ts";

export interface ReporterInput {
  readonly send: (reports: JsonObject, signal: AbortSignal) => Promise<ReportAnswer>;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: ModuleLog;
}

/** Reports that arrive within this time are sent together. */
const collectMs = 50;
const maxBatchItems = 200;
/** A request has at most 256 KiB, and one report at most a few. */
const maxBatchBytes = 128 * 1_024;

export class Reporter {
  readonly #input: ReporterInput;
  readonly #waiting = new Map<string, JsonObject>();
  /** Digests of what the control plane has taken. */
  readonly #taken = new Map<string, string>();
  readonly #backoff: Backoff;
  #arrived = Promise.withResolvers<void>();

  constructor(input: ReporterInput) {
    this.#input = input;
    this.#backoff = new Backoff(input.random);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  report(id: string, report: JsonObject): void {
    if (this.#taken.get(id) === digestOf(report)) this.#waiting.delete(id);
    else {
      this.#waiting.set(id, report);
      this.#arrived.resolve();
    }
  }

  /** The instance does not exist any more. */
  forget(id: string): void {
    this.#waiting.delete(id);
    this.#taken.delete(id);
  }

  /** Everything is sent again: the control plane may have lost what it had. */
  forgetTaken(): void {
    this.#taken.clear();
  }

  /** Sends until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { timers, log } = this.#input;
    const stopped = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stopped.resolve(), { once: true });
    while (!signal.aborted) {
      await Promise.race([this.#arrived.promise, stopped.promise]);
      try {
        await timers.sleep(collectMs, signal);
        await this.flush(signal);
      } catch (error) {
        if (signal.aborted) return;
        const pauseMs = this.#backoff.nextMs();
        log.warn({ error, pause_ms: pauseMs, reports: this.waiting }, "reports not sent");
        await timers.sleep(pauseMs, signal).catch(() => undefined);
      }
    }
  }

  /** Sends what is waiting; throws what the control plane or the network did. */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = this.#nextBatch();
      const { refused, refusals } = await this.#input.send(Object.fromEntries(batch), signal);
      this.#backoff.succeeded();
      for (const [id, report] of batch) {
        this.#taken.set(id, digestOf(report));
        if (this.#waiting.get(id) === report) this.#waiting.delete(id);
      }
      if (refused > 0) this.#input.log.warn({ refused, refusals }, "reports refused");
    }
    this.#arrived = Promise.withResolvers();
  }

  #nextBatch(): readonly (readonly [string, JsonObject])[] {
    const batch: (readonly [string, JsonObject])[] = [];
    let bytes = 0;
    for (const entry of this.#waiting) {
      bytes += JSON.stringify(entry).length;
      if (batch.length > 0 && (bytes > maxBatchBytes || batch.length >= maxBatchItems)) break;
      batch.push(entry);
    }
    return batch;
  }
}

function digestOf(report: JsonObject): string {
  return hash("sha256", canonicalJson(report), "hex");
}
