// Which rate applies to which caller. Customers share the rate of their organisation, across all
// of its users and tokens. An agent has its own, so that no customer can slow a cluster down.

import type { ApiClass } from "../../modules/fleet/api/fleet-route.ts";
import type { FleetCaller } from "../../modules/fleet/identity.ts";
import { fleetLimits } from "../../modules/fleet/limits.ts";
import type { Offering } from "../../modules/fleet/offering.ts";
import type { Clock } from "../../kernel/clock.ts";
import { RateLimiter } from "./rate-limit.ts";

/** Throws fleet.rate_limited. */
export type TakeRequest = (offering: Offering, apiClass: ApiClass, caller: FleetCaller) => void;

export function requestRates(clock: Clock): TakeRequest {
  const limiter = new RateLimiter(clock, fleetLimits.maxRateTenants);
  return ({ name, api }, apiClass, { organisation, clusterId, user }) => {
    if (apiClass === "agent") {
      const perSecond = fleetLimits.agentRequestsPerSecond;
      const rate = { perSecond, burst: perSecond * burstSeconds };
      limiter.take(`${name} cluster ${clusterId ?? user}`, rate);
      return;
    }
    // Administrators are few, and repair what customers overload.
    if (apiClass === "admin") return;
    const perSecond = api.requestsPerSecond;
    const tenant = organisation === undefined ? `user ${user}` : `organisation ${organisation}`;
    limiter.take(`${name} ${tenant}`, { perSecond, burst: perSecond * burstSeconds });
  };
}

/** A tenant that was idle may send this many seconds' worth of requests at once. */
const burstSeconds = 10;
