// The cluster of an agent's request. The surface has checked who the agent is; here it is checked
// that the cluster exists, and that the namespace of the agent's account belongs to it: an account
// in a namespace that someone else created under that name has no authority.

import { SetpointError } from "../../../kernel/errors.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { clusterKey, clusterNamespace } from "../names.ts";
import { clusterOfAgent } from "../identity.ts";
import type { FleetRequest, FleetRoutePorts } from "./fleet-route.ts";

/** Throws fleet.not_found with a reason for the log of the agent. */
export function agentCluster(
  { live }: Pick<FleetRoutePorts, "live">,
  { path, caller }: Pick<FleetRequest, "path" | "caller">,
): Resource {
  const id = path["cluster"] ?? "";
  const cluster = live.get(clusterKey(id))?.resource;
  if (cluster === undefined) {
    const message = `the agent is authorised, and the DataPlaneCluster ${id} does not exist`;
    throw new SetpointError("fleet.not_found", message);
  }
  if (clusterOfAgent(caller.user) === undefined) return cluster;
  const key = { kind: "namespaces", namespace: "", name: clusterNamespace(id) };
  const owners = live.get(key)?.resource.metadata.ownerReferences ?? [];
  if (owners.some(({ uid }) => uid === cluster.metadata.uid)) return cluster;
  const message = `the namespace of the agent does not belong to the DataPlaneCluster ${id}`;
  throw new SetpointError("fleet.not_found", message);
}
