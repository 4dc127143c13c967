// Reconciles ManagedInstances: holds one that is deleted until its agent has deleted it, and
// simulates the agent on simulated clusters. It owns the status, so that the engine adds no writes
// to those of the agent: each change of a ManagedInstance wakes the instance that it belongs to.

import { again, done } from "../../../engine/outcome.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import type { Context, Reconciler } from "../../../engine/reconciler.ts";
import { fencedWrite } from "../../../engine/run/fenced-write.ts";
import { systemCallerFor, systemOptions } from "../../../intents/bootstrap.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Intents, Target } from "../../../intents/request.ts";
import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import { isSetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { agentFinalizer, clusterKey, managedInstancesKind } from "../names.ts";
import { isAbandoned, readCluster } from "./cluster.ts";
import type { DataPlaneCluster } from "./cluster.ts";
import { readManagedInstance } from "./managed-instance.ts";
import { removalOf } from "./removal.ts";
import { withInstanceReport } from "./report.ts";
import { simulate } from "./simulate.ts";

export interface ManagedInstancePorts {
  /** Without policies: a policy must not keep an instance from being removed. */
  readonly ownIntents: Intents;
  readonly live: Pick<LiveView, "get">;
}

export function managedInstanceReconciler(ports: ManagedInstancePorts): Reconciler {
  return {
    kind: managedInstancesKind,
    ownsStatus: true,
    reconcile: async (resource, context) => await reconcile(ports, resource, context),
  };
}

async function reconcile(
  ports: ManagedInstancePorts,
  resource: Resource,
  context: Context,
): Promise<Outcome> {
  const { cluster: id } = readManagedInstance(resource);
  const isDeleting = resource.metadata.deletionTimestamp !== undefined;
  // Read as a reference while the deletion waits: the removal of the cluster ends the wait.
  const record = isDeleting
    ? await context.references.get(clusterKey(id))
    : ports.live.get(clusterKey(id))?.resource;
  const hasCluster = record !== undefined && !isAbandoned(record);
  const removal = removalOf(resource, hasCluster);
  if (removal.kind === "release") {
    context.log.info({ resource: resource.metadata.name, why: removal.why }, "instance released");
    await release(ports, { resource, context, hasCluster });
    return done();
  }
  if (record === undefined) return done();
  const cluster = readCluster(record);
  if (cluster.executor.kind !== "simulator") return done();
  return await simulated(ports, { resource, context, cluster });
}

interface SimulatedInput {
  readonly resource: Resource;
  readonly context: Context;
  readonly cluster: DataPlaneCluster;
}

async function simulated(
  ports: ManagedInstancePorts,
  { resource, context, cluster }: SimulatedInput,
): Promise<Outcome> {
  const { report, againMs } = simulate({
    instance: readManagedInstance(resource),
    settings: cluster.executor.simulator,
    domain: cluster.dns,
    nowMs: context.clock.nowMs(),
  });
  if (report !== undefined) await writeReport(ports, resource, context, report);
  // The write of a report wakes the resource: a deleted one is released by the next run.
  return againMs === undefined ? done() : again(againMs);
}

async function writeReport(
  { ownIntents }: ManagedInstancePorts,
  resource: Resource,
  context: Context,
  report: JsonObject,
): Promise<void> {
  const target = targetOf(ownIntents, resource, "status");
  const nowMs = context.clock.nowMs();
  await fencedWrite(context, async ({ claim, cause }) => {
    await updateResource(ownIntents, {
      caller: systemCallerFor(cause),
      target,
      options: { ...systemOptions, claim },
      optionsKind: "UpdateOptions",
      change: (old) => ({ wanted: withoutRevision(withInstanceReport(old, report, nowMs)) }),
      allowsBlind: true,
    });
  });
}

interface ReleaseInput {
  readonly resource: Resource;
  readonly context: Context;
  readonly hasCluster: boolean;
}

async function release(
  { ownIntents }: ManagedInstancePorts,
  { resource, context, hasCluster }: ReleaseInput,
): Promise<void> {
  // Decided again for the newest document: it may have another placement since.
  const edit = (old: Resource): Resource =>
    removalOf(old, hasCluster).kind === "release" ? withoutHold(old) : old;
  try {
    await fencedWrite(context, async ({ claim, cause }) => {
      await updateResource(ownIntents, {
        caller: systemCallerFor(cause),
        target: targetOf(ownIntents, resource, ""),
        options: { ...systemOptions, claim },
        optionsKind: "UpdateOptions",
        change: (old) => ({ wanted: withoutRevision(edit(old)) }),
        allowsBlind: true,
      });
    });
  } catch (error) {
    if (!isSetpointError(error, "resource.not_found")) throw error;
  }
}

function withoutHold(resource: Resource): Resource {
  const { finalizers = [] } = resource.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== agentFinalizer);
  return { ...resource, metadata: { ...resource.metadata, finalizers: others } };
}

function targetOf({ kinds }: Intents, { metadata }: Resource, subresource: string): Target {
  const served = kinds.byId(managedInstancesKind);
  if (served === undefined) throw new Error("ManagedInstances are always served");
  const { name, namespace = "" } = metadata;
  return { served, version: served.storage, namespace, name, subresource };
}
