// Who writes a credential, a managed environment or a target decides where its Secret is sent, and
// who writes a deployment decides which Secret a webhook is compared with, so the user must be
// allowed to read the Secret.

import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { Authorizer } from "../../../intents/auth/policy.ts";
import { checkReferences } from "../../../intents/auth/secret-access.ts";
import { systemCaller } from "../../../intents/bootstrap.ts";
import { equalJson } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import {
  credentialsKind,
  deliveryTargetsKind,
  deploymentsKind,
  managedEnvironmentsKind,
  promotionEnvironmentsKind,
} from "../names.ts";

const inCredentials = ["kubernetesCredentials", "clusterCredentialsSecret"];
const fields: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  [credentialsKind, [["secret"]]],
  [managedEnvironmentsKind, [["credentialsSecret"]]],
  [deliveryTargetsKind, [inCredentials]],
  [promotionEnvironmentsKind, [["unstableConfigurationFields", ...inCredentials]]],
  [
    deploymentsKind,
    [
      ["source", "webhook", "secretRef", "name"],
      ["source", "verify", "secretName"],
    ],
  ],
]);

export function secretGuard(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: "GitOpsSecrets",
    validate: ({ target, operation, object, old, caller }: AdmissionRequest) => {
      const paths = fields.get(target.served.id);
      if (paths === undefined || object === undefined || target.subresource !== "") return;
      if (operation === "DELETE" || caller.user.name === systemCaller.user.name) return;
      if (old !== undefined && equalJson(old.spec, object.spec)) return;
      const { namespace } = target;
      const references = paths
        .map((path) => ({ path, name: textAt(object, "spec", ...path) }))
        .filter(({ name }) => name !== "")
        .map(({ path, name }) => ({ field: `spec.${path.join(".")}`, namespace, name }));
      checkReferences(authorizer, caller.user, target, references);
    },
  };
}
