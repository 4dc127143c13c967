/** What this part needs of the others. */
import type { PartInput } from "../part.ts";
import type { PolicyReader } from "../policy/effective-policy.ts";
import type { Renderer } from "../render/renderer.ts";
import type { SourceTrees } from "../source/source-trees.ts";
import type { ReportDeployment } from "../status/deployment-report.ts";
import type { HealthEngine } from "../status/health.ts";
import type { Targets } from "../targets/target.ts";

export interface SyncInput extends PartInput {
  readonly policies: PolicyReader;
  readonly trees: SourceTrees;
  readonly renderer: Renderer;
  readonly targets: Targets;
  readonly health: HealthEngine;
  readonly report: ReportDeployment;
}
