/**
 * What goes wrong where nobody listens. A module may leave a promise without anybody who waits for
 * it, or a timer that throws: that is told as an error and the server goes on, for it serves others
 * too. An exception that comes from no reconciler is a defect of the server itself, whose state is
 * unknown from then on: it is told, and the process ends.
 */
import type { Meter } from "../engine/ports.ts";
import { metric } from "../engine/reporting/metric-names.ts";
import { runAround } from "../engine/run/current-run.ts";
import type { RunAround } from "../engine/run/current-run.ts";
import type { Logger } from "../telemetry/log.ts";

export interface ProcessGuardInput {
  readonly log: Logger;
  readonly meter: Meter;
  /** The process, unless a test plays it. */
  readonly events?: Pick<NodeJS.EventEmitter, "on" | "off">;
  readonly exit?: (code: number) => void;
}

export function guardProcess(input: ProcessGuardInput): Disposable {
  const { log, meter, events = process, exit = (code) => process.exit(code) } = input;
  const rejected = (error: unknown): void => {
    const run = runAround();
    meter.count(metric.leftBehind, { kind: run?.key.kind ?? "", what: "rejection" });
    log.error({ error: shown(run, error), key: run?.key }, "unhandled promise rejection");
  };
  const thrown = (error: unknown): void => {
    const run = runAround();
    if (run === undefined) {
      log.error({ error }, "uncaught error, server stops");
      return exit(1);
    }
    const { key } = run;
    meter.count(metric.leftBehind, { kind: key.kind, what: "exception" });
    log.error({ error: shown(run, error), key }, "reconciler threw an error outside of its run");
  };
  events.on("unhandledRejection", rejected);
  events.on("uncaughtException", thrown);
  return {
    [Symbol.dispose]: () => {
      events.off("unhandledRejection", rejected);
      events.off("uncaughtException", thrown);
    },
  };
}

/** Without the secrets of the resource; whatever was thrown, telling of it must not throw. */
function shown(run: RunAround | undefined, error: unknown): unknown {
  try {
    return run === undefined ? error : run.shown(error);
  } catch {
    return "an error that cannot be printed";
  }
}
