// Impersonation. Each part of the requested identity needs the verb `impersonate`. The resulting
// identity is exactly the requested one, plus the groups that every user has. Nothing of the real
// caller remains, so impersonation never adds rights to those of the caller.

import { SetpointError } from "../../kernel/errors.ts";
import { shortText } from "../../kernel/short-text.ts";
import { forbiddenAccess } from "./forbidden.ts";
import type { Authorizer, ResourceAccess } from "./policy.ts";
import { headerValues } from "./request-facts.ts";
import type { RequestHeaders } from "./request-facts.ts";
import {
  anonymousName,
  authenticatedGroup,
  parseServiceAccountUserName,
  serviceAccountGroups,
  unauthenticatedGroup,
} from "./user.ts";
import type { UserInfo } from "./user.ts";

const extraPrefix = "impersonate-extra-";
const authenticationGroup = "authentication.k8s.io";
const maxShownReferenceChars = 200;

/** The user to go on with; the caller itself when no impersonation is asked for. */
export function impersonate(
  caller: UserInfo,
  headers: RequestHeaders,
  authorizer: Authorizer,
): UserInfo {
  const asked = readHeaders(headers);
  if (asked === undefined) return caller;
  for (const needed of neededAccess(asked)) {
    const { allowed, reason } = authorizer.authorize(caller, needed);
    if (!allowed) throw forbiddenAccess(caller, needed, reason);
  }
  const account = parseServiceAccountUserName(asked.name);
  const groups =
    asked.groups.length > 0 || account === undefined
      ? asked.groups
      : serviceAccountGroups(account.namespace);
  const completed = completeGroups(asked.name, groups);
  return { name: asked.name, uid: asked.uid, groups: completed, extra: asked.extra };
}

interface Asked {
  readonly name: string;
  readonly uid: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

function readHeaders(headers: RequestHeaders): Asked | undefined {
  const [name = ""] = headerValues(headers, "impersonate-user");
  const [uid = ""] = headerValues(headers, "impersonate-uid");
  const groups = headerValues(headers, "impersonate-group");
  const extra = Object.keys(headers)
    .filter((key) => key.startsWith(extraPrefix))
    .map((key) => [extraKey(key), headerValues(headers, key)] as const);
  if (name !== "") {
    return { name, uid: uid === "" ? undefined : uid, groups, extra: Object.fromEntries(extra) };
  }
  if (groups.length === 0 && extra.length === 0 && uid === "") return undefined;
  throw withoutUser(groups, extra, uid);
}

/** Keys may hold characters that headers cannot, so they come percent-encoded. */
function extraKey(header: string): string {
  const key = header.slice(extraPrefix.length).toLowerCase();
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (error instanceof URIError) return key;
    throw error;
  }
}

function neededAccess({ name, uid, groups, extra }: Asked): readonly ResourceAccess[] {
  const account = parseServiceAccountUserName(name);
  return [
    account === undefined
      ? access("", "users", name)
      : { ...access("", "serviceaccounts", account.name), namespace: account.namespace },
    ...groups.map((group) => access("", "groups", group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => access(authenticationGroup, "userextras", value, key)),
    ),
    ...(uid === undefined ? [] : [access(authenticationGroup, "uids", uid)]),
  ];
}

function access(group: string, resource: string, name: string, subresource = ""): ResourceAccess {
  return {
    kind: "resource",
    verb: "impersonate",
    group,
    resource,
    subresource,
    namespace: "",
    name,
  };
}

function completeGroups(name: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(unauthenticatedGroup)) return groups;
  if (name === anonymousName) return [...groups, unauthenticatedGroup];
  return groups.includes(authenticatedGroup) ? groups : [...groups, authenticatedGroup];
}

/** Kubernetes answers 500 here. The mistake is the caller's, so this is 400, and the text short. */
function withoutUser(
  groups: readonly string[],
  extra: readonly (readonly [string, readonly string[]])[],
  uid: string,
): SetpointError {
  const version = `${authenticationGroup}/v1`;
  const references = [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...extra.flatMap(([key, values]) =>
      values.map((value) => `{UserExtra  ${value}  ${version}  ${key}}`),
    ),
    ...(uid === "" ? [] : [`{UID  ${uid}  ${version}  }`]),
  ];
  const requested = shortText(references.join(" "), maxShownReferenceChars);
  const message = `requested [${requested}] without impersonating a user`;
  return new SetpointError("request.invalid", message, {
    suggestion: "send the header Impersonate-User as well",
  });
}
