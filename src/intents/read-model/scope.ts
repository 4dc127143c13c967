// What a caller may list of a kind. Decided before anything is counted: a row of a namespace that
// the caller may not list is neither shown nor counted.

import { forbiddenAccess } from "../auth/forbidden.ts";
import type { Authorizer, ResourceAccess } from "../auth/policy.ts";
import type { UserInfo } from "../auth/user.ts";
import type { ServedKind } from "../kinds/served-kind.ts";

export interface Scope {
  /** The only namespace that is wanted; undefined for all of them. */
  readonly namespace: string | undefined;
  /** Whether the caller may list the whole kind. */
  readonly isWhole: boolean;
  allows(namespace: string): boolean;
}

export interface ScopeInput {
  readonly authorizer: Authorizer;
  readonly user: UserInfo;
  readonly served: ServedKind;
  /** Only this namespace, where the kind has namespaces. */
  readonly namespace?: string | undefined;
}

export function scopeOf({ authorizer, user, served, namespace }: ScopeInput): Scope {
  const { kind } = served;
  const mayList = (place: string): boolean =>
    authorizer.authorize(user, listAccess(served, place)).allowed;
  const isWhole = mayList("");
  const decided = new Map<string, boolean>();
  const mayListIn = (place: string): boolean => {
    const known = decided.get(place);
    if (known !== undefined) return known;
    const allowed = mayList(place);
    decided.set(place, allowed);
    return allowed;
  };
  const wanted = kind.scope === "Namespaced" && namespace !== "" ? namespace : undefined;
  return {
    namespace: wanted,
    isWhole: isWhole && wanted === undefined,
    allows: (place) => {
      if (wanted !== undefined && place !== wanted) return false;
      return isWhole || (place !== "" && mayListIn(place));
    },
  };
}

/** Refuses a caller who may list nothing of what is asked for. */
export function requireScope(input: ScopeInput, scope: Scope): void {
  if (scope.isWhole) return;
  const { authorizer, user, served } = input;
  const isNamespaced = served.kind.scope === "Namespaced";
  // Without a namespace the answer has what the caller may list, which may be nothing.
  if (isNamespaced && scope.namespace === undefined) return;
  const access = listAccess(served, scope.namespace ?? "");
  const { allowed, reason } = authorizer.authorize(user, access);
  if (!allowed) throw forbiddenAccess(user, access, reason);
}

function listAccess({ kind }: ServedKind, namespace: string): ResourceAccess {
  const { group, names } = kind;
  const what = { group, resource: names.plural, subresource: "", name: "" };
  return { kind: "resource", verb: "list", ...what, namespace };
}
