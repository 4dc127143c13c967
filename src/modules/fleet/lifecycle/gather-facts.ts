// Reads what the decision about an instance depends on. Preparations are applied here, because how
// far they are is known only after they were applied.

import { isAbandoned } from "../clusters/cluster.ts";
import { currentReport, readManagedInstance } from "../clusters/managed-instance.ts";
import { readReport } from "../clusters/report.ts";
import { isTrueAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { isDeniedUser } from "../access.ts";
import { lacksListedQuota } from "../admission/quota.ts";
import { clusterKey, managedInstanceKey, organisationKey } from "../names.ts";
import { quotaFact } from "../quota-service/quota-fact.ts";
import type { Facts, Leftover } from "./facts.ts";
import type { InstanceRun } from "./instance-run.ts";
import type { Instance } from "./instance.ts";
import { belongsTo } from "./managed.ts";
import { canBePlaced, hasOutgrown } from "./place-instance.ts";
import { prepareAll } from "./prepare.ts";

export interface Observed {
  readonly facts: Facts;
  readonly managed: Resource | undefined;
  /** The cluster cannot host the type that the instance has now: see place-instance.ts. */
  readonly isOutgrown: boolean;
}

export async function gatherFacts(run: InstanceRun): Promise<Observed> {
  const { instance, offering } = run;
  const { placement } = instance;
  const managed = placement === undefined ? undefined : await readManaged(run, placement.cluster);
  const cluster = placement === undefined ? undefined : await clusterOf(run, placement.cluster);
  const report = managed === undefined ? undefined : currentReport(readManagedInstance(managed));
  const isOutgrown = managed !== undefined && hasOutgrown(run, textAt(managed.spec, "type"));
  const organisation = run.ports.live.get(organisationKey(instance.organisation))?.resource;
  const facts: Facts = {
    nowMs: run.nowMs,
    offering,
    instance,
    isDenied: isDenied(run, instance),
    lacksQuota: lacksQuota(run, instance),
    isRemovalHeld: run.isRemovalHeld,
    quota: quotaFact(offering, run.resource),
    cluster: cluster && { domain: textAt(cluster.spec, "dns") },
    leave: leaveOf(run, cluster, isOutgrown),
    isManaged: managed !== undefined,
    leftovers: await leftoversOf(run),
    report: report === undefined ? undefined : readReport(report),
    ...(await prepareAll(run, { cluster, organisation })),
  };
  return { facts, managed, isOutgrown };
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
  const cluster = known ?? (await run.context.references.get(clusterKey(id)));
  return cluster === undefined || isAbandoned(cluster) ? undefined : cluster;
}

function leaveOf(
  run: InstanceRun,
  cluster: Resource | undefined,
  isOutgrown: boolean,
): Facts["leave"] {
  const { placement, assigned } = run.instance;
  if (placement === undefined || cluster === undefined) return "no";
  const isElsewhere = assigned.cluster !== undefined && assigned.cluster !== placement.cluster;
  const isDraining = isTrueAt(cluster.spec, "isDraining");
  if (!isElsewhere && !isDraining && !isOutgrown) return "no";
  return canBePlaced(run) ? "possible" : "blocked";
}

/** Changes of them wake the instance as well. */
async function leftoversOf({ instance, context }: InstanceRun): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  for (const cluster of instance.leaving) {
    const managed = await context.references.get(managedInstanceKey(cluster, instance.id));
    const isOwn = managed !== undefined && belongsTo(managed, instance);
    const isDeleting = managed?.metadata.deletionTimestamp !== undefined;
    leftovers.push({ cluster, state: !isOwn ? "gone" : isDeleting ? "deleting" : "present" });
  }
  return leftovers;
}

function isDenied({ offering, ports }: InstanceRun, instance: Instance): boolean {
  const organisation = ports.state.organisations.get(instance.organisation);
  return isDeniedUser(offering, organisation, instance.owner);
}

/** A quota service is asked when an instance is created; only listed quotas can be read later. */
function lacksQuota({ offering, ports, resource }: InstanceRun, instance: Instance): boolean {
  const { type, owner } = instance;
  const organisation = ports.state.organisations.get(instance.organisation);
  // An Organisation that this process has not read yet proves nothing.
  if (!offering.suspension.expiresWithoutQuota || organisation === undefined) return false;
  const quotaBackend = textAt(resource.spec, "quotaBackend");
  const isInternal = isTrueAt(resource.spec, "isInternal");
  return lacksListedQuota(offering, organisation, { owner, type, quotaBackend, isInternal });
}
