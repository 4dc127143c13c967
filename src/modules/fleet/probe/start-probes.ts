/** Probes in a running process: their reconciler, and the time of their last success. */
import type { GaugeSample, OpenPorts, StartPorts } from "../../../contract/ports.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import { fleetMetric } from "../metrics.ts";
import { probesKind } from "../names.ts";
import type { OfferingIndex } from "../offerings/offering-index.ts";
import { probeReconciler } from "./probe-reconciler.ts";
import { readProbe, readRuns, regionsOf } from "./probe.ts";

export interface ProbesInput {
  readonly ports: Pick<OpenPorts, "live" | "meter" | "openHttp">;
  readonly more: Pick<StartPorts, "engine" | "intents">;
  readonly offerings: Pick<OfferingIndex, "byName">;
}

/** Returns a function that ends it. */
export function startProbes({ ports, more, offerings }: ProbesInput): () => void {
  const { live, meter, openHttp } = ports;
  const ends = [
    more.engine.add(probeReconciler({ intents: more.intents, openHttp, offerings })),
    meter.collect(fleetMetric.probeLastSuccess, () => lastSuccesses(live)),
    // A rate sees the first result only if the counter was there before.
    live.follow(probesKind, (after) => {
      if (after === undefined) return;
      const probe = readProbe(after.resource);
      const offering = offerings.byName(probe.offering);
      for (const { region } of offering === undefined ? [] : regionsOf(probe, offering)) {
        for (const result of ["success", "failure"]) {
          meter.count(fleetMetric.probeRuns, { offering: probe.offering, region, result }, 0);
        }
      }
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

/** The same in every process, and the latest of all Probes of a region. */
function lastSuccesses(live: Pick<LiveView, "all">): Iterable<GaugeSample> {
  const latest = new Map<string, { readonly labels: GaugeSample["labels"]; value: number }>();
  for (const { resource } of live.all(probesKind)) {
    const { offering } = readProbe(resource);
    for (const { region, lastSuccessAtMs = 0 } of readRuns(resource)) {
      const labels = { offering, region };
      const value = lastSuccessAtMs / 1_000;
      const known = latest.get(JSON.stringify(labels));
      if (known === undefined) latest.set(JSON.stringify(labels), { labels, value });
      else known.value = Math.max(known.value, value);
    }
  }
  return latest.values();
}
