// Where an agent starts: the Offerings whose instances its cluster may get, with their APIs. It is
// a route of the server and not of one Offering, so that an agent needs to know its cluster only.

import type { Route, RoutePorts } from "../../../contract/route.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { readCluster } from "../clusters/cluster.ts";
import type { FleetState } from "../fleet-state.ts";
import { clusterOfAgent, fleetCaller } from "../identity.ts";
import { offeringsKind } from "../names.ts";
import { readOffering } from "../offering.ts";
import type { Offering } from "../offering.ts";
import { agentRefusal } from "./agent-access.ts";
import { agentCluster } from "./agent-cluster.ts";

export function agentDiscovery(
  { live }: Pick<RoutePorts, "live">,
  { directory, clusters }: Pick<FleetState, "directory" | "clusters">,
): Route {
  return {
    method: "GET",
    path: "/api/v1/agent-clusters/{cluster}",
    summary: "List the Offerings of a data-plane cluster, for its agent.",
    description:
      "The caller is the ServiceAccount `agent` of the cluster, or has a token of an issuer for " +
      "agents. To every other caller the path does not exist.",
    tag: "fleet",
    access: { kind: "authenticated" },
    parameters: { cluster: "The name of the DataPlaneCluster." },
    answers: { 200: { description: "The Offerings, with what their agent needs.", schema } },
    errors: [404],
    handle: async ({ path, caller }) => {
      const id = path["cluster"] ?? "";
      const all = [...live.all(offeringsKind)].map(({ resource }) => readOffering(resource));
      const own = all.filter((offering) => {
        const { user } = caller;
        const known = fleetCaller(user, offering, directory);
        return agentRefusal({ offering, user, caller: known, cluster: id }) === undefined;
      });
      // Before the first Offering is declared, the account of a cluster is an agent as well.
      if (own.length === 0 && clusterOfAgent(caller.user) !== id) {
        throw new SetpointError("fleet.not_found", "Resource not found");
      }
      const cluster = readCluster(agentCluster({ live }, { path, caller }));
      const { offerings: names } = cluster;
      const used = clusters()?.get(id)?.load.usedByOffering;
      // Instances of an Offering that was taken from the list still need their agent.
      const isHosted = ({ name }: Offering): boolean =>
        names === undefined || names.includes(name) || (used?.get(name) ?? 0) > 0;
      const offerings = own.filter(isHosted).map(offeringForAgent);
      const document = { id, kind: "AgentClusterOfferings", dns: cluster.dns, offerings };
      return { kind: "document", status: 200, document };
    },
  };
}

function offeringForAgent({ name, instances, agent }: Offering): JsonObject {
  const { plural } = instances;
  const { apiVersion, kind } = agent.applies;
  return {
    name,
    plural,
    applies: { apiVersion, kind },
    poll_seconds: agent.pollSeconds,
    resync_seconds: agent.resyncSeconds,
    href: `/api/${plural}_mgmt/v1/agent-clusters`,
  };
}

const text: JsonObject = { type: "string" };
const schema: JsonObject = {
  type: "object",
  properties: {
    id: text,
    kind: text,
    dns: text,
    offerings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: text,
          plural: text,
          applies: { type: "object", properties: { apiVersion: text, kind: text } },
          poll_seconds: { type: "integer" },
          resync_seconds: { type: "integer" },
          href: text,
        },
      },
    },
  },
};
