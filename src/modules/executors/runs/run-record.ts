// The record of one execution, as an executor writes it. Lines are stored within a second, in
// order, and without secrets. All writes are fenced by the claim of the run of the engine.

import type { Meter } from "../../../engine/ports.ts";
import type { Context } from "../../../engine/reconciler.ts";
import type { Intents } from "../../../intents/request.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { Hide } from "../../../kernel/hider.ts";
import type { Ids } from "../../../kernel/ids.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { Timers } from "../../../kernel/timers.ts";
import { createRecord, updateRecord } from "../../../acting/claimed-writes.ts";
import { executorsGroup } from "../group.ts";
import { executorLimits } from "../limits.ts";
import { runSecondsMetric, runsMetric } from "../metrics.ts";
import { logBuffer } from "./log-buffer.ts";
import { pruneRuns } from "./prune-runs.ts";
import { runLabels, shortName } from "./run-labels.ts";
import { runLabel, runsKind } from "./run-kinds.ts";
import type { RunPhase } from "./run-kinds.ts";

export interface RunPorts {
  /** The write path without policies. */
  readonly ownIntents: Intents;
  readonly ids: Ids;
  readonly timers: Timers;
  readonly meter: Meter;
}

export interface NewRun {
  /** The executor, for metrics: such as "terraform". */
  readonly executor: string;
  /** Such as "apply", "destroy", "call". */
  readonly action: string;
  /** Removes the secrets of the run: see run-secrets.ts. */
  readonly hide: Hide;
  /** Continues the record of a run that an earlier server began. */
  readonly name?: string | undefined;
}

export interface RunEnd {
  readonly reason?: string;
  readonly message?: string;
  readonly exitCode?: number | null;
}

export interface RunRecord {
  readonly name: string;
  /** Adds a line of output. It is stored within about a second. */
  line(text: string): void;
  /** Merges fields into the status of the record. */
  update(status: JsonObject): Promise<void>;
  end(phase: Exclude<RunPhase, "Running" | "Detached">, end?: RunEnd): Promise<void>;
}

/** `owner` is the resource that is reconciled. */
export async function beginRun(
  ports: RunPorts,
  context: Context,
  owner: Resource,
  run: NewRun,
): Promise<RunRecord> {
  if (run.name !== undefined) return new WrittenRun(ports, context, owner, run, run.name);
  await pruneRuns(ports.ownIntents, context, owner);
  const name = `${shortName(owner.metadata.name)}-${ports.ids.uid().slice(0, 8)}`;
  const { metadata, kind } = owner;
  await createRecord(ports.ownIntents, context, {
    apiVersion: `${executorsGroup}/v1`,
    kind: "ExecutorRun",
    metadata: { name, namespace: metadata.namespace ?? "", labels: runLabels(owner) },
    spec: {
      owner: { kind, name: metadata.name, uid: metadata.uid, generation: metadata.generation },
      action: run.action,
    },
  });
  const record = new WrittenRun(ports, context, owner, run, name);
  const startedAt = new Date(context.clock.nowMs()).toISOString();
  await record.update({ phase: "Running", startedAt, ...traceOf(context) });
  return record;
}

function traceOf({ tracer }: Context): JsonObject {
  const [, traceId] = tracer.traceparent?.()?.split("-") ?? [];
  return traceId === undefined ? {} : { traceId };
}

class WrittenRun implements RunRecord {
  readonly name: string;
  readonly #ports: RunPorts;
  readonly #context: Context;
  readonly #owner: Resource;
  readonly #run: NewRun;
  readonly #buffer = logBuffer();
  readonly #beganMs: number;
  #chunk: number;
  #writing: Promise<void> = Promise.resolve();
  #cancelFlush: (() => void) | undefined;

  constructor(ports: RunPorts, context: Context, owner: Resource, run: NewRun, name: string) {
    this.name = name;
    this.#ports = ports;
    this.#context = context;
    this.#owner = owner;
    this.#run = run;
    this.#beganMs = context.clock.nowMs();
    // Chunks of a record that is continued follow those of the earlier server.
    this.#chunk = run.name === undefined ? 0 : this.#beganMs - continuedFromMs;
  }

  line(text: string): void {
    const time = new Date(this.#context.clock.nowMs()).toISOString();
    this.#buffer.add(`${time} ${this.#run.hide(text)}`);
    const isFull = this.#storeNow(false);
    if (isFull || this.#cancelFlush !== undefined) return;
    this.#cancelFlush = this.#ports.timers.after(executorLimits.logFlushMs, () => {
      this.#cancelFlush = undefined;
      this.#storeNow(true);
    });
  }

  async update(status: JsonObject): Promise<void> {
    const { ownIntents } = this.#ports;
    const { namespace = "" } = this.#owner.metadata;
    const key = { kind: runsKind, namespace, name: this.name };
    try {
      const edit = (old: Resource): Resource => {
        return { ...old, status: { ...objectAt(old, "status"), ...status } };
      };
      await updateRecord(ownIntents, this.#context, key, edit, "status");
    } catch (error) {
      // A user may delete records.
      if (!isSetpointError(error, "resource.not_found")) throw error;
    }
  }

  async end(phase: RunPhase, { reason, message, exitCode }: RunEnd = {}): Promise<void> {
    this.#cancelFlush?.();
    this.#storeNow(true);
    await this.#writing;
    const { clock } = this.#context;
    const { meter } = this.#ports;
    const { executor, hide } = this.#run;
    const labels = { executor, result: phase.toLowerCase() };
    meter.count(runsMetric, labels);
    meter.observe(runSecondsMetric, (clock.nowMs() - this.#beganMs) / 1_000, { executor });
    await this.update({
      phase,
      endedAt: new Date(clock.nowMs()).toISOString(),
      log: {
        chunks: this.#chunk,
        bytes: this.#buffer.bytes,
        isTruncated: this.#buffer.isTruncated,
      },
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined
        ? {}
        : { message: hide(message).slice(0, executorLimits.maxRunMessageChars) }),
      ...(exitCode === undefined || exitCode === null ? {} : { exitCode }),
    });
  }

  /** Whether something is stored. What cannot be stored is lost with the claim. */
  #storeNow(isLast: boolean): boolean {
    let isStored = false;
    for (;;) {
      const text = this.#buffer.take(isLast);
      if (text === undefined) return isStored;
      isStored = true;
      const chunk = this.#chunk++;
      this.#writing = this.#writing.then(async () => await this.#store(chunk, text)).catch(ignore);
    }
  }

  async #store(chunk: number, text: string): Promise<void> {
    const { namespace = "" } = this.#owner.metadata;
    const name = `${this.name}.${String(chunk).padStart(6, "0")}`;
    await createRecord(this.#ports.ownIntents, this.#context, {
      apiVersion: `${executorsGroup}/v1`,
      kind: "ExecutorLog",
      metadata: { name, namespace, labels: { ...runLabels(this.#owner), [runLabel]: this.name } },
      spec: { run: this.name, chunk, text },
    });
  }
}

/** Numbers of chunks of continued records are times, which fit into an integer. */
const continuedFromMs = 1_700_000_000_000;

/** The run of the engine reports a lost claim itself. */
function ignore(): void {
  return undefined;
}
