import assert from "node:assert/strict";
import { test } from "node:test";
import { mastersGroup } from "../../intents/auth/user.ts";
import type { UserInfo } from "../../intents/auth/user.ts";
import { sessionLimits } from "../../intents/sessions/session-limits.ts";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { signInRate } from "./sign-in-rate.ts";

const user = (name: string, groups: readonly string[] = []): UserInfo => ({
  name,
  groups,
  extra: {},
});

test("a user signs in at a bounded rate, and keeps no other user from it", () => {
  const clock = manualClock();
  const take = signInRate(clock);
  for (let at = 0; at < sessionLimits.signInBurst; at += 1) take(user("ann"));
  const refused = (error: unknown): boolean =>
    isSetpointError(error, "request.overloaded") && error.details["retryAfterSeconds"] === 1;
  assert.throws(() => take(user("ann")), refused);
  take(user("bob"));
  clock.advanceMs(1_000 / sessionLimits.signInsPerSecond);
  take(user("ann"));
  assert.throws(() => take(user("ann")), refused);
});

test("an administrator signs in at any rate", () => {
  const take = signInRate(manualClock());
  for (let at = 0; at < 2 * sessionLimits.signInBurst; at += 1) take(user("root", [mastersGroup]));
});
