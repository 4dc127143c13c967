// What an agent sees: the settings of its cluster, and each of its instances. The names of fields
// are those of existing agents. Nothing here is secret: keys and certificates are not in the list.

import type { JsonObject } from "../../../kernel/json.ts";

import type { Resource } from "../../../kernel/resource.ts";
import { clusterCapacity } from "../clusters/capacity.ts";
import { readCluster } from "../clusters/cluster.ts";
import { readManagedInstance } from "../clusters/managed-instance.ts";
import type { ManagedInstance } from "../clusters/managed-instance.ts";
import type { Offering } from "../offering.ts";

export function agentClusterView(cluster: Resource, { agent, name }: Offering): JsonObject {
  const { id, dns, phase, isDraining } = readCluster(cluster);
  const { byType } = clusterCapacity(cluster);
  return {
    id,
    kind: "AgentCluster",
    spec: {
      offering: name,
      applies: { apiVersion: agent.applies.apiVersion, kind: agent.applies.kind },
      dns,
      draining: isDraining,
      poll_seconds: agent.pollSeconds,
      resync_seconds: agent.resyncSeconds,
      capacity: Object.fromEntries([...byType].map(([type, maxUnits]) => [type, { maxUnits }])),
    },
    status: { phase },
  };
}

/** Whether the agent has to do something about it. */
export function isForAgent(instance: ManagedInstance, offering: Pick<Offering, "name">): boolean {
  if (instance.offering !== offering.name) return false;
  return instance.host !== "" || instance.deletedAtMs !== undefined;
}

export function managedInstanceView(resource: Resource, offering: Offering): JsonObject {
  const instance = readManagedInstance(resource);
  const { id, placementId, organisation, host, isSuspended } = instance;
  const { versions, owners, traits, parameters, type } = instance;
  const names = versionNames(offering);
  return {
    id,
    kind: `Managed${offering.instances.kind}`,
    metadata: {
      name: instance.name,
      namespace: `${singularOf(offering)}-${id}`,
      annotations: { "mas/id": id, "mas/placementId": placementId },
      resource_version: resource.metadata.resourceVersion ?? "",
    },
    spec: {
      owners,
      organisation,
      type,
      endpoint: { host },
      versions: Object.fromEntries(
        Object.entries(versions).map(([key, version]) => [names.toWire.get(key) ?? key, version]),
      ),
      deleted: instance.deletedAtMs !== undefined,
      suspended: isSuspended,
      traits,
      parameters,
    },
  };
}

export interface VersionNames {
  /** From `product` and `operator` to the names that agents use, and back. */
  readonly toWire: ReadonlyMap<string, string>;
  readonly fromWire: ReadonlyMap<string, string>;
}

/** Agents of dinosaurs call the versions `dinosaur` and `dinosaurOperator`. */
export function versionNames(offering: Pick<Offering, "instances">): VersionNames {
  const singular = singularOf(offering);
  const pairs = [
    ["product", singular],
    ["operator", `${singular}Operator`],
  ] as const;
  return {
    toWire: new Map(pairs),
    fromWire: new Map(pairs.map(([own, wire]) => [wire, own])),
  };
}

export function singularOf({ instances }: Pick<Offering, "instances">): string {
  return instances.singular ?? instances.kind.toLowerCase();
}
