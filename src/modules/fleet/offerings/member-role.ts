// The rights of the members of organisations: a ClusterRole that collects one ClusterRole of each
// Offering. The RoleBinding of an organisation grants it in the namespace of the organisation. The
// role does not cover preparations, because their Secrets are not for members.

import type { ChildDocument } from "../../../engine/reconciler.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { fleetGroup } from "../names.ts";
import type { Offering } from "../offering.ts";

export const memberRole = "fleet-member";
const memberLabel = `${fleetGroup}/aggregate-to-member`;
const apiVersion = "rbac.authorization.k8s.io/v1";

export const memberRoleDocument: JsonObject = {
  apiVersion,
  kind: "ClusterRole",
  metadata: { name: memberRole },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [memberLabel]: "true" } }] },
  rules: [],
};

/** What members may do with the instances of one Offering: they write through REST. */
export function offeringRole({ name, instances }: Offering): ChildDocument {
  return {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name: `${memberRole}-${name}`, labels: { [memberLabel]: "true" } },
    rules: [
      {
        apiGroups: [instances.group],
        resources: [instances.plural],
        verbs: ["get", "list", "watch"],
      },
    ],
  };
}
