// Who is the agent of a cluster: its ServiceAccount, or a token of an issuer for agents with the
// role and the cluster of the agent. Pure.

import type { UserInfo } from "../../../intents/auth/user.ts";
import { clusterOfAgent } from "../identity.ts";
import type { FleetCaller } from "../identity.ts";
import type { Offering } from "../offering.ts";

export interface AgentRequest {
  readonly offering: Pick<Offering, "api">;
  readonly user: UserInfo;
  readonly caller: Pick<FleetCaller, "issuer" | "roles" | "clusterId">;
  /** Undefined: of any cluster. */
  readonly cluster: string | undefined;
}

/** Why the caller is not the agent of the cluster; undefined when it is. For logs only. */
export function agentRefusal({
  offering,
  user,
  caller,
  cluster,
}: AgentRequest): string | undefined {
  const { agentIssuers = [], agentRole } = offering.api;
  if (clusterOfAgent(user) === undefined) {
    if (!agentIssuers.includes(caller.issuer ?? "")) {
      return `the agent API does not accept the issuer ${caller.issuer ?? "(none)"}`;
    }
    if (!caller.roles.includes(agentRole.toLowerCase())) return `the role ${agentRole} is missing`;
  }
  if (cluster === undefined || cluster === caller.clusterId) return undefined;
  return `the agent of cluster ${caller.clusterId ?? "(none)"} asked for another cluster`;
}
