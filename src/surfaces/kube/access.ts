// Authorisation of a request to the Kubernetes API: which verb on which resource or path it needs.

import type { AuditTrail } from "../../intents/audit/audit-trail.ts";
import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import type { Access, Authorizer } from "../../intents/auth/policy.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { parseFieldSelector } from "./field-selector.ts";
import type { RequestInfo } from "./request-info.ts";

/** Throws request.forbidden. */
export function authorise(
  authorizer: Authorizer,
  user: UserInfo,
  info: RequestInfo,
  trail: AuditTrail | undefined,
): void {
  const access = accessOf(info);
  const { allowed, reason } = authorizer.authorize(user, access);
  trail?.decide(allowed, reason);
  if (!allowed) throw forbiddenAccess(user, access, reason);
}

function accessOf(info: RequestInfo): Access {
  const { verb, path, group, resource, subresource, namespace, name } = info;
  if (!info.isResource) return { kind: "path", verb, path };
  const isMany = verb === "list" || verb === "watch" || verb === "deletecollection";
  const named = isMany && name === "" ? selectedName(info) : name;
  return { kind: "resource", verb, group, resource, subresource, namespace, name: named };
}

/** A list or watch of one name needs no more rights than reading that one. */
function selectedName({ query }: RequestInfo): string {
  const selector = query.get("fieldSelector");
  if (selector === null || !selector.includes("metadata.name")) return "";
  const [term, ...others] = parseFieldSelector(selector);
  const isName = term?.path === "metadata.name" && term.isEqual && others.length === 0;
  return isName ? term.value : "";
}
