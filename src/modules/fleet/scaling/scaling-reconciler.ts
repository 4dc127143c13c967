// Reconciles ScalingRules. Each turn of the loop counts the region, decides (decide.ts) and
// performs one step, unless the rule is a dry run. Every step is idempotent: a cluster is created
// under a name that was stored before, and is known by its label.

import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import { equalJson } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { fleetLimits } from "../limits.ts";
import { fleetMetric } from "../metrics.ts";
import { scalingRulesKind } from "../names.ts";
import { createCluster, removeCluster, setDraining } from "./change-clusters.ts";
import type { ChangeClusterPorts } from "./change-clusters.ts";
import { decideScaling } from "./decide.ts";
import type { ScalingRest, ScalingStep } from "./decide.ts";
import type { Region } from "./region.ts";
import { readScalingRule } from "./rule.ts";
import type { ScalingRule } from "./rule.ts";

export interface ScalingPorts extends ChangeClusterPorts {
  /** The region of a rule, with everything that was committed before the call. */
  readonly regionOf: (rule: ScalingRule) => Promise<Region>;
}

export function scalingReconciler(ports: ScalingPorts): Reconciler {
  return {
    kind: scalingRulesKind,
    reconcile: async (resource, context) => await runRule(ports, resource, context),
  };
}

async function runRule(
  ports: ScalingPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  let rule = readScalingRule(resource);
  let decision: JsonObject | undefined;
  for (let steps = 0; steps < fleetLimits.maxScalingSteps; steps += 1) {
    const region = await ports.regionOf(rule);
    const step = decideScaling({ rule, region, nowMs: context.clock.nowMs() });
    if (step.kind === "rest") return rested(step, statusOf(region, decision));
    if (step.kind === "mark") {
      rule = await marked(context, rule, step.surplus);
      continue;
    }
    decision = report(resource, context, rule, step);
    if (rule.isDryRun) return dryRun(step, statusOf(region, decision));
    try {
      rule = await perform(ports, context, rule, step);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return failed("ClusterRefused", error.message, { retry: "slow" });
    }
  }
  return again(1_000, { reason: "InProgress", message: "more steps are to be done" });
}

type Change = Exclude<ScalingStep, ScalingRest | { readonly kind: "mark" }>;

async function perform(
  ports: ScalingPorts,
  context: Context,
  rule: ScalingRule,
  step: Change,
): Promise<ScalingRule> {
  switch (step.kind) {
    case "create":
      return await createCluster(ports, context, rule);
    case "drain":
    case "reopen":
      await setDraining(ports, context, {
        rule,
        id: step.cluster,
        isDraining: step.kind === "drain",
      });
      return rule;
    case "remove":
      await removeCluster(ports, context, { rule, id: step.cluster });
      return rule;
    default:
      return step satisfies never;
  }
}

/** A rule of clusters or a policy is against it. */
function isRefusal(error: unknown): error is Error {
  return isSetpointError(error, "resource.invalid") || isSetpointError(error, "request.forbidden");
}

async function marked(
  context: Context,
  rule: ScalingRule,
  cluster: string | undefined,
): Promise<ScalingRule> {
  const sinceMs = context.clock.nowMs();
  const surplus = cluster === undefined ? null : { cluster, since: timeText(sinceMs) };
  await context.status.patch({ surplus });
  return { ...rule, surplus: cluster === undefined ? undefined : { cluster, sinceMs } };
}

const reasons: Readonly<Record<Change["kind"], string>> = {
  create: "ClusterNeeded",
  reopen: "ClusterReopened",
  drain: "ClusterSurplus",
  remove: "ClusterRemoved",
};

/** An event and a count for each new decision; a dry run repeats the same one. */
function report(resource: Resource, context: Context, rule: ScalingRule, step: Change): JsonObject {
  const cluster = "cluster" in step ? { cluster: step.cluster } : {};
  const { kind: action, message } = step;
  const isDryRun = rule.isDryRun;
  const decision = { action, ...cluster, message, isDryRun };
  const last = objectAt(resource.status, "decision");
  if (isDryRun && equalJson(withoutKey(last, "at"), decision)) return last;
  const shown = isDryRun ? `dry run: ${action}: ${message}` : `${action}: ${message}`;
  context.event("Normal", reasons[action], shown);
  context.log.info({ rule: rule.name, action, ...cluster, isDryRun }, "capacity decided");
  const { offering, region } = rule;
  const labels = { offering, region, action, dry_run: `${isDryRun}` };
  context.metrics.count(fleetMetric.scalingDecisions, labels);
  return { ...decision, at: timeText(context.clock.nowMs()) };
}

function statusOf(region: Region, decision: JsonObject | undefined): JsonObject {
  const { clusters, used, free, coming, wanted } = region;
  return {
    clusters: clusters.length,
    used,
    coming,
    wanted,
    free: Number.isFinite(free) ? free : null,
    capacity: Number.isFinite(free) ? free + used : null,
    ...(decision === undefined ? {} : { decision }),
  };
}

function rested(step: ScalingRest, status: JsonObject): Outcome {
  const { isReady, reason, message, againMs = Infinity } = step;
  const ready: Readiness = { status: isReady ? "True" : "False", reason, message };
  const afterMs = Math.min(againMs, fleetLimits.scalingResyncMs);
  return isReady && againMs === Infinity
    ? done({ ready, status, resyncMs: fleetLimits.scalingResyncMs })
    : again(afterMs, { ready, reason, message, status });
}

/** The region is as before, so the next decision is the same until something changes. */
function dryRun({ kind, message }: Change, status: JsonObject): Outcome {
  const ready: Readiness = { status: "True", reason: "DryRun", message: `${kind}: ${message}` };
  return done({ ready, status, resyncMs: fleetLimits.scalingResyncMs });
}
