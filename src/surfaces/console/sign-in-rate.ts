// How often a user may sign in or create a link. Each writes to the store, also for users without
// any role, who can write nothing else.

import { mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { sessionLimits } from "../../intents/sessions/session-limits.ts";
import type { Clock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { TokenBuckets } from "../http/token-buckets.ts";

/** Throws request.overloaded. */
export type TakeSignIn = (user: UserInfo) => void;

export function signInRate(clock: Clock): TakeSignIn {
  const buckets = new TokenBuckets(clock, sessionLimits.maxRateUsers);
  const { signInsPerSecond: perSecond, signInBurst: burst } = sessionLimits;
  return ({ name, groups }) => {
    if (groups.includes(mastersGroup)) return;
    const seconds = buckets.take(name, { perSecond, burst });
    if (seconds === 0) return;
    const retryAfterSeconds = Math.max(Math.ceil(seconds), 1);
    const message = `the user signs in too often: repeat the request in ${retryAfterSeconds} s`;
    throw new SetpointError("request.overloaded", message, { details: { retryAfterSeconds } });
  };
}
