// Records what the engine tells about resources as Events, by the ordinary write path. The name of
// an Event follows from what it says, so that telling the same again counts up the one that is
// there, whichever process does it. Nobody waits for it: what is told stands in a bounded queue, is
// written at a bounded rate beside the real work, and what cannot be written is logged and dropped.

import { createHash } from "node:crypto";
import { EventRate } from "../engine/reporting/event-rate.ts";
import { metric } from "../engine/reporting/metric-names.ts";
import type { EngineEvent, Meter } from "../engine/ports.ts";
import type { RunLog } from "../engine/reconciler.ts";
import { engineCause } from "../engine/run/engine-cause.ts";
import { systemCallerFor, systemOptions } from "../intents/bootstrap.ts";
import type { Intents, Target } from "../intents/request.ts";
import { createResource } from "../intents/write/create.ts";
import { updateResource } from "../intents/write/update.ts";
import { timeText } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import { isSetpointError } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { numberAt } from "../kernel/json-read.ts";
import type { Timers } from "../kernel/timers.ts";

export interface EngineEventsInput {
  readonly intents: Intents;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly meter: Meter;
  readonly log: Pick<RunLog, "debug" | "warn">;
}

interface Pending {
  readonly event: EngineEvent;
  readonly name: string;
  readonly namespace: string;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

const component = "setpoint";
const maxWaiting = 1_000;
/** What is good news waits in the first part of the queue only. */
const maxNormalWaiting = 800;
/** Together they are one commit; one by one, each had a flush of the disk to itself. */
const writtenAtOnce = 10;
const pauseMs = 100;
const drainMs = 2_000;
const maxReasonChars = 128;
const maxMessageChars = 1_024;
const maxNameChars = 236;

export class EngineEvents implements AsyncDisposable {
  readonly #input: EngineEventsInput;
  readonly #rate = new EventRate();
  readonly #waiting = new Map<string, Pending>();
  #writing = 0;
  #isStopped = false;
  /** Set after each portion, so that a burst leaves the store to those who work. */
  #endPause: (() => void) | undefined;
  #drained = (): void => undefined;

  constructor(input: EngineEventsInput) {
    this.#input = input;
  }

  /** Never fails, and is over at once. */
  record(event: EngineEvent): void {
    const nowMs = this.#input.clock.nowMs();
    if (!this.#rate.admits(event.resource.metadata.uid, nowMs)) return this.#drop("rate");
    const pending = pendingOf(event, nowMs);
    const key = `${pending.namespace}/${pending.name}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.lastMs = nowMs;
      return;
    }
    const most = event.type === "Normal" ? maxNormalWaiting : maxWaiting;
    if (this.#isStopped || this.#waiting.size >= most) return this.#drop("queue");
    this.#waiting.set(key, pending);
    this.#pump();
  }

  /** Writes what waits, for a short time. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true;
    this.#endPause?.();
    this.#endPause = undefined;
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    const cancel = this.#input.timers.after(drainMs, () => this.#drained());
    this.#pump();
    await drained;
    cancel();
    this.#waiting.clear();
  }

  #pump(): void {
    if (this.#endPause === undefined && this.#waiting.size > 0) {
      for (const [key, pending] of this.#waiting) {
        if (this.#writing >= writtenAtOnce) break;
        this.#waiting.delete(key);
        void this.#write(pending);
      }
      this.#pause();
    }
    if (this.#writing + this.#waiting.size === 0) this.#drained();
  }

  #pause(): void {
    if (this.#isStopped) return;
    this.#endPause = this.#input.timers.after(pauseMs, () => {
      this.#endPause = undefined;
      this.#pump();
    });
  }

  async #write(pending: Pending): Promise<void> {
    const { intents, meter, log } = this.#input;
    this.#writing += 1;
    try {
      await writeEvent(intents, pending);
      meter.count(metric.eventsRecorded, undefined, pending.count);
    } catch (error) {
      this.#drop("error");
      // Nothing can be told in a namespace that is going or gone, or that is full.
      const isExpected = isSetpointError(error) && expected.has(error.code);
      const { reason, key } = pending.event;
      log[isExpected ? "debug" : "warn"]({ error, reason, key }, "event not recorded");
    }
    this.#writing -= 1;
    this.#pump();
  }

  #drop(why: "rate" | "queue" | "error"): void {
    this.#input.meter.count(metric.eventsDropped, { why });
  }
}

const expected: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "request.forbidden",
  "resource.not_found",
  "counter.exceeded",
]);

function pendingOf(event: EngineEvent, nowMs: number): Pending {
  const { key, resource, type } = event;
  const reason = event.reason.slice(0, maxReasonChars);
  const message = event.message.slice(0, maxMessageChars);
  const said = [resource.metadata.uid, type, reason, message].join("\0");
  const digest = createHash("sha256").update(said).digest("hex").slice(0, 16);
  return {
    event: { ...event, reason, message },
    name: `${key.name.slice(0, maxNameChars)}.${digest}`,
    namespace: key.namespace === "" ? "default" : key.namespace,
    firstMs: nowMs,
    lastMs: nowMs,
    count: 1,
  };
}

async function writeEvent(intents: Intents, pending: Pending): Promise<void> {
  const found = intents.kinds.find("", "v1", "events");
  if (found === undefined) throw new Error("events are always served");
  const { namespace, name, count } = pending;
  const target: Target = { ...found, namespace, name, subresource: "" };
  const asking = { caller: systemCallerFor(engineCause), options: systemOptions };
  await updateResource(intents, {
    ...asking,
    target,
    optionsKind: "UpdateOptions",
    allowsBlind: true,
    change: (old) => {
      const lastTimestamp = timeText(pending.lastMs);
      return { wanted: { ...old, count: (numberAt(old, "count") ?? 1) + count, lastTimestamp } };
    },
    create: async () =>
      await createResource(intents, {
        ...asking,
        target: { ...target, name: "" },
        body: documentOf(pending),
        decodeProblems: [],
      }),
  });
}

function documentOf({ event, name, namespace, firstMs, lastMs, count }: Pending): JsonObject {
  const { key, resource, type, reason, message } = event;
  const { uid, resourceVersion } = resource.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: resource.apiVersion,
      kind: resource.kind,
      name: key.name,
      ...(key.namespace === "" ? {} : { namespace: key.namespace }),
      uid,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: timeText(firstMs),
    lastTimestamp: timeText(lastMs),
    count,
  };
}
