// Whether who asks may: the resource manager has asked its own users; anybody else needs a role on
// the kind in the namespace of the subscription. What was decided is told to the audit log. What is
// for operators is hidden from those who may not read it: they are told that there is none.

import type { ResourceAccess } from "../../../intents/auth/policy.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import type { ServedKind } from "../../../intents/kinds/served-kind.ts";
import { armRefusal } from "../protocol/arm-error.ts";
import type { ArmRequest } from "./arm-request.ts";
import type { ArmSurface } from "./surface-state.ts";
import type { ArmAction } from "../../../modules/resource-provider/face.ts";

export interface RequiredRight {
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  /** Of what is for operators: what others are told, who shall not learn that there is such. */
  readonly hidden?: (() => Error) | undefined;
}

/** Throws when it is not allowed. */
export function authorise(
  { intents, authorizer }: ArmSurface,
  { user, isManager, exchange, trail }: ArmRequest,
  kind: string,
  right: RequiredRight,
): void {
  if (isManager) {
    trail?.decide(true, "the certificate belongs to the resource manager");
    return;
  }
  const served = intents.kinds.byId(kind);
  if (served === undefined) throw nowhere(exchange);
  const { hidden, subresource = hidden === undefined ? "" : "admin", ...rest } = right;
  const access: ResourceAccess = { ...accessOf(served), ...rest, subresource };
  const { allowed, reason } = authorizer.authorize(user, access);
  trail?.decide(allowed, reason);
  if (allowed) return;
  const isHidden =
    hidden !== undefined && !authorizer.authorize(user, { ...access, verb: "get" }).allowed;
  throw isHidden ? hidden() : forbidden(user, exchange, access, reason);
}

/** What was asked for, and what a role would have to say, which names resources as stored. */
function forbidden(
  { name }: UserInfo,
  { method, url }: Pick<ArmRequest["exchange"], "method" | "url">,
  access: ResourceAccess,
  reason: string,
): Error {
  const { verb, group, resource, subresource, namespace, name: stored } = access;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "" : ` in the namespace '${namespace}'`;
  const which = stored === "" ? "" : `, named '${stored}'`;
  const why = reason === "" ? "" : ` (${reason})`;
  const message =
    `The user '${name}' may not ${method} '${pathOf(url)}'. A role must allow the verb ` +
    `'${verb}' on '${what}' of the API group '${group}'${where}${which}${why}.`;
  return armRefusal(403, { code: "AuthorizationFailed", message });
}

function pathOf(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.slice(0, 1_000);
}

/** An action, and its answer in the end, are for those who may create its subresource. */
export function rightForAction(
  { name: action }: Pick<ArmAction, "name">,
  { namespace, name }: Pick<RequiredRight, "namespace" | "name">,
): RequiredRight {
  return { verb: "create", namespace, name, subresource: action.toLowerCase() };
}

export function nowhere({ url }: { readonly url: string }): Error {
  const message = `The path '${pathOf(url)}' is not found.`;
  return armRefusal(404, { code: "NotFound", message });
}

function accessOf({ kind }: ServedKind): Pick<ResourceAccess, "kind" | "group" | "resource"> {
  return { kind: "resource", group: kind.group, resource: kind.names.plural };
}
