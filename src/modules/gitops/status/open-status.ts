/** Health and status in a process. */
import { objectAt } from "../../../kernel/json-read.ts";
import { healthRulesKind } from "../names.ts";
import type { GitOpsPart, PartInput } from "../part.ts";
import type { ReportDeployment } from "./deployment-report.ts";
import { gauges } from "./gauges.ts";
import { healthEngine } from "./health-engine.ts";
import { healthGuard } from "./health-guard.ts";
import type { HealthEngine } from "./health.ts";
import { reportDeployment } from "./report-deployment.ts";

export interface StatusPart extends GitOpsPart {
  readonly health: HealthEngine;
  readonly report: ReportDeployment;
}

export function openStatus({ ports }: PartInput): StatusPart {
  const { live, kinds, store, timers, meter, log } = ports;
  return {
    health: healthEngine({
      healthRules: () =>
        Array.from(live.all(healthRulesKind), ({ resource }) => resource)
          .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
          .map((resource) => objectAt(resource, "spec")),
      isReconciled: ({ group, version, kind }) =>
        kinds.findKind(group, version, kind)?.served.isReconciled === true,
    }),
    admission: [healthGuard],
    report: reportDeployment,
    start: ({ engine, feed }, stops) => {
      const onError = (error: unknown): void => log.warn({ error }, "gauges of GitOps not counted");
      stops.defer(engine.lead(gauges({ store, feed, timers, meter, onError })));
    },
  };
}
