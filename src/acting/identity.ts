// The ServiceAccount in whose name a target acts. A target that a ServiceAccount of the same
// namespace creates, such as that of an environment, gets that account. A user who names an account
// needs the verb `use` or `impersonate` for it, because the target has the permissions of the
// account.

import type { AdmissionPlugin, AdmissionRequest } from "../intents/admission/admission.ts";
import { systemCaller } from "../intents/bootstrap.ts";
import type { Authorizer } from "../intents/auth/policy.ts";
import {
  authenticatedGroup,
  parseServiceAccountUserName,
  serviceAccountGroups,
  serviceAccountUserName,
} from "../intents/auth/user.ts";
import type { UserInfo } from "../intents/auth/user.ts";
import { forbidden } from "../intents/refusals.ts";
import type { JsonObject } from "../kernel/json.ts";
import { textAt } from "../kernel/json-read.ts";
import type { Resource } from "../kernel/resource.ts";
import { described } from "../kernel/schema-parts.ts";

export const defaultAccount = "default";

export const accountSchema: JsonObject = described(
  { type: "string", maxLength: 253 },
  "The ServiceAccount of the namespace in whose name the target acts. Default: the account that " +
    "creates the target, or else `default`.",
);

export function accountOf(resource: Resource, fallback = defaultAccount): string {
  return textAt(resource, "spec", "serviceAccountName") || fallback;
}

export function accountUser(namespace: string, name: string): UserInfo {
  const groups = [...serviceAccountGroups(namespace), authenticatedGroup];
  return { name: serviceAccountUserName(namespace, name), groups, extra: {} };
}

/** `isUsed`: whether a target acts in the name of its account at all. */
export function identityGuard(
  name: string,
  authorizer: Authorizer,
  isUsed: (request: AdmissionRequest) => boolean,
  fallback = defaultAccount,
): AdmissionPlugin {
  return {
    name,
    mutate: (request) => {
      const { object, caller, target, operation } = request;
      if (object === undefined || operation !== "CREATE" || !isUsed(request)) return object;
      if (textAt(object, "spec", "serviceAccountName") !== "") return object;
      const account = parseServiceAccountUserName(caller.user.name);
      const own = account?.namespace === target.namespace ? account.name : fallback;
      return { ...object, spec: { ...(object.spec as JsonObject), serviceAccountName: own } };
    },
    validate: (request) => {
      const { object, old, target, caller, operation } = request;
      const isWrite = operation === "CREATE" || operation === "UPDATE";
      if (object === undefined || !isWrite || target.subresource !== "") return;
      if (!isUsed(request) || caller.user.name === systemCaller.user.name) return;
      const account = accountOf(object, fallback);
      // A user who changes what the account does needs the permission as well.
      if (old !== undefined && JSON.stringify(old.spec) === JSON.stringify(object.spec)) return;
      if (caller.user.name === serviceAccountUserName(target.namespace, account)) return;
      if (mayUse(authorizer, caller.user, target.namespace, account)) return;
      const why =
        `spec.serviceAccountName: User ${JSON.stringify(caller.user.name)} may not use the ` +
        `ServiceAccount ${JSON.stringify(account)}: the verb "use" on it is needed`;
      throw forbidden(target.served.storedKind, target.name, why);
    },
  };
}

export function mayUse(
  authorizer: Authorizer,
  user: UserInfo,
  namespace: string,
  name: string,
): boolean {
  return ["use", "impersonate"].some((verb) => {
    const access = { verb, group: "", resource: "serviceaccounts", subresource: "" };
    return authorizer.authorize(user, { kind: "resource", ...access, namespace, name }).allowed;
  });
}
