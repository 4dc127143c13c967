/**
 * Measures how long the calls of a store take, for /metrics. Calls that wait for work or changes
 * are not measured: their length says nothing about the store.
 */
import type { MetricDefinition } from "../engine/reporting/metric-names.ts";
import type { Store } from "../store/port.ts";
import type { TextMeter } from "../telemetry/meter.ts";
import { wrapped } from "./watch-store.ts";

const name = "setpoint_store_call_duration_seconds";

export const storeMetrics: Readonly<Record<string, MetricDefinition>> = {
  [name]: {
    kind: "histogram",
    help: "Duration of calls to the store.",
    labels: ["operation", "outcome"],
    buckets: [0.000_5, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
  },
};

export interface MeasuredStore {
  readonly store: Store;
  /** The meter is opened after the store. Calls count from here on. */
  readonly countIn: (meter: Pick<TextMeter, "observe">) => void;
}

const measured: ReadonlySet<string> = new Set(
  "commit get getMany list changes history compact claim renew nextDue backlog".split(" "),
);

const success = { outcome: "success" };
const error = { outcome: "error" };

export function measureStore(store: Store, elapsedMs: () => number): MeasuredStore {
  let meter: Pick<TextMeter, "observe"> | undefined;
  return {
    store: wrapped(store, (operation, call) => {
      if (!measured.has(operation)) return call;
      const [succeeded, failed] = [
        { operation, ...success },
        { operation, ...error },
      ];
      return (...args) => {
        const startedMs = elapsedMs();
        const seconds = (): number => (elapsedMs() - startedMs) / 1_000;
        const answering = call(...args);
        answering.then(
          () => meter?.observe(name, seconds(), succeeded),
          () => meter?.observe(name, seconds(), failed),
        );
        return answering;
      };
    }),
    countIn: (given) => {
      meter = given;
    },
  };
}
