// Reconciles DataPlaneClusters. Each turn of the loop observes, decides (decide.ts), performs one
// step and records the phase. A run may stop anywhere: every step is idempotent.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import { again, done, failed } from "../../../engine/outcome.ts";
import type { Outcome, Readiness } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { timeText } from "../../../kernel/clock.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { fleetLimits } from "../limits.ts";
import { clusterNamespace, clustersKind } from "../names.ts";
import { clusterObservation } from "./cluster-observation.ts";
import type { ClusterObservation, ObservationPorts } from "./cluster-observation.ts";
import { readCluster } from "./cluster.ts";
import { decideCluster } from "./decide.ts";
import type { ClusterStep, Rest } from "./decide.ts";
import { ExecutorRefusal } from "./executor.ts";
import { installCluster, kubeAccessOf } from "./install.ts";
import type { InstallPorts } from "./install.ts";
import { isLeaving, movedCluster } from "./phases.ts";
import type { ClusterPhase } from "./phases.ts";

export interface ClusterPorts extends InstallPorts, ObservationPorts {}

export function clusterReconciler(ports: ClusterPorts): Reconciler {
  const run: Reconciler["reconcile"] = async (resource, context) =>
    await runCluster(ports, resource, context);
  return {
    kind: clustersKind,
    reconcile: run,
    remove: run,
    resyncMs: fleetLimits.clusterResyncMs,
    retry: { soonMostMs: 60_000 },
  };
}

/** What a step led to: the next phase with what is recorded beside it, or the end of the run. */
type StepResult =
  | { readonly kind: "moved"; readonly to: ClusterPhase; readonly status?: JsonObject }
  | { readonly kind: "ended"; readonly outcome: Outcome };

interface ClusterRun {
  readonly ports: ClusterPorts;
  readonly resource: Resource;
  readonly context: Context;
  readonly phase: ClusterPhase;
  readonly phaseSinceMs: number;
}

async function runCluster(
  ports: ClusterPorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  let { phase } = readCluster(resource);
  let phaseSinceMs = Date.parse(textAt(resource.status, "phaseSince")) || context.clock.nowMs();
  for (let steps = 0; steps < fleetLimits.maxClusterSteps; steps += 1) {
    const run = { ports, resource, context, phase, phaseSinceMs };
    const result = await performStep(run);
    if (result.kind === "ended") return result.outcome;
    phaseSinceMs = context.clock.nowMs();
    const phaseSince = timeText(phaseSinceMs);
    const from = phase;
    phase = movedCluster(from, result.to);
    await context.status.patch({ phase, phaseSince, failedReason: null, ...result.status });
    context.log.info({ cluster: resource.metadata.name, from, phase }, "cluster moved");
  }
  return again(fleetLimits.clusterRemovalMs);
}

async function performStep(run: ClusterRun): Promise<StepResult> {
  const { ports, resource, context, phase } = run;
  const seen = await clusterObservation(ports, { resource, phase, nowMs: context.clock.nowMs() });
  const step = decideCluster(seen.state);
  try {
    return await perform(run, step, seen);
  } catch (error) {
    if (error instanceof ExecutorRefusal && !isLeaving(phase)) {
      return { kind: "ended", outcome: failedCluster(run, error.message) };
    }
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    return { kind: "ended", outcome: failed(problem.reason, problem.message, problem) };
  }
}

/** Ends the run: the next one starts again when the spec has changed. */
function failedCluster({ resource, context, phase: from }: ClusterRun, why: string): Outcome {
  const failedReason = shortText(why, fleetLimits.maxReportMessageChars);
  const phase = movedCluster(from, "failed");
  context.event("Warning", "ClusterFailed", failedReason);
  context.log.warn({ cluster: resource.metadata.name, from, phase }, "cluster moved");
  const phaseSince = timeText(context.clock.nowMs());
  return done({
    status: { phase, phaseSince, failedReason },
    ready: { status: "False", reason: "Failed", message: failedReason },
  });
}

async function perform(
  run: ClusterRun,
  step: ClusterStep,
  seen: ClusterObservation,
): Promise<StepResult> {
  switch (step.kind) {
    case "create":
      return await create(run);
    case "check":
      return await check(run);
    case "install":
      await installCluster(run.ports, run);
      return { kind: "moved", to: "waiting", status: installed(run) };
    case "move":
      // With the report of a simulated agent: placement reads phase and report together.
      return { kind: "moved", to: step.to, status: seen.status };
    case "rest":
      return { kind: "ended", outcome: await rest(run, step, seen) };
    case "uninstall":
      return await uninstall(run);
    case "clean":
      return { kind: "ended", outcome: await clean(run) };
    default:
      return step satisfies never;
  }
}

async function create(run: ClusterRun): Promise<StepResult> {
  const { externalId } = await callExecutor(run, (executor, call) => executor.create(call));
  return { kind: "moved", to: "provisioning", status: { externalId } };
}

async function check(run: ClusterRun): Promise<StepResult> {
  const state = await callExecutor(run, (executor, call) => executor.check(call));
  if (state.kind === "provisioned") return { kind: "moved", to: "provisioned" };
  if (state.kind === "failed") throw new ExecutorRefusal(state.reason);
  const message = "the executor creates the cluster";
  return { kind: "ended", outcome: again(state.againMs, { reason: "Provisioning", message }) };
}

function installed({ resource }: ClusterRun): JsonObject {
  return { namespace: clusterNamespace(resource.metadata.name) };
}

/** Nothing moves. What was installed is compared with what should be, and repaired. */
async function rest(run: ClusterRun, step: Rest, seen: ClusterObservation): Promise<Outcome> {
  const { reason, message } = step;
  if (run.phase === "deprovisioning") {
    return again(fleetLimits.clusterRemovalMs, { reason, message });
  }
  if (run.phase === "waiting" || run.phase === "ready") await installCluster(run.ports, run);
  const { failedReason } = seen;
  const ready: Readiness = {
    status: step.isReady ? "True" : "False",
    reason,
    message: run.phase === "failed" && failedReason !== "" ? failedReason : message,
  };
  const untilMs = step.againMs ?? fleetLimits.clusterResyncMs;
  const resyncMs = Math.max(1_000, Math.min(untilMs, fleetLimits.clusterResyncMs));
  return done({ ready, status: seen.status, resyncMs });
}

async function uninstall(run: ClusterRun): Promise<StepResult> {
  const { isForced } = readCluster(run.resource);
  // A cluster that has not been created through the executor may have no usable access.
  const isCreated = textAt(run.resource.status, "externalId") !== "";
  const isRemoved =
    isForced || !isCreated || (await callExecutor(run, (executor, call) => executor.remove(call)));
  if (isRemoved) return { kind: "moved", to: "cleanup" };
  const message = "the agent is being removed from the cluster";
  const outcome = again(fleetLimits.clusterRemovalMs, { reason: "Uninstalling", message });
  return { kind: "ended", outcome };
}

/** The namespace takes the credential with it. The id is free when it does not exist any more. */
async function clean({ resource, context }: ClusterRun): Promise<Outcome> {
  const name = clusterNamespace(resource.metadata.name);
  const reference = { kind: "namespaces", namespace: "", name };
  try {
    await context.children.delete(reference);
  } catch (error) {
    // It belongs to another owner: it was never the namespace of this cluster.
    if (isSetpointError(error, "resource.not_owned")) return done();
    throw error;
  }
  const left = await context.references.get(reference);
  if (left === undefined) return done();
  const message = `the namespace ${name} is being removed`;
  return again(fleetLimits.clusterRemovalMs, { reason: "Cleaning", message });
}

async function callExecutor<T>(
  { ports, resource, context, phaseSinceMs }: ClusterRun,
  call: (
    executor: ReturnType<ClusterPorts["executorOf"]>,
    given: Parameters<ReturnType<ClusterPorts["executorOf"]>["check"]>[0],
  ) => Promise<T>,
): Promise<T> {
  const cluster = readCluster(resource);
  const access = await kubeAccessOf(cluster, context);
  const nowMs = context.clock.nowMs();
  const executor = ports.executorOf(cluster.executor.kind);
  return await context.outside(
    `cluster/${cluster.id}`,
    async (signal) => await call(executor, { cluster, access, phaseSinceMs, nowMs, signal }),
  );
}

/** Errors of the executor, worded; undefined for those of the engine and of bugs. */
function problemOf(
  error: unknown,
):
  | { readonly reason: string; readonly message: string; readonly retry: "soon" | "slow" }
  | undefined {
  if (error instanceof ExecutorRefusal) {
    return { reason: "ExecutorRefused", message: error.message, retry: "slow" };
  }
  if (error instanceof KubeError) {
    return { reason: "ClusterUnreachable", message: error.message, retry: "soon" };
  }
  if (isSetpointError(error, "resource.not_owned")) {
    return { reason: "NamespaceTaken", message: error.message, retry: "slow" };
  }
  return undefined;
}
