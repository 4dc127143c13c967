// Reads what the decision about an instance depends on. Preparations are applied here, because how
// far they are is known only after they were applied.

import { currentReport, readManagedInstance } from "../clusters/managed-instance.ts";
import { readReport } from "../clusters/report.ts";
import { objectAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { clusterKey, managedInstanceKey, organisationKey } from "../names.ts";
import { quotaFact } from "../quota-service/quota-fact.ts";
import type { Facts, Prepared } from "./facts.ts";
import type { InstanceRun } from "./instance-run.ts";
import type { Instance } from "./instance.ts";
import { belongsTo } from "./managed.ts";
import { prepare } from "./prepare.ts";

export interface Observed {
  readonly facts: Facts;
  readonly managed: Resource | undefined;
}

export async function gatherFacts(run: InstanceRun): Promise<Observed> {
  const { instance, offering, context, ports } = run;
  const { placement } = instance;
  const managed = placement === undefined ? undefined : await readManaged(run, placement.cluster);
  const cluster = placement === undefined ? undefined : await clusterOf(run, placement.cluster);
  const input = {
    offering,
    context,
    resource: run.resource,
    cluster,
    organisation: organisationOf(run),
    routes: instance.routes,
  };
  const report = managed === undefined ? undefined : currentReport(readManagedInstance(managed));
  const facts: Facts = {
    nowMs: run.nowMs,
    offering,
    instance,
    isDenied: isDenied(run, instance),
    quota: quotaFact(offering, run.resource),
    cluster: cluster && {
      domain: ports.state.clusters()?.get(cluster.metadata.name)?.dns ?? "",
      isDraining: objectAt(cluster, "spec")["isDraining"] === true,
    },
    isManaged: managed !== undefined,
    report: report === undefined ? undefined : readReport(report),
    preparing: isPreparable(instance) ? await prepare(input, "preparing") : ready,
    routes: instance.routes.length > 0 ? await prepare(input, "routes") : ready,
  };
  return { facts, managed };
}

const ready: Prepared = { kind: "ready" };

/** Preparations are applied from the phase preparing on. Those of a failed instance stay. */
function isPreparable({ phase, placement }: Instance): boolean {
  return phase !== "accepted" && placement !== undefined;
}

/** A change of it wakes the instance. */
async function readManaged(run: InstanceRun, cluster: string): Promise<Resource | undefined> {
  const { instance, context } = run;
  const key = managedInstanceKey(cluster, instance.id);
  const managed = await context.references.get(key);
  const isOwn = managed !== undefined && belongsTo(managed, instance);
  return isOwn && managed.metadata.deletionTimestamp === undefined ? managed : undefined;
}

/** From memory: a task of the leader wakes the instances of a cluster that changes. */
async function clusterOf(run: InstanceRun, id: string): Promise<Resource | undefined> {
  const known = run.ports.live.get(clusterKey(id))?.resource;
  // Another process may have created it just before.
  return known ?? (await run.context.references.get(clusterKey(id)));
}

function organisationOf({ instance, ports }: InstanceRun): Resource | undefined {
  return ports.live.get(organisationKey(instance.organisation))?.resource;
}

function isDenied({ offering, ports }: InstanceRun, instance: Instance): boolean {
  const organisation = ports.state.organisations.get(instance.organisation);
  const member = organisation?.members.get(instance.owner);
  return (
    organisation?.isDenied === true ||
    member?.isDenied === true ||
    offering.access.deniedUsers.includes(instance.owner)
  );
}
