/** Deployments that a sync waits for. A change of one wakes the deployment. */
import { numberAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { deploymentsKind } from "../names.ts";
import type { WaitingFor } from "../status/deployment-report.ts";
import type { SyncRunOf } from "./run.ts";

export async function dependenciesOf({
  resource,
  context,
}: SyncRunOf): Promise<readonly WaitingFor[]> {
  const waiting: WaitingFor[] = [];
  for (const dependency of objectsAt(resource.spec, "dependsOn")) {
    const name = textAt(dependency, "name");
    const condition = textAt(dependency, "condition") || "Healthy";
    const found = await context.references.get({ kind: deploymentsKind, name });
    const message = dependencyProblem(name, found, condition);
    if (message !== undefined) waiting.push({ name, reason: `Not${condition}`, message });
  }
  return waiting;
}

function dependencyProblem(
  name: string,
  found: Resource | undefined,
  condition: string,
): string | undefined {
  if (found === undefined) return `the GitOpsDeployment ${name} does not exist`;
  const { status, metadata } = found;
  if (numberAt(status, "observedGeneration") !== metadata.generation) {
    return `the GitOpsDeployment ${name} has a change that is not handled yet`;
  }
  const sync = textAt(status, "sync", "status") || "Unknown";
  if (sync !== "Synced") return `the GitOpsDeployment ${name} is ${sync}`;
  const health = textAt(status, "health", "status") || "Unknown";
  if (condition === "Healthy" && health !== "Healthy") {
    return `the GitOpsDeployment ${name} is ${health}`;
  }
  return undefined;
}
