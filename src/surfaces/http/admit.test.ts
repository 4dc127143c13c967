import { test } from "node:test";
import { equal, throws } from "node:assert/strict";
import { userTenant } from "../../intents/auth/tenant-name.ts";
import { manualClock } from "../../kernel/clock.ts";
import { limits } from "../../kernel/limits.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { memoryLane } from "./admit.ts";
import { addressTenant } from "./tenant.ts";

test("requests without credentials hold an eighth together, from however many addresses", () => {
  const lane = memoryLane(manualTimers(manualClock()));
  const bytes = limits.maxBytesInFlight / 64;
  for (let at = 0; at < 8; at += 1) lane.grow(addressTenant(`192.0.2.${at}`), bytes);
  throws(() => lane.grow(addressTenant("192.0.2.8"), bytes), { code: "request.overloaded" });
  lane.grow(userTenant("ann"), bytes);
  equal(lane.counts().held, 9 * bytes);
});
