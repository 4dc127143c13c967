// The members of all Organisations by name, as a follower of the live view: a request finds the
// organisation of a user without a search.

import type { LiveView } from "../../intents/live-view.ts";
import type { MemberDirectory } from "./identity.ts";
import { organisationsKind } from "./names.ts";
import { readOrganisation } from "./organisations/organisation.ts";
import type { OrganisationMember } from "./organisations/organisation.ts";

export interface FollowedDirectory extends MemberDirectory, Disposable {}

interface KnownOrganisation {
  /** By the name under which members own instances. */
  readonly members: ReadonlyMap<string, OrganisationMember>;
  readonly issuers: readonly string[];
}

export function followMembers(live: Pick<LiveView, "follow">): FollowedDirectory {
  const organisations = new Map<string, KnownOrganisation>();
  /** By the name that RBAC knows: the organisations, and the member in each. */
  const logins = new Map<string, Map<string, string>>();
  const drop = (organisation: string): void => {
    for (const { login } of organisations.get(organisation)?.members.values() ?? []) {
      const listed = logins.get(login);
      listed?.delete(organisation);
      if (listed?.size === 0) logins.delete(login);
    }
    organisations.delete(organisation);
  };
  const stop = live.follow(organisationsKind, (after, before) => {
    if (before !== undefined) drop(before.key.name);
    if (after === undefined) return;
    const { name } = after.key;
    const { members, issuers } = readOrganisation(after.resource);
    organisations.set(name, { members, issuers });
    for (const [user, { login }] of members) {
      logins.set(login, (logins.get(login) ?? new Map<string, string>()).set(name, user));
    }
  });
  return {
    member: (organisation, user) => organisations.get(organisation)?.members.get(user),
    listed: (login) => {
      const [first] = [...(logins.get(login) ?? [])].sort(([one], [other]) =>
        one < other ? -1 : 1,
      );
      return first && { organisation: first[0], user: first[1] };
    },
    acceptsIssuer: (organisation, issuer) => {
      const { issuers = [] } = organisations.get(organisation) ?? {};
      return issuers.length === 0 || issuers.includes(issuer);
    },
    claimed: (login, claimedFrom) =>
      [...(logins.get(login) ?? [])]
        .filter(([organisation, user]) => {
          const member = organisations.get(organisation)?.members.get(user);
          return member?.claimedFrom === claimedFrom;
        })
        .map(([organisation]) => organisation),
    [Symbol.dispose]: stop,
  };
}
