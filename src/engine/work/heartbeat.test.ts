import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { create, keyOf, newRig, widgets } from "../../../tests/engine/rig.ts";
import type { Rig } from "../../../tests/engine/rig.ts";
import type { Claim, ClaimRef, Renewal } from "../../store/port.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Holder } from "./heartbeat.ts";

const leaseMs = 30_000;

type Renew = (claims: readonly ClaimRef[], leaseMs: number) => Promise<Renewal>;

/** A heartbeat whose renewals go through `renew`. */
function heartbeatOver(rig: Rig, renew?: Renew): Heartbeat {
  const store = new Proxy(rig.store, {
    get: (target, name) =>
      name === "renew" && renew !== undefined
        ? renew
        : (Reflect.get(target, name) as () => unknown).bind(target),
  });
  return new Heartbeat(rig.portsOver(store), leaseMs);
}

interface Held extends Holder {
  readonly losses: number[];
}

async function claimAll(rig: Rig, heartbeat: Heartbeat): Promise<readonly Held[]> {
  const lease = heartbeat.beginLease();
  const request = { owner: "one", kinds: [widgets], limit: 100, leaseMs };
  const claims: readonly Claim[] = await rig.store.claim(request);
  const holders = claims.map((claim): Held => {
    const losses: number[] = [];
    return { claim, lease: undefined, losses, lost: () => losses.push(rig.clock.nowMs()) };
  });
  for (const holder of holders) assert.equal(heartbeat.hold(holder, lease), true);
  lease.cohort.close();
  return holders;
}

describe("a heartbeat", () => {
  it("renews everything that is held in one call each third of a lease", async () => {
    const rig = newRig();
    const calls: number[] = [];
    const heartbeat = heartbeatOver(rig, async (claims, ms) => {
      calls.push(claims.length);
      return await rig.store.renew(claims, ms);
    });
    for (const name of ["a", "b", "c"]) await create(rig.store, keyOf(name));
    const holders = await claimAll(rig, heartbeat);
    await rig.timers.advance(95_000);
    assert.deepEqual(
      calls,
      Array.from({ length: 9 }, () => 3),
    );
    assert.ok(holders.every(({ losses }) => losses.length === 0));
    for (const holder of holders) heartbeat.drop(holder);
    await rig.timers.advance(60_000);
    assert.equal(calls.length, 9, "nothing is renewed when nothing is held");
    assert.equal(rig.timers.pendingCount(), 0);
  });

  it("does not trust an answer that took longer than the lease", async () => {
    const rig = newRig();
    const heartbeat = heartbeatOver(rig, async (claims, ms) => {
      const answer = await rig.store.renew(claims, ms);
      await rig.timers.sleep(40_000);
      return answer;
    });
    await create(rig.store, keyOf("a"));
    const startMs = rig.clock.nowMs();
    const [holder] = await claimAll(rig, heartbeat);
    await rig.timers.advance(100_000);
    assert.deepEqual(holder?.losses, [startMs + 27_000]);
  });

  it("refuses what was claimed by a call that took too long", async () => {
    const rig = newRig();
    const heartbeat = heartbeatOver(rig);
    await create(rig.store, keyOf("a"));
    const lease = heartbeat.beginLease();
    await rig.timers.advance(28_000);
    const claim = { key: keyOf("a"), token: 1 };
    const holder = { claim, lease: undefined, lost: () => undefined };
    assert.equal(heartbeat.hold(holder, lease), false);
    assert.equal(heartbeat.held, 0);
  });

  it("tries again soon after a failure, and not only at the next beat", async () => {
    const rig = newRig();
    let failures = 0;
    const heartbeat = heartbeatOver(rig, async (claims, ms) => {
      if (rig.clock.nowMs() % 60_000 >= 20_000) return await rig.store.renew(claims, ms);
      failures += 1;
      throw new Error("away");
    });
    await create(rig.store, keyOf("a"));
    const [holder] = await claimAll(rig, heartbeat);
    await rig.timers.advance(50_000);
    assert.ok(failures >= 15, `${failures} tries`);
    assert.deepEqual(holder?.losses, []);
    heartbeat.stop();
    await rig.timers.advance(60_000);
    assert.equal(rig.timers.pendingCount(), 0);
  });
});
