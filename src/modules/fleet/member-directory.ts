// The members of all Organisations by name, as a follower of the live view: a request finds the
// organisation of a user without a search.

import type { LiveView } from "../../intents/live-view.ts";
import { isTrueAt, objectsAt, textAt } from "../../kernel/json-read.ts";
import type { Resource } from "../../kernel/resource.ts";
import type { Member, MemberDirectory } from "./identity.ts";
import { organisationsKind } from "./names.ts";

export interface FollowedDirectory extends MemberDirectory, Disposable {}

export function followMembers(live: Pick<LiveView, "follow">): FollowedDirectory {
  const members = new Map<string, ReadonlyMap<string, Member>>();
  const organisations = new Map<string, Set<string>>();
  const drop = (organisation: string): void => {
    for (const user of members.get(organisation)?.keys() ?? []) {
      const named = organisations.get(user);
      named?.delete(organisation);
      if (named?.size === 0) organisations.delete(user);
    }
    members.delete(organisation);
  };
  const stop = live.follow(organisationsKind, (after, before) => {
    if (before !== undefined) drop(before.key.name);
    if (after === undefined) return;
    const { name } = after.key;
    const own = membersOf(after.resource);
    members.set(name, own);
    for (const user of own.keys()) {
      organisations.set(user, (organisations.get(user) ?? new Set()).add(name));
    }
  });
  return {
    member: (organisation, user) => members.get(organisation)?.get(user),
    organisationOf: (user) => [...(organisations.get(user) ?? [])].sort()[0],
    [Symbol.dispose]: stop,
  };
}

function membersOf({ spec }: Resource): ReadonlyMap<string, Member> {
  return new Map(
    objectsAt(spec, "members").map((member) => [
      textAt(member, "user"),
      {
        account: textAt(member, "account"),
        isAdmin: isTrueAt(member, "isAdmin"),
        isDenied: isTrueAt(member, "isDenied"),
      },
    ]),
  );
}
