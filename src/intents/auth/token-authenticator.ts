// What every way to check a bearer token has in common. An authenticator that does not know a token
// returns nothing, so that the next may try; one that knows it as its own and finds it bad throws
// the error of `badToken`, whose reason TokenReview and a 401 show.

import type { UserInfo } from "./user.ts";

export interface TokenUser {
  readonly user: UserInfo;
  /** Those of the audiences asked for that the token is meant for. */
  readonly audiences: readonly string[];
}

/** Resolves to undefined for a token that is not of this authenticator's kind. */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenUser | undefined>;

/** The audiences in both lists, in the order of the first. */
export function commonAudiences(
  first: readonly string[],
  second: readonly string[],
): readonly string[] {
  return first.filter((audience) => second.includes(audience));
}
