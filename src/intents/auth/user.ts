// Who a request comes from, as every later step sees it: authentication makes a UserInfo,
// impersonation may replace it, authorisation and admission read it. The names of groups are
// those of Kubernetes, because bindings written for it must keep meaning the same people.

import { dnsLabelProblems, subdomainProblems } from "../../kernel/names.ts";

export interface UserInfo {
  readonly name: string;
  /** Tells two users of the same name at different times apart; empty for most. */
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  /** What the authenticator also knows, by lower-case key. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export const mastersGroup = "system:masters";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const serviceAccountsGroup = "system:serviceaccounts";
export const anonymousName = "system:anonymous";

export const anonymousUser: UserInfo = {
  name: anonymousName,
  groups: [unauthenticatedGroup],
  extra: {},
};

const serviceAccountPrefix = "system:serviceaccount:";

export function serviceAccountUserName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** Every service account is in the group of all and in the group of its namespace. */
export function serviceAccountGroups(namespace: string): readonly string[] {
  return [serviceAccountsGroup, `${serviceAccountsGroup}:${namespace}`];
}

/** The key in `extra` under which the credential that was used is named. */
export const credentialIdKey = "authentication.kubernetes.io/credential-id";

/**
 * The key in `extra` with the issuer of an OpenID token. Users with other credentials (service
 * accounts, certificates, static tokens, the administrator) do not have it.
 */
export const issuerKey = "authentication.setpoint.dev/issuer";

/** The OpenID provider that names this user; undefined for users with other credentials. */
export function issuerOf({ extra }: UserInfo): string | undefined {
  return extra[issuerKey]?.[0];
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** Takes a user name apart again; undefined when it is not that of a service account. */
export function parseServiceAccountUserName(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = "", name = "", ...rest] = userName
    .slice(serviceAccountPrefix.length)
    .split(":");
  if (rest.length > 0) return undefined;
  const isValid = dnsLabelProblems(namespace).length + subdomainProblems(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}
