// Whether who asks may: the resource manager has asked its own users; anybody else needs a role on
// the kind in the namespace of the subscription. What was decided is told to the audit log.

import { forbiddenAccess } from "../../intents/auth/forbidden.ts";
import type { ResourceAccess } from "../../intents/auth/policy.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { armRefusal } from "./arm-error.ts";
import type { ArmRequest, ArmSurface } from "./arm-request.ts";
import type { ArmAction } from "./face.ts";

export interface Asked {
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  readonly isAdmin?: boolean | undefined;
}

/** Throws when it is not allowed. */
export function authorise(
  { intents, authorizer }: ArmSurface,
  { user, isManager, exchange, trail }: ArmRequest,
  kind: string,
  asked: Asked,
): void {
  if (isManager) {
    trail?.decide(true, "the certificate is one of the resource manager");
    return;
  }
  const served = intents.kinds.byId(kind);
  if (served === undefined) throw nowhere(exchange);
  const { isAdmin = false, subresource = isAdmin ? "admin" : "", ...rest } = asked;
  const access: ResourceAccess = { ...accessOf(served), ...rest, subresource };
  const { allowed, reason } = authorizer.authorize(user, access);
  trail?.decide(allowed, reason);
  if (!allowed) throw forbiddenAccess(user, access, reason);
}

/** An action, and its answer in the end, are for those who may create its subresource. */
export function askedForAction(
  { name: action }: Pick<ArmAction, "name">,
  { namespace, name }: Pick<Asked, "namespace" | "name">,
): Asked {
  return { verb: "create", namespace, name, subresource: action.toLowerCase() };
}

export function nowhere({ url }: { readonly url: string }): Error {
  const [path = ""] = url.split("?", 1);
  const message = `The path '${path.slice(0, 1_000)}' is not found.`;
  return armRefusal(404, { code: "NotFound", message });
}

function accessOf({ kind }: ServedKind): Pick<ResourceAccess, "kind" | "group" | "resource"> {
  return { kind: "resource", group: kind.group, resource: kind.names.plural };
}
