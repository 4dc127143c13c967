/**
 * Watches the event loop from a thread of its own: see watchdog-thread.ts. This is the side of the
 * event loop. It beats, describes the current activity when the watchdog stops the thread, and
 * counts a block once it is over.
 */
import { url as debuggerUrl } from "node:inspector";
import { Worker } from "node:worker_threads";
import type { HealthCheck } from "../../contract/module.ts";
import type { Meter } from "../../engine/ports.ts";
import { metric } from "../../engine/reporting/metric-names.ts";
import { currentActivity, factsOf, listenToActivities } from "../../kernel/activity.ts";
import type { ActivityFacts } from "../../kernel/activity.ts";
import { systemClock, timeText } from "../../kernel/clock.ts";
import { moduleBeside } from "../../kernel/module-beside.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { LogForm } from "../../telemetry/log-form.ts";
import { describeKey, reportFields } from "./blocked-report.ts";
import type { BlockedReport } from "./blocked-report.ts";
import { Board } from "./board.ts";
import { watchdogLimits } from "./limits.ts";
import { yieldSignals } from "./yield-signals.ts";
import type { WatchdogData } from "./watchdog-thread.ts";

export interface WatchdogInput {
  readonly log: Logger;
  /** The form of the log on standard error. */
  readonly form: LogForm;
  /** How long a block may last before the process ends. */
  readonly endMs?: number;
}

export interface Watchdog extends AsyncDisposable {
  /** Where blocks are counted, once it exists. */
  countIn(meter: Meter): void;
  /** The module that reconciles each kind. */
  nameModules(moduleOf: ReadonlyMap<string, string>): void;
  readonly healthChecks: readonly HealthCheck[];
}

export function startWatchdog({ log, form, endMs }: WatchdogInput): Watchdog {
  const board = new Board();
  const signals = yieldSignals();
  let meter: Meter | undefined;
  let moduleOf: ReadonlyMap<string, string> = new Map();
  let last: { readonly endedMs: number; readonly report: BlockedReport } | undefined;
  const described = (facts: ActivityFacts): string => {
    const module = facts["module"] ?? moduleOf.get(facts["kind"] ?? "");
    return JSON.stringify(module === undefined ? facts : { ...facts, module });
  };
  const key = Symbol.for(describeKey);
  Object.defineProperty(globalThis, key, {
    configurable: true,
    value: () => {
      signals.release();
      return described(factsOf(currentActivity()));
    },
  });
  listenToActivities((activity) => board.write(activity.brief()));
  const beat = (): void => {
    signals.restore();
    board.beat(debuggerUrl() !== undefined);
  };
  const beating = setInterval(beat, watchdogLimits.beatMs);
  beating.unref();
  beat();
  const workerData: WatchdogData = {
    memory: board.memory,
    form,
    endMs: endMs ?? watchdogLimits.endMs,
  };
  const thread = new Worker(moduleBeside(import.meta.url, "watchdog-thread"), { workerData });
  thread.unref();
  thread.on("error", (error) => log.error({ error }, "watchdog stopped"));
  thread.on("message", (report: BlockedReport) => {
    last = { endedMs: systemClock.nowMs(), report };
    const activity = report.isCertain ? (report.facts["activity"] ?? "none") : "unknown";
    meter?.observe(metric.loopBlockedSeconds, report.blockedMs / 1_000, { activity });
    log.warn(reportFields({ ...report, stack: [] }), "event loop resumed");
  });
  return {
    countIn: (given) => {
      meter = given;
    },
    nameModules: (given) => {
      moduleOf = given;
    },
    healthChecks: [{ name: "event-loop", check: () => Promise.resolve(recently(last)) }],
    [Symbol.asyncDispose]: async () => {
      clearInterval(beating);
      listenToActivities(undefined);
      Reflect.deleteProperty(globalThis, key);
      signals.restore();
      await thread.terminate();
    },
  };
}

/** Without names of resources: health checks need no credentials. */
function recently(
  last: { readonly endedMs: number; readonly report: BlockedReport } | undefined,
): string | undefined {
  if (last === undefined) return undefined;
  if (Math.abs(systemClock.nowMs() - last.endedMs) > watchdogLimits.recentMs) return undefined;
  const seconds = (last.report.blockedMs / 1_000).toFixed(1);
  return `blocked for ${seconds} s until ${timeText(last.endedMs)}; see the log`;
}
