/**
 * Gauges of deployments and Operations. The leader alone counts, from the log, so that sums over
 * processes are right. A process that does not lead any more shows no gauges.
 */
import type { GaugeSample, ModuleMeter } from "../../../contract/ports.ts";
import type { LeaderTask } from "../../../engine/wakes/leader-tasks.ts";
import { followKind } from "../../../intents/watch/follow-kind.ts";
import type { FollowPorts } from "../../../intents/watch/follow-kind.ts";
import { objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentsMetric, failuresMetric, operationsMetric } from "../metrics.ts";
import { deploymentsKind, operationsKind } from "../names.ts";

export interface GaugePorts extends FollowPorts {
  readonly meter: ModuleMeter;
  readonly onError: (error: unknown) => void;
}

export function gauges(ports: GaugePorts): LeaderTask {
  return {
    name: "gitops-metrics",
    lead: async (_claim, signal) => {
      await using undo = new AsyncDisposableStack();
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      if (signal.aborted) return;
      follow(ports, undo);
      await aborted.promise;
    },
  };
}

interface Counted {
  readonly sync: string;
  readonly health: string;
  readonly isFailing: boolean;
}

function follow(ports: GaugePorts, undo: AsyncDisposableStack): void {
  const { meter } = ports;
  const deployments = new Tally<Counted>();
  const operations = new Tally<{ readonly state: string }>();
  undo.use(
    followKind({
      ...ports,
      kind: deploymentsKind,
      read: counted,
      onChange: (_key, after, before) => deployments.change(after, before),
    }),
  );
  undo.use(
    followKind({
      ...ports,
      kind: operationsKind,
      read: ({ status }) => ({ state: textAt(status, "state") || "Waiting" }),
      onChange: (_key, after, before) => operations.change(after, before),
    }),
  );
  undo.defer(
    meter.collect(deploymentsMetric, () =>
      deployments.samples(({ sync, health }) => ({ sync, health })),
    ),
  );
  undo.defer(meter.collect(operationsMetric, () => operations.samples(({ state }) => ({ state }))));
  undo.defer(
    meter.collect(failuresMetric, () => [
      { labels: {}, value: deployments.count(({ isFailing }) => isFailing) },
    ]),
  );
}

function counted({ status }: Resource): Counted {
  const isFailing = objectsAt(status, "conditions").some(
    (condition) =>
      textAt(condition, "type") === "ErrorOccurred" && textAt(condition, "status") === "True",
  );
  return {
    sync: textAt(status, "sync", "status") || "Unknown",
    health: textAt(status, "health", "status") || "Unknown",
    isFailing,
  };
}

/** How often each value occurs. */
class Tally<T extends object> {
  readonly #counts = new Map<string, { readonly value: T; count: number }>();

  change(after: T | undefined, before: T | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  count(has: (value: T) => boolean): number {
    let sum = 0;
    for (const { value, count } of this.#counts.values()) if (has(value)) sum += count;
    return sum;
  }

  /** Values with the same labels are one sample. */
  samples(labelsOf: (value: T) => GaugeSample["labels"]): readonly GaugeSample[] {
    const samples = new Map<string, GaugeSample>();
    for (const { value, count } of this.#counts.values()) {
      const labels = labelsOf(value);
      const key = JSON.stringify(labels);
      samples.set(key, { labels, value: count + (samples.get(key)?.value ?? 0) });
    }
    return [...samples.values()];
  }

  #add(value: T, by: number): void {
    const key = JSON.stringify(value);
    const found = this.#counts.get(key) ?? { value, count: 0 };
    found.count += by;
    if (found.count === 0) this.#counts.delete(key);
    else this.#counts.set(key, found);
  }
}
