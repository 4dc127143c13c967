// Keeps roles and bindings from giving away rights that their writer does not have. It sits at the
// end of the mutating policies, because it must see what will be stored, and before validation,
// because whoever may not write a role is not told what else is wrong with it.

import { nextTurn } from "../../kernel/pauses.ts";
import { inTurns } from "../../kernel/sliced.ts";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { checkEscalation } from "../auth/escalation.ts";
import type { RbacWrite } from "../auth/escalation.ts";
import type { Rbac } from "../auth/rbac.ts";
import { tenantOfWrite } from "./write-pauses.ts";

const kinds: Readonly<Record<string, RbacWrite["kind"]>> = {
  "roles.rbac.authorization.k8s.io": "Role",
  "clusterroles.rbac.authorization.k8s.io": "ClusterRole",
  "rolebindings.rbac.authorization.k8s.io": "RoleBinding",
  "clusterrolebindings.rbac.authorization.k8s.io": "ClusterRoleBinding",
};

export function escalationGuard(rbac: Rbac): AdmissionPlugin {
  return {
    name: "RBACEscalation",
    mutate: ({ caller, target, object, old }) => {
      const kind = kinds[target.served.id];
      if (kind === undefined || object === undefined) return object;
      const check = checkEscalation({ user: caller.user, rbac, kind, object, old });
      const tenant = tenantOfWrite({ caller, target });
      return inTurns(check, () => nextTurn(tenant)).then(() => object);
    },
  };
}
