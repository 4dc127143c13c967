// The clusters that can host instances of an Offering, with their capacity.

import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { readCluster } from "../clusters/cluster.ts";
import { clusterKey, clustersKind } from "../names.ts";
import type { Offering } from "../offering.ts";
import type { ClusterFacts } from "../placement/cluster-facts.ts";
import type { CustomerPorts, FleetRoute } from "./fleet-route.ts";
import { documentAnswer, wholeDocument } from "./page-document.ts";
import { described, listSchema, objectSchema } from "./schemas.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const amount: JsonObject = { type: "integer" };

const capacitySchema = objectSchema({
  type: described(text, "Absent for all types together."),
  max_units: described(amount, "Absent: no limit."),
  used_units: amount,
  remaining_units: described(amount, "Absent: no limit."),
});

const clusterSchema = objectSchema({
  id: text,
  kind: text,
  status: text,
  failed_reason: text,
  cloud_provider: text,
  region: text,
  multi_az: flag,
  dns: text,
  schedulable: flag,
  draining: flag,
  organisation_id: described(text, "The cluster is reserved for this organisation."),
  reported_at: described({ type: "string", format: "date-time" }, "Of the last report."),
  operators: {
    type: "array",
    items: objectSchema({ version: text, ready: flag, versions: { type: "array", items: text } }),
  },
  capacity: { type: "array", items: capacitySchema },
});

export function adminClusterRoutes(ports: CustomerPorts): readonly FleetRoute[] {
  const shared = { tag: "Clusters", access: { kind: "admin" }, errors: [404] } as const;
  return [
    {
      ...shared,
      method: "GET",
      path: "/clusters",
      summary: "List the clusters that can host instances, with their capacity.",
      isList: true,
      answers: { 200: { description: "All clusters.", schema: listSchema(clusterSchema) } },
      handle: async ({ offering }) => {
        const items = [...ports.live.all(clustersKind)]
          .filter(({ resource }) => isHost(resource, offering))
          .map(({ resource }) => clusterView(ports, offering, resource));
        return documentAnswer(wholeDocument("ClusterList", items));
      },
    },
    {
      ...shared,
      method: "GET",
      path: "/clusters/{id}",
      summary: "Read a cluster.",
      parameters: { id: "The id of the cluster." },
      answers: { 200: { description: "The cluster.", schema: clusterSchema } },
      handle: async ({ offering, path }) => {
        const id = path["id"] ?? "";
        const found = ports.live.get(clusterKey(id))?.resource;
        if (found === undefined || !isHost(found, offering)) {
          const shown = JSON.stringify(id.slice(0, 100));
          throw new SetpointError("fleet.not_found", `Cluster with id=${shown} not found`);
        }
        return documentAnswer(clusterView(ports, offering, found));
      },
    },
  ];
}

function isHost(resource: Resource, { name }: Offering): boolean {
  const { offerings } = readCluster(resource);
  return offerings === undefined || offerings.includes(name);
}

function clusterView({ fleet }: CustomerPorts, offering: Offering, resource: Resource): JsonObject {
  const { spec, status } = resource;
  const cluster = readCluster(resource);
  const facts = fleet.clusters()?.get(cluster.id);
  const organisation = textAt(spec, "organisation");
  const reportedAt = textAt(status, "report", "at");
  return {
    id: cluster.id,
    kind: "Cluster",
    status: cluster.phase,
    ...(textAt(status, "failedReason") === ""
      ? {}
      : { failed_reason: textAt(status, "failedReason") }),
    cloud_provider: textAt(spec, "provider"),
    region: textAt(spec, "region"),
    multi_az: facts?.isMultiAz ?? false,
    dns: cluster.dns,
    schedulable: cluster.isSchedulable,
    draining: cluster.isDraining,
    ...(organisation === "" ? {} : { organisation_id: organisation }),
    ...(reportedAt === "" ? {} : { reported_at: reportedAt }),
    operators: (cluster.report?.operators ?? []).map(({ version, isReady, versions }) => ({
      version,
      ready: isReady,
      versions,
    })),
    capacity: facts === undefined ? [] : capacityView(offering, facts),
  };
}

/** All types together first, then each type of the Offering. */
function capacityView(
  { types }: Offering,
  { capacity, load }: ClusterFacts,
): readonly JsonObject[] {
  const entry = (type: string | undefined, most: number | undefined, used: number): JsonObject => ({
    ...(type === undefined ? {} : { type }),
    ...(most === undefined ? {} : { max_units: most }),
    used_units: used,
    ...(most === undefined ? {} : { remaining_units: Math.max(0, most - used) }),
  });
  return [
    entry(undefined, capacity.total, load.used),
    ...types.map(({ name }) =>
      entry(name, capacity.byType.get(name), load.usedByType.get(name) ?? 0),
    ),
  ];
}
