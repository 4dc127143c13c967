/** What users may not write: records of the module, and accounts that they may not use. */
import type { AdmissionPlugin, AdmissionRequest } from "../../../intents/admission/admission.ts";
import { accountUseProblem } from "../../../intents/auth/account-use.ts";
import type { AccountUse } from "../../../intents/auth/account-use.ts";
import { isServerItself } from "../../../intents/bootstrap.ts";
import { forbidden } from "../../../intents/refusals.ts";
import { equalJson } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import {
  bundlesKind,
  defaultAccount,
  deploymentsKind,
  inventoriesKind,
  sourcesKind,
} from "../names.ts";

/**
 * A deployment acts with the rights of the account that it names, and any change of its spec can
 * change what the account does. The default account is for all users of the namespace who may write
 * deployments.
 */
export function accountGuard(use: AccountUse): AdmissionPlugin {
  return {
    name: "GitOpsAccount",
    validate: (request) => {
      if (!isSpecWrite(request, [deploymentsKind])) return;
      const { object, caller, target } = request;
      const name = textAt(object, "spec", "serviceAccountName");
      if (name === "" || name === defaultAccount) return;
      const account = { namespace: target.namespace, name };
      const problem = accountUseProblem(use, caller.user, account);
      if (problem === undefined) return;
      const why = `spec.serviceAccountName: ${problem}`;
      throw forbidden(target.served.storedKind, target.name, why);
    },
  };
}

/** The server deletes what an Inventory lists, and reads what a GitSource names. */
export function recordGuard(): AdmissionPlugin {
  return {
    name: "GitOpsRecords",
    validate: (request) => {
      if (!isSpecWrite(request, [sourcesKind, inventoriesKind, bundlesKind])) return;
      const { target } = request;
      throw forbidden(target.served.storedKind, target.name, "only this server writes its spec");
    },
  };
}

/** A creation or a change of the spec by a user. */
function isSpecWrite(request: AdmissionRequest, kinds: readonly string[]): boolean {
  const { operation, target, object, old } = request;
  if (operation !== "CREATE" && operation !== "UPDATE") return false;
  if (target.subresource !== "" || !kinds.includes(target.served.id)) return false;
  if (isServerItself(request.caller)) return false;
  return !equalJson(object?.spec ?? null, old?.spec ?? null);
}
