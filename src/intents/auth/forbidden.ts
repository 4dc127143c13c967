// The refusal of an access, in the words that clients of Kubernetes show and compare. Surfaces find
// group, resource and name in the details, because a Status repeats them.

import { SetpointError } from "../../kernel/errors.ts";
import type { Access } from "./policy.ts";
import type { UserInfo } from "./user.ts";

export interface ForbiddenTarget {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

/** What the authoriser's "no" looks like to the caller. */
export function forbiddenAccess(user: UserInfo, access: Access, reason: string): SetpointError {
  const sentence = withoutMarkup(forbiddenSentence(user, access));
  const target =
    access.kind === "resource"
      ? { group: access.group, resource: access.resource, name: access.name }
      : { group: "", resource: "", name: "" };
  return forbidden(target, reason === "" ? sentence : `${sentence}: ${reason}`);
}

/** Any refusal of a request: `roles.rbac.authorization.k8s.io "x" is forbidden: why`. */
export function forbidden(target: ForbiddenTarget, why: string): SetpointError {
  const { group, resource, name } = target;
  const qualified = group === "" ? resource : `${resource}.${group}`;
  const what = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const message = resource === "" ? `forbidden: ${why}` : `${what} is forbidden: ${why}`;
  return new SetpointError("request.forbidden", message, { details: { group, resource, name } });
}

function forbiddenSentence(user: UserInfo, access: Access): string {
  const who = `User ${JSON.stringify(user.name)} cannot ${access.verb}`;
  if (access.kind === "path") return `${who} path ${JSON.stringify(access.path)}`;
  const { group, resource, subresource, namespace } = access;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `${JSON.stringify(combined)} in API group ${JSON.stringify(group)}`;
  return `${who} resource ${what} ${where}`;
}

/** Browsers show refusals too, and a path may hold anything. */
function withoutMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
