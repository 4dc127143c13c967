// Calls to external systems. Each call passes the circuit breaker and the bulkhead of its system,
// in this process. A failing system is not called for a while. A hanging system holds a bounded
// number of calls. Neither blocks runs: a call that cannot start soon is refused with a retry
// time, which does not count as a failure of the resource. See breakers.ts, bulkhead.ts and
// retry-times.ts.

import { timeText } from "../../kernel/clock.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Random } from "../../kernel/random.ts";
import type { Timers } from "../../kernel/timers.ts";
import { defaultBreakerPolicy } from "./breaker.ts";
import type { Breaker, BreakerPolicy, CallResult } from "./breaker.ts";
import { Breakers } from "./breakers.ts";
import { Bulkhead } from "./bulkhead.ts";
import type { BulkheadPolicy } from "./bulkhead.ts";
import { createComeback } from "./retry-times.ts";
import type { Comeback } from "./retry-times.ts";
import { metric } from "../reporting/metric-names.ts";
import { CallRefused } from "./call-refused.ts";
import { failureWord, resultOfError } from "./call-result.ts";
import type { RunParts } from "../run/parts.ts";
import type { EnginePorts, Labels, Meter } from "../ports.ts";
import type { RunLog, Tracer } from "../reconciler.ts";

export interface SystemPolicy extends BreakerPolicy, BulkheadPolicy {
  /** How long a call waits for its turn before it is refused. */
  readonly waitMs: number;
  /** A call that takes longer is aborted and counts as failed. */
  readonly timeoutMs: number;
}

export const defaultSystemPolicy: SystemPolicy = {
  ...defaultBreakerPolicy,
  calls: 16,
  queue: 64,
  waitMs: 1_000,
  timeoutMs: 60_000,
};

export interface ExternalOptions {
  /** For all systems. */
  readonly defaults?: Partial<SystemPolicy>;
  /** By the name of the system. */
  readonly systems?: Readonly<Record<string, Partial<SystemPolicy>>>;
  /**
   * For systems that come and go while the server runs. Another object than the last time means
   * that the system has another policy now, and begins anew with it.
   */
  readonly policyOf?: (system: string) => Partial<SystemPolicy> | undefined;
}

export interface ExternalInput {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly meter: Meter;
  readonly log: RunLog;
  readonly tracer?: Pick<Tracer, "call">;
  readonly options?: ExternalOptions;
}

export interface ExternalCall<T> {
  readonly system: string;
  /** On whose behalf. */
  readonly namespace: string;
  /** Of the run. */
  readonly signal: AbortSignal;
  /** Given a signal that aborts with that of the run and when its time is up. */
  readonly call: (signal: AbortSignal) => Promise<T>;
}

export interface Outside {
  /** Throws `CallRefused` when the call was not made; else what the call throws. */
  call<T>(call: ExternalCall<T>): Promise<T>;
  /** What is going on, by system. */
  states(): readonly SystemState[];
}

export interface SystemState {
  readonly system: string;
  readonly breaker: Breaker["kind"];
  readonly inFlight: number;
  readonly waiting: number;
}

const maxSystems = 1_000;
const busyMs = 1_000;

export function createExternal(input: ExternalInput): Outside {
  const systems = new Map<string, System>();
  const systemOf = (name: string): System => {
    const found = systems.get(name);
    if (found !== undefined && found.given === input.options?.policyOf?.(name)) return found;
    if (systems.size >= maxSystems) forgetIdle(systems);
    const made = newSystem(name, input);
    systems.set(name, made);
    return made;
  };
  return {
    call: async (asked) => await callExternal(systemOf(asked.system), asked, input),
    states: () =>
      [...systems.values()].map(({ name, breakers, bulkhead }) => ({
        system: name,
        breaker: breakers.state,
        inFlight: bulkhead.inside,
        waiting: bulkhead.waiting,
      })),
  };
}

/** As a part of runs: on behalf of the namespace of the resource, until the run is aborted. */
export function externalPart(
  ports: EnginePorts,
  options: ExternalOptions = {},
): Pick<RunParts, "outside"> {
  const outside = createExternal({ ...ports, options });
  return {
    outside: async ({ key, signal }, system, call) =>
      await outside.call({ system, namespace: key.namespace, signal, call }),
  };
}

interface System {
  readonly name: string;
  readonly labels: Labels;
  /** By `policyOf`. */
  readonly given: Partial<SystemPolicy> | undefined;
  readonly policy: SystemPolicy;
  readonly breakers: Breakers;
  readonly bulkhead: Bulkhead<() => void>;
  readonly comeback: Comeback;
  /** How the last call that failed did, in a word. */
  lastFailure: string | undefined;
}

function newSystem(
  name: string,
  { clock, random, meter, log, options = {} }: ExternalInput,
): System {
  const { defaults, systems = {}, policyOf } = options;
  const own = Object.hasOwn(systems, name) ? systems[name] : undefined;
  const given = policyOf?.(name);
  const policy = { ...defaultSystemPolicy, ...defaults, ...own, ...given };
  const labels = { system: name };
  const breakers: Breakers = new Breakers(policy, clock.nowMs(), (namespace, breaker) => {
    meter.gauge(metric.breakerState, stateNumber[breakers.state], labels);
    const fields = { system: name, ...(namespace === undefined ? {} : { namespace }) };
    if (breaker.kind === "closed") log.info(fields, "circuit closed");
    if (breaker.kind !== "open") return;
    log.warn({ ...fields, until: timeText(breaker.untilMs) }, "circuit opened");
  });
  meter.gauge(metric.breakerState, stateNumber.closed, labels);
  const bulkhead = new Bulkhead<() => void>(policy);
  const comeback = createComeback({ random });
  return { name, labels, given, policy, breakers, bulkhead, comeback, lastFailure: undefined };
}

const stateNumber = { closed: 0, "half-open": 1, open: 2 } as const;

async function callExternal<T>(
  system: System,
  asked: ExternalCall<T>,
  input: ExternalInput,
): Promise<T> {
  const { breakers, bulkhead, labels } = system;
  const { namespace, signal } = asked;
  const { clock, random, meter } = input;
  signal.throwIfAborted();
  // Asked before waiting, so that nobody waits for what is shut, and again once it is their turn.
  const refusal = breakers.refusal(namespace, clock.nowMs());
  if (refusal !== undefined) throw circuitOpen(system, namespace, refusal.untilMs, input);
  await enter(system, asked, input);
  try {
    signal.throwIfAborted();
    const pass = breakers.admit(namespace, clock.nowMs());
    if (pass.kind === "refusal") throw circuitOpen(system, namespace, pass.untilMs, input);
    let result: CallResult = "success";
    meter.count(metric.externalCalls, labels);
    try {
      const { tracer, timers } = input;
      if (tracer?.call === undefined) return await withinTime(system, asked, timers);
      return await tracer.call(system.name, () => withinTime(system, asked, timers));
    } catch (error) {
      result = resultOfError(error, signal);
      if (result === "failure") {
        meter.count(metric.externalFailures, labels);
        system.lastFailure = failureWord(error);
      }
      throw error;
    } finally {
      breakers.report(pass, result, clock.nowMs(), random.next());
    }
  } finally {
    for (const goOn of bulkhead.leave(namespace)) goOn();
    tellLoad(system, meter);
  }
}

/** Resolves inside of the bulkhead. */
async function enter<T>(
  system: System,
  { namespace, signal }: ExternalCall<T>,
  input: ExternalInput,
): Promise<void> {
  const { bulkhead, policy } = system;
  const { timers, meter } = input;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const where = bulkhead.enter(namespace, resolve);
  tellLoad(system, meter);
  if (where === "inside") return;
  if (where === "full") throw busy(system, namespace, "too many calls are waiting", input);
  const leave = (error: unknown): void => {
    bulkhead.giveUp(namespace, resolve);
    reject(error);
  };
  const onAbort = (): void => leave(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const cancel = timers.after(policy.waitMs, () =>
    leave(busy(system, namespace, `no free slot within ${policy.waitMs} ms`, input)),
  );
  try {
    await promise;
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
    tellLoad(system, meter);
  }
}

/** A call that does not listen to its signal goes on, but nobody waits for it any more. */
async function withinTime<T>(
  { name, policy }: System,
  { call, signal }: ExternalCall<T>,
  timers: Timers,
): Promise<T> {
  const own = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    own.abort(reason);
    ended.reject(reason);
  };
  const onAbort = (): void => end(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const cancel = timers.after(policy.timeoutMs, () => {
    end(new DOMException(`${name} did not respond within ${policy.timeoutMs} ms`, "TimeoutError"));
  });
  try {
    return await Promise.race([call(own.signal), ended.promise]);
  } finally {
    cancel();
    signal.removeEventListener("abort", onAbort);
  }
}

function circuitOpen(
  system: System,
  namespace: string,
  untilMs: number,
  input: ExternalInput,
): CallRefused {
  const { name, lastFailure } = system;
  const time = timeText(untilMs + 999);
  const how = lastFailure === undefined ? "" : ` (${lastFailure})`;
  const message = `calls to ${name} failed${how}; the next attempt is after ${time}`;
  return refused(system, namespace, { why: "CircuitOpen", untilMs, message }, input);
}

function busy(
  system: System,
  namespace: string,
  detail: string,
  input: ExternalInput,
): CallRefused {
  const { name, policy } = system;
  const untilMs = input.clock.nowMs() + busyMs;
  const busyWith = `${name} is busy with up to ${policy.calls} calls at a time`;
  const message = `${busyWith} (${detail}); retried soon`;
  return refused(system, namespace, { why: "Busy", untilMs, message }, input);
}

interface Reason {
  readonly why: CallRefused["why"];
  readonly untilMs: number;
  readonly message: string;
}

function refused(
  { name, comeback }: System,
  namespace: string,
  { why, untilMs, message }: Reason,
  { clock, meter }: ExternalInput,
): CallRefused {
  const nowMs = clock.nowMs();
  meter.count(metric.externalRefusals, { system: name, why });
  return new CallRefused(name, why, comeback.next(namespace, untilMs, nowMs) - nowMs, message);
}

function tellLoad({ bulkhead, labels }: System, meter: Meter): void {
  meter.gauge(metric.externalInFlight, bulkhead.inside, labels);
  meter.gauge(metric.externalWaiting, bulkhead.waiting, labels);
}

/** The one longest known of which nothing is under way; its breakers are forgotten with it. */
function forgetIdle(systems: Map<string, System>): void {
  for (const [name, { bulkhead, breakers }] of systems) {
    if (bulkhead.inside + bulkhead.waiting > 0 || breakers.state !== "closed") continue;
    systems.delete(name);
    return;
  }
}
