// Who a caller is for an Offering: owner, organisation, roles, cluster. All claims are mapped here,
// for the REST APIs and for admission, so that kubectl and REST see the same person. A user of an
// OpenID provider is what the token says. Every other user, such as one with a certificate, is what
// the Organisations say. Pure.

import { hash } from "node:crypto";
import { issuerOf, mastersGroup, parseServiceAccountUserName } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { agentAccount, clusterOf } from "./names.ts";
import type { Offering } from "./offering.ts";

export interface FleetCaller {
  /** The name under which the caller owns instances. */
  readonly user: string;
  /** The name that this server authenticated, which RBAC knows. */
  readonly login: string;
  /** As it is in the name of the Organisation and of its namespace. */
  readonly organisation: string | undefined;
  /** The organisation as the issuer names it. */
  readonly organisationName: string | undefined;
  /** Why the caller does not belong to the organisation that the token names. */
  readonly organisationRefusal: string | undefined;
  /** The issuer and the claims that name the organisation; undefined without an issuer. */
  readonly claimedFrom: string | undefined;
  /** Organisations that the same issuer and claims named earlier, and do not name any more. */
  readonly former: readonly string[];
  readonly account: string;
  readonly isOrganisationAdmin: boolean;
  /** In lower case: roles are compared without regard to case. */
  readonly roles: readonly string[];
  /** The cluster of an agent. */
  readonly clusterId: string | undefined;
  /** Undefined for a user without a token of an OpenID provider. */
  readonly issuer: string | undefined;
  /** An administrator of this server, who may set every field of an instance. */
  readonly isServerAdmin: boolean;
}

/** What the Organisations say about users. */
export interface MemberDirectory {
  /** The first organisation by name that lists a user whom RBAC knows by this name. */
  listed(login: string): ListedMember | undefined;
  member(organisation: string, user: string): Member | undefined;
  /** Whether tokens of the issuer may name the organisation. */
  acceptsIssuer(organisation: string, issuer: string): boolean;
  /** Organisations with the user as a member that the issuer and claims have named. */
  claimed(login: string, claimedFrom: string): readonly string[];
}

export interface ListedMember {
  readonly organisation: string;
  /** The name under which the member owns instances. */
  readonly user: string;
}

export interface Member {
  readonly account: string;
  readonly isAdmin: boolean;
  readonly isDenied: boolean;
}

export function fleetCaller(
  user: UserInfo,
  { api }: Pick<Offering, "api">,
  directory: MemberDirectory,
): FleetCaller {
  const { claims } = api;
  const issuer = issuerOf(user);
  const named = organisationOf(user, claims, directory, issuer);
  const { name, organisation } = named;
  const member = organisation === undefined ? undefined : directory.member(organisation, name);
  const adminClaim = first(user, claims.isOrganisationAdmin);
  return {
    user: name,
    login: user.name,
    organisation,
    organisationName: named.claimed,
    organisationRefusal: named.refusal,
    claimedFrom: named.claimedFrom,
    former: named.former,
    account: first(user, claims.account) ?? member?.account ?? "",
    isOrganisationAdmin:
      adminClaim === undefined ? member?.isAdmin === true : adminClaim.toLowerCase() === "true",
    roles: [...values(user, claims.roles), ...user.groups].map((role) => role.toLowerCase()),
    clusterId: clusterOfAgent(user) ?? first(user, claims.cluster),
    issuer,
    isServerAdmin: user.groups.includes(mastersGroup),
  };
}

interface NamedOrganisation {
  readonly name: string;
  readonly organisation: string | undefined;
  readonly claimed: string | undefined;
  readonly refusal: string | undefined;
  readonly claimedFrom: string | undefined;
  readonly former: readonly string[];
}

function organisationOf(
  user: UserInfo,
  claims: Offering["api"]["claims"],
  directory: MemberDirectory,
  issuer: string | undefined,
): NamedOrganisation {
  const none = { refusal: undefined, claimedFrom: undefined, former: [] };
  if (issuer === undefined) {
    const { organisation, user: name = user.name } = directory.listed(user.name) ?? {};
    return { ...none, name, organisation, claimed: organisation };
  }
  const name = (claims.user === undefined ? undefined : first(user, claims.user)) ?? user.name;
  const claimed = claims.organisation.map((key) => first(user, key)).find((value) => value);
  const claimedFrom = `${issuer} ${claims.organisation.join(",")}`;
  const id = claimed === undefined ? undefined : organisationId(claimed);
  const former = directory.claimed(user.name, claimedFrom).filter((each) => each !== id);
  if (id === undefined || directory.acceptsIssuer(id, issuer)) {
    return { name, organisation: id, claimed, refusal: undefined, claimedFrom, former };
  }
  const refusal =
    `the organisation ${id} does not accept tokens of the issuer ${issuer}: ` +
    "an administrator can add it to spec.issuers of the Organisation";
  return { name, organisation: undefined, claimed, refusal, claimedFrom, former };
}

/** The ServiceAccount of an agent is an agent without any role. */
export function clusterOfAgent({ name }: Pick<UserInfo, "name">): string | undefined {
  const account = parseServiceAccountUserName(name);
  return account?.name === agentAccount ? clusterOf(account.namespace) : undefined;
}

/**
 * An id that can be part of the name of a namespace. An id of another form is replaced by its
 * digest: two organisations never get the same name, as they would by a change of case.
 */
export function organisationId(claimed: string): string {
  const isPlain = plainId.test(claimed) && !claimed.startsWith(digestPrefix);
  return isPlain ? claimed : `${digestPrefix}${hash("sha256", claimed, "hex").slice(0, 32)}`;
}

const plainId = /^[a-z0-9](?:[-a-z0-9]{0,48}[a-z0-9])?$/;
const digestPrefix = "x-";

function values({ extra }: UserInfo, key: string): readonly string[] {
  return Object.hasOwn(extra, key) ? (extra[key] ?? []) : [];
}

/** Undefined for an empty value as well. */
function first(user: UserInfo, key: string): string | undefined {
  return values(user, key).find((value) => value !== "");
}
