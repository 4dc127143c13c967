// Which user a sender acts as. The broker has checked that the user id of a message is the user who
// sent it; the configuration maps that user to a user of Setpoint.

import {
  authenticatedGroup,
  parseServiceAccountUserName,
  serviceAccountGroups,
} from "../../../intents/auth/user.ts";
import type { UserInfo } from "../../../intents/auth/user.ts";
import { SetpointError } from "../../../kernel/errors.ts";

export type UserOf = (brokerUser: string | undefined) => UserInfo;

/** Each text is BROKER-USER=USER. Throws request.unauthenticated for another sender. */
export function mappedUsers(users: readonly string[]): UserOf {
  const byBrokerUser = new Map(users.map(parsed));
  return (brokerUser) => {
    if (brokerUser === undefined) throw notKnown("the message has no user id", idNeeded);
    const user = byBrokerUser.get(brokerUser);
    if (user !== undefined) return user;
    const name = JSON.stringify(brokerUser.slice(0, 100));
    throw notKnown(`the broker user ${name} is not mapped to a user`, "add it to bus.users");
  };
}

const idNeeded = "set the property user-id to the user of the connection; the broker checks it";

function parsed(text: string): readonly [string, UserInfo] {
  const at = text.indexOf("=");
  const name = text.slice(at + 1);
  const account = parseServiceAccountUserName(name);
  const groups = account === undefined ? [] : serviceAccountGroups(account.namespace);
  return [text.slice(0, at), { name, groups: [...groups, authenticatedGroup], extra: {} }];
}

function notKnown(reason: string, suggestion: string): SetpointError {
  return new SetpointError("request.unauthenticated", reason, {
    details: { field: "user-id" },
    suggestion,
  });
}
