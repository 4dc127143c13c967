// Kinds whose spec this server alone writes, because agents, counters and the life cycle rely on
// it, and what they count against or bound. Labels and annotations are free.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { equalJson } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import type { CounterBound, CounterUse } from "../../../store/port.ts";
import { clusterCapacity } from "../clusters/capacity.ts";
import { clusterCounter, clusterOf, clustersKind } from "../names.ts";
import { clusterTypeCounter, deletedInstancesKind, managedInstancesKind } from "../names.ts";
import { allOfferings, regionCapacitiesKind, regionCounter } from "../names.ts";
import { isServerItself } from "./writer.ts";

export const recordGuard: AdmissionPlugin = {
  name: "FleetRecords",
  validate: ({ operation, target, caller, object, old }) => {
    const { served, subresource } = target;
    if (!ownKinds.has(served.id) || subresource !== "" || isServerItself(caller)) return;
    const isDeletion = operation === "DELETE";
    const isChange = !isDeletion && !equalJson(object?.spec ?? null, old?.spec ?? null);
    if (!isChange && !(isDeletion && served.id === managedInstancesKind)) return;
    const why = isDeletion
      ? "it is removed with its instance: delete the instance, or drain the cluster"
      : "only this server writes its spec";
    throw forbidden(served.storedKind, target.name, why);
  },
  countsUpdates: true,
  uses: ({ operation, target, object, old }) => {
    if (object === undefined || target.served.id !== managedInstancesKind) return undefined;
    const isRetyped = textAt(object.spec, "type") !== textAt(old?.spec, "type");
    if (operation !== "CREATE" && !isRetyped) return undefined;
    return clusterUses(target.namespace, object);
  },
  bounds: (request) => boundsOf(request),
};

const ownKinds: ReadonlySet<string> = new Set([
  managedInstancesKind,
  regionCapacitiesKind,
  deletedInstancesKind,
]);

function clusterUses(namespace: string, { spec }: Resource): readonly CounterUse[] {
  const cluster = clusterOf(namespace) ?? "";
  const amount = numberAt(spec, "units") ?? 1;
  return [
    { counter: clusterCounter(cluster), amount },
    { counter: clusterTypeCounter(cluster, textAt(spec, "type")), amount },
  ];
}

function boundsOf({ target, object }: AdmissionRequest): readonly CounterBound[] | undefined {
  if (object === undefined) return undefined;
  if (target.served.id === clustersKind) return clusterBounds(object);
  if (target.served.id !== regionCapacitiesKind) return undefined;
  const spec = objectAt(object, "spec");
  const max = numberAt(spec, "max");
  const place = {
    offering: textAt(spec, "offering") || allOfferings,
    provider: textAt(spec, "provider"),
    region: textAt(spec, "region"),
    type: textAt(spec, "type"),
  };
  return max === undefined ? [] : [{ counter: regionCounter(place), max }];
}

/** Also after a report of the agent, which is a write of the status. */
function clusterBounds(cluster: Resource): readonly CounterBound[] {
  const { total, byType } = clusterCapacity(cluster);
  const { name } = cluster.metadata;
  const types = [...byType].map(([type, max]) => ({
    counter: clusterTypeCounter(name, type),
    max,
  }));
  return total === undefined ? types : [...types, { counter: clusterCounter(name), max: total }];
}
