/**
 * Reconciles SnapshotEnvironmentBindings: one deployment for each component. The deployments are
 * children, so a change of one wakes the binding, and a change or deletion by hand is reverted.
 */
import { done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { conditionsOf } from "../../../engine/run/status.ts";
import { isTrue, setCondition } from "../../../kernel/conditions.ts";
import type { Condition } from "../../../kernel/conditions.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { isAsGenerated } from "../generated-deployment.ts";
import {
  bindingsKind,
  deploymentsKind,
  promotionEnvironmentsKind,
  snapshotsKind,
} from "../names.ts";
import { deployedComponent, planBinding } from "./binding-plan.ts";
import type { BindingDeployment, DeployedComponent } from "./binding-plan.ts";
import { problemConditions, readinessOf } from "./problem-conditions.ts";
import type { PromotionProblem } from "./problem-conditions.ts";
import { decideVerification } from "./verification.ts";

export function bindingReconciler(): Reconciler {
  return { kind: bindingsKind, reconcile };
}

async function reconcile(binding: Resource, context: Context): Promise<Outcome> {
  const nowMs = context.clock.nowMs();
  const name = textAt(binding.spec, "environment");
  const snapshotName = textAt(binding.spec, "snapshot");
  const environment = await context.references.get({ kind: promotionEnvironmentsKind, name });
  const snapshot = await context.references.get({ kind: snapshotsKind, name: snapshotName });
  const stopped = (problem: PromotionProblem): Outcome => {
    const ready = readinessOf(problem);
    const conditions = problemConditions(binding, problem, nowMs);
    return done({ status: { conditions }, ...(ready && { ready }) });
  };
  if (environment === undefined) {
    const message = `the Environment ${name} does not exist in this namespace`;
    return stopped({ reason: "EnvironmentNotFound", message });
  }
  if (snapshot === undefined) {
    const message = `the Snapshot ${snapshotName} does not exist in this namespace`;
    return stopped({ reason: "SnapshotNotFound", message });
  }
  if (!isTrue(conditionsOf(objectAt(environment, "status")), "Reconciled")) {
    const why = textAt(environment.status, "message") || "it has not been reconciled yet";
    const message = `the Environment ${name} is not ready: ${why}`;
    return stopped({ reason: "EnvironmentNotReady", message, isWaiting: true });
  }
  const plan = planBinding({ binding, environment, snapshot });
  if (plan.kind === "problem") return stopped(plan.problem);
  const children = await applied(plan.deployments, context);
  const deployed = plan.deployments.map((each) =>
    deployedComponent(each, children.get(each.document.metadata.name)),
  );
  return reported({ binding, environment, deployed, nowMs });
}

/** The deployments as they are now. Those of components that were left out are deleted. */
async function applied(
  deployments: readonly BindingDeployment[],
  context: Context,
): Promise<ReadonlyMap<string, Resource>> {
  const present = await context.children.list(deploymentsKind);
  const found = new Map(present.map((each) => [each.metadata.name, each]));
  const wanted = new Set(deployments.map(({ document }) => document.metadata.name));
  for (const { document } of deployments) {
    const { name } = document.metadata;
    const live = found.get(name);
    if (live !== undefined && isAsGenerated(document, live)) continue;
    found.set(name, await context.children.apply(document));
  }
  for (const { metadata } of present) {
    if (wanted.has(metadata.name)) continue;
    await context.children.delete({ kind: deploymentsKind, name: metadata.name });
    found.delete(metadata.name);
  }
  return found;
}

interface BindingReport {
  readonly binding: Resource;
  readonly environment: Resource;
  readonly deployed: readonly DeployedComponent[];
  readonly nowMs: number;
}

function reported({ binding, environment, deployed, nowMs }: BindingReport): Outcome {
  const count = deployed.filter(({ isDeployed }) => isDeployed).length;
  const isDeployed = count === deployed.length;
  const message = `${count} of ${deployed.length} components deployed`;
  const before = (objectAt(binding, "status")["componentDeploymentConditions"] ??
    []) as unknown as readonly Condition[];
  const input = {
    type: "AllComponentsDeployed",
    status: isDeployed ? ("True" as const) : ("False" as const),
    reason: isDeployed ? "CommitsSynced" : "CommitsUnsynced",
    message,
  };
  const decision = decideVerification({ binding, environment, deployed, isDeployed, nowMs });
  const snapshot = textAt(binding.spec, "snapshot");
  const phase = textAt(decision.verification, "phase");
  const isVerified = decision.verification === undefined || phase === "Passed";
  const isReady = isDeployed && isVerified;
  const status: JsonObject = {
    conditions: problemConditions(binding, undefined, nowMs),
    gitopsDeployments: deployed.map(deployedDocument),
    componentDeploymentConditions: setCondition(before, input, nowMs),
    snapshot: isDeployed ? snapshot : null,
    verification: decision.verification ?? null,
    verified: [...decision.verified],
  };
  const reason = isReady ? "Deployed" : isDeployed ? `Verification${phase}` : "CommitsUnsynced";
  const ready = { status: isReady ? "True" : "False", reason, message } as const;
  const { againMs } = decision;
  return done({ status, ready, ...(againMs === undefined ? {} : { resyncMs: againMs }) });
}

function deployedDocument(deployed: DeployedComponent): JsonObject {
  const { component, name, sync, health, healthMessage, revision } = deployed;
  return {
    componentName: component,
    gitopsDeployment: name,
    syncStatus: sync,
    commitID: revision,
    ...(health === ""
      ? {}
      : {
          health: {
            status: health,
            ...(healthMessage === "" ? {} : { message: shortText(healthMessage, 200) }),
          },
        }),
  };
}
