/** Plans a stack without changing anything: a copy of its state in a folder of its own. */
import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { isTrueAt, numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { executorLimits } from "../limits.ts";
import { activeRunOf } from "../runs/active-run.ts";
import { textsWithin, withoutSecrets } from "../runs/run-secrets.ts";
import { plansKind } from "./plan-kind.ts";
import { planOptions } from "./plan-options.ts";
import { plannedChanges } from "./planned-changes.ts";
import type { PlannedChange } from "./planned-changes.ts";
import { stacksKind } from "./stack-kind.ts";
import { recoverStack, withStackRun } from "./stack-run.ts";
import type { StackRun, StackRunInput, TerraformPorts } from "./stack-run.ts";
import { statesKind } from "./state-kinds.ts";
import { headOf, readResource, readVersion } from "./state-store.ts";

export function planReconciler(ports: TerraformPorts): Reconciler {
  return {
    kind: plansKind,
    concurrency: executorLimits.terraformRuns,
    timeoutMs: executorLimits.longestRunMs,
    reconcile: (plan, context) => reconcile(ports, plan, context),
  };
}

async function reconcile(
  ports: TerraformPorts,
  plan: Resource,
  context: Context,
): Promise<Outcome> {
  const { namespace = "", generation } = plan.metadata;
  const target = textAt(plan, "spec", "target");
  const head = await readResource(ports.intents, { kind: statesKind, namespace, name: target });
  const version = head === undefined ? "" : headOf(head).version;
  const stateText =
    version === "" ? undefined : await readVersion(ports.intents, namespace, version);
  const isDestroy = isTrueAt(plan, "spec", "destroy");
  const action = isDestroy ? "plan-destroy" : "plan";
  const spec = objectAt(plan, "spec", "spec");
  const shared = { ports, context, owner: plan, spec, action, stateText };
  const input: StackRunInput = { ...shared, state: undefined };
  const left = await recoverStack(input);
  if (left !== undefined) return left;
  if (numberAt(plan, "status", "plannedGeneration") === generation) return done();
  const stack = await readResource(ports.intents, { kind: stacksKind, namespace, name: target });
  if (stack !== undefined && activeRunOf(stack) !== undefined) {
    const message = `the TerraformStack ${target} is being changed`;
    return again(executorLimits.takeOverPollMs, { reason: "StackBusy", message });
  }
  const serial = head === undefined ? undefined : headOf(head).serial;
  return await withStackRun(input, async (run) => {
    const secrets = textsWithin(objectAt(spec, "secretVariables"));
    const status = withoutSecrets(await planned(run, planOptions(action)), secrets);
    const at = serial === undefined || serial < 0 ? {} : { serial };
    return done({ status: { ...status, ...at, plannedGeneration: generation ?? 0 } });
  });
}

async function planned({ commands }: StackRun, options: readonly string[]): Promise<JsonObject> {
  await commands.init();
  const { counts } = await commands.plan(options);
  const changes = plannedChanges(await commands.showPlan());
  const shown = changes.slice(0, executorLimits.maxPlannedChanges);
  return {
    add: counts.add,
    change: counts.change,
    remove: counts.remove,
    changes: shown.map((change) => documentOf(change)),
    isTruncated: shown.length < changes.length,
  };
}

function documentOf({ address, action, fields }: PlannedChange): JsonObject {
  return { address, action, fields: [...fields] };
}
