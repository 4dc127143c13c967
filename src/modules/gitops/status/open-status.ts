/** Health and status in a process. */
import type { GitOpsPart, PartInput } from "../part.ts";
import type { ReportDeployment } from "./deployment-report.ts";
import type { HealthEngine } from "./health.ts";
import { reportDeployment } from "./report-deployment.ts";

export interface StatusPart extends GitOpsPart {
  readonly health: HealthEngine;
  readonly report: ReportDeployment;
}

export function openStatus(_input: PartInput): StatusPart {
  return {
    health: { rulesFor: () => ({ assess: () => undefined }) },
    report: reportDeployment,
  };
}
