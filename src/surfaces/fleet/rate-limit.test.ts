import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fleetLimits } from "../../modules/fleet/limits.ts";
import { readOffering } from "../../modules/fleet/offering.ts";
import { sampleOffering } from "../../modules/fleet/sample-offering.ts";
import type { FleetCaller } from "../../modules/fleet/identity.ts";
import { manualClock } from "../../kernel/clock.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import { RateLimiter } from "./rate-limit.ts";
import { requestRates } from "./request-rates.ts";

const isLimited = (error: unknown): boolean => isSetpointError(error, "fleet.rate_limited");

describe("the rate of a tenant", () => {
  const rate = { perSecond: 2, burst: 4 };

  it("allows a burst, then refills with time", () => {
    const clock = manualClock();
    const limiter = new RateLimiter(clock, 10);
    for (let sent = 0; sent < 4; sent += 1) limiter.take("a", rate);
    assert.throws(() => limiter.take("a", rate), isLimited);
    clock.advanceMs(500);
    limiter.take("a", rate);
    assert.throws(() => limiter.take("a", rate), isLimited);
    clock.advanceMs(3_600_000);
    for (let sent = 0; sent < 4; sent += 1) limiter.take("a", rate);
    assert.throws(() => limiter.take("a", rate), isLimited);
  });

  it("is its own, and says when to try again", () => {
    const limiter = new RateLimiter(manualClock(), 10);
    const slow = { perSecond: 0.1, burst: 1 };
    limiter.take("a", slow);
    limiter.take("b", slow);
    assert.throws(
      () => limiter.take("a", slow),
      (error: unknown) => {
        assert.ok(isSetpointError(error, "fleet.rate_limited"));
        assert.equal(error.details["retryAfterSeconds"], 10);
        return true;
      },
    );
  });

  it("does not grow when the clock goes back", () => {
    const clock = manualClock();
    const limiter = new RateLimiter(clock, 10);
    for (let sent = 0; sent < 4; sent += 1) limiter.take("a", rate);
    clock.advanceMs(-60_000);
    assert.throws(() => limiter.take("a", rate), isLimited);
    clock.advanceMs(500);
    limiter.take("a", rate);
  });

  it("is kept for a bounded number of tenants, those that were seen last", () => {
    const limiter = new RateLimiter(manualClock(), 2);
    const once = { perSecond: 1, burst: 1 };
    limiter.take("a", once);
    limiter.take("b", once);
    assert.throws(() => limiter.take("a", once), isLimited);
    limiter.take("c", once);
    assert.throws(() => limiter.take("a", once), isLimited);
    limiter.take("b", once);
  });
});

describe("requests", () => {
  const offering = readOffering(sampleOffering({ api: { public: { requestsPerSecond: 1 } } }));
  const of = (more: Partial<FleetCaller>): FleetCaller => ({ user: "ann", ...more }) as FleetCaller;

  it("of one organisation share its rate, and do not touch that of another", () => {
    const take = requestRates(manualClock());
    for (let sent = 0; sent < 10; sent += 1) {
      take(offering, "public", of({ organisation: "acme", user: `user-${sent}` }));
    }
    const more = of({ organisation: "acme", user: "one-more" });
    assert.throws(() => take(offering, "public", more), isLimited);
    take(offering, "public", of({ organisation: "globex" }));
  });

  it("of agents and administrators are not counted for customers", () => {
    const take = requestRates(manualClock());
    const organisation = "acme";
    for (let sent = 0; sent < 1_000; sent += 1) {
      take(offering, "agent", of({ organisation, clusterId: "c1" }));
      take(offering, "admin", of({ organisation }));
    }
    take(offering, "public", of({ organisation }));
    for (let sent = 1_000; sent < fleetLimits.agentRequestsPerSecond * 10; sent += 1) {
      take(offering, "agent", of({ clusterId: "c1" }));
    }
    assert.throws(() => take(offering, "agent", of({ clusterId: "c1" })), isLimited);
    take(offering, "agent", of({ clusterId: "c2" }));
  });
});
