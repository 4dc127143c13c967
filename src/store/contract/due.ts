/** When work is due: wakes, releases, attempts, and how a worker learns that there is some. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  at,
  claimOne,
  claimSome,
  commit,
  del,
  exists,
  gadgets,
  key,
  minuteMs,
  names,
  put,
  release,
  schedule,
  soon,
  wake,
  widgets,
} from "./samples.ts";

const [a, b] = [key("a"), key("b")];

export function dueContract(open: OpenStore): void {
  wakes(open);
  releases(open);
  attempts(open);
  nextDue(open);
  ticks(open);
}

function wakes(open: OpenStore): void {
  scenario(open, "what nobody woke is never due", async (h) => {
    await commit(h.store, put(a));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    assert.deepEqual(await claimSome(h.store), []);
    assert.equal(await h.store.nextDue([widgets]), undefined);
  });

  scenario(open, "a resource is due once its time has come by the database's clock", async (h) => {
    await commit(h.store, put(a, { due: wake(10 * minuteMs) }));
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(9 * minuteMs);
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(minuteMs);
    assert.equal((await claimOne(h.store)).key.name, "a");
  });

  scenario(open, "a wake brings the due time forward and never puts it off", async (h) => {
    await commit(h.store, put(a, { due: wake(10 * minuteMs) }));
    await commit(h.store, schedule(a, wake(5 * minuteMs)));
    await commit(h.store, schedule(a, wake(20 * minuteMs)));
    await commit(h.store, put(a, { when: at(1), content: { spec: 2 }, due: wake(30 * minuteMs) }));
    await h.advanceClock(4 * minuteMs);
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(minuteMs);
    assert.equal((await claimOne(h.store)).revision, 2);
  });

  scenario(open, "a deletion ends what was due, and a new life begins without", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await commit(h.store, del(a));
    assert.deepEqual(await claimSome(h.store), []);
    await commit(h.store, put(a));
    assert.deepEqual(await claimSome(h.store), []);
    assert.equal(await h.store.nextDue([widgets]), undefined);
  });
}

function releases(open: OpenStore): void {
  scenario(open, "a wake during a claim takes effect at the release", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, put(a, { when: exists, content: { spec: 2 }, due: wake() }));
    assert.deepEqual(await claimSome(h.store), []);
    await commit(h.store, schedule(a, release(60 * minuteMs), { claim }));
    const again = await claimOne(h.store);
    assert.equal(again.revision, 2);
    // The wish was used up: it does not wake a second time.
    await commit(h.store, schedule(a, release(), { claim: again }));
    assert.deepEqual(await claimSome(h.store), []);
    assert.equal(await h.store.nextDue([widgets]), undefined);
  });

  scenario(open, "of wakes during a claim and the release the earliest counts", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store, { leaseMs: 60 * minuteMs });
    await commit(h.store, schedule(a, wake(9 * minuteMs)));
    await commit(h.store, schedule(a, wake(6 * minuteMs)));
    await commit(h.store, schedule(a, wake(8 * minuteMs)));
    await h.advanceClock(2 * minuteMs);
    await commit(h.store, schedule(a, release(7 * minuteMs), { claim }));
    await h.advanceClock(3 * minuteMs);
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(minuteMs);
    await claimOne(h.store);
  });

  scenario(open, "a release settles the resource until somebody wakes it", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    const done = { when: at(1), content: { spec: "done" }, claim, due: release() };
    assert.equal(await commit(h.store, put(a, done)), 2);
    assert.equal(await h.store.nextDue([widgets]), undefined);
    await h.advanceClock(60 * minuteMs);
    assert.deepEqual(await claimSome(h.store), []);
    await commit(h.store, schedule(a, wake()));
    await claimOne(h.store);
  });

  scenario(open, "a release may ask to be due again after a while", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, schedule(a, release(5 * minuteMs), { claim }));
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(5 * minuteMs);
    await claimOne(h.store);
  });

  scenario(open, "a put under a claim that does not release keeps the claim", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, put(a, { when: at(1), content: { spec: 2 }, claim }));
    assert.deepEqual(await claimSome(h.store), []);
    assert.equal((await h.store.renew([claim], minuteMs)).renewed.length, 1);
  });

  scenario(open, "a put that changes nothing releases all the same", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    const same = await h.store.commit([put(a, { when: at(1), claim, due: release() })]);
    assert.deepEqual(same, [{ kind: "unchanged", revision: 1 }]);
    assert.equal((await h.store.renew([claim], minuteMs)).lost.length, 1);
  });
}

function attempts(open: OpenStore): void {
  scenario(open, "attempts count claims until a release resets them", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const seen: number[] = [];
    for (const after of ["keep", "keep", "reset", "keep"] as const) {
      const claim = await claimOne(h.store);
      seen.push(claim.attempts);
      await commit(h.store, schedule(a, release(0, after), { claim }));
    }
    seen.push((await claimOne(h.store)).attempts);
    assert.deepEqual(seen, [1, 2, 3, 1, 2]);
  });

  scenario(open, "attempts survive settling and waking, not deletion", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const first = await claimOne(h.store);
    await commit(h.store, schedule(a, release(), { claim: first }));
    await commit(h.store, put(a, { when: exists, content: { spec: 2 }, due: wake() }));
    assert.equal((await claimOne(h.store)).attempts, 2);
    await commit(h.store, del(a));
    await commit(h.store, put(a, { due: wake() }));
    assert.equal((await claimOne(h.store)).attempts, 1);
  });
}

function nextDue(open: OpenStore): void {
  scenario(open, "the next due time is that of the earliest, by kind", async (h) => {
    assert.equal(await h.store.nextDue([widgets, gadgets]), undefined);
    await commit(h.store, put(a, { due: wake(10 * minuteMs) }));
    await commit(h.store, put(key("g", "team", gadgets), { due: wake(3 * minuteMs) }));
    near(await h.store.nextDue([widgets]), 10 * minuteMs);
    near(await h.store.nextDue([widgets, gadgets]), 3 * minuteMs);
    assert.equal(await h.store.nextDue(["none"]), undefined);
    assert.equal(await h.store.nextDue([]), undefined);
    await h.advanceClock(4 * minuteMs);
    assert.equal(await h.store.nextDue([gadgets]), 0);
    near(await h.store.nextDue([widgets]), 6 * minuteMs);
  });

  scenario(open, "a claimed resource is next due when its lease ends", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store, { leaseMs: 5 * minuteMs });
    await commit(h.store, schedule(a, wake()));
    near(await h.store.nextDue([widgets]), 5 * minuteMs);
    await h.store.renew([claim], 9 * minuteMs);
    near(await h.store.nextDue([widgets]), 9 * minuteMs);
    await h.advanceClock(9 * minuteMs);
    assert.equal(await h.store.nextDue([widgets]), 0);
  });

  scenario(open, "a claim tells when it became due", async (h) => {
    await commit(h.store, put(a, { due: wake(2 * minuteMs) }));
    const writtenAtMs = (await h.store.history(a))[0]?.atMs ?? 0;
    await h.advanceClock(7 * minuteMs);
    const first = await claimOne(h.store, { leaseMs: 3 * minuteMs });
    near(first.dueAtMs - writtenAtMs, 2 * minuteMs);
    near(first.expiresAtMs - writtenAtMs, 10 * minuteMs);
    await h.advanceClock(5 * minuteMs);
    const second = await claimOne(h.store);
    assert.equal(second.dueAtMs, first.expiresAtMs);
  });
}

function ticks(open: OpenStore): void {
  scenario(open, "who is settled and was woken meanwhile moves the tick", async (h) => {
    await h.store.commit([put(a, { due: wake() }), put(b, { due: wake() })]);
    const claims = await claimSome(h.store);
    await commit(h.store, schedule(b, wake()));
    const seen = h.store.workTick();
    const arrived = h.store.workArrived(seen, soon());
    const writes = claims.map((claim) => schedule(claim.key, release(), { claim }));
    await h.store.commit(writes);
    assert((await arrived) > seen);
    assert.deepEqual(names(await claimSome(h.store)), ["b"]);
  });

  scenario(open, "work that becomes due sooner moves the tick and wakes who waits", async (h) => {
    const causes = [
      () => commit(h.store, put(a, { due: wake() })),
      () => commit(h.store, put(b, { due: wake(minuteMs) })),
      () => commit(h.store, schedule(b, wake())),
      async () => {
        const claims = await claimSome(h.store);
        assert.deepEqual(names(claims).toSorted(), ["a", "b"]);
        for (const claim of claims) {
          await commit(h.store, schedule(claim.key, release(minuteMs), { claim }));
        }
      },
    ];
    for (const cause of causes) {
      const seen = h.store.workTick();
      const arrived = h.store.workArrived(seen, soon());
      await cause();
      assert((await arrived) > seen);
      assert(h.store.workTick() > seen);
      assert((await h.store.workArrived(seen, soon())) > seen);
    }
  });
}

/** A database's clock flows while a test runs; a minute is far more than that. */
function near(actualMs: number | undefined, expectedMs: number): void {
  assert(actualMs !== undefined, "something is due");
  const driftMs = Math.abs(actualMs - expectedMs);
  assert(driftMs < minuteMs / 2, `${actualMs} ms is not about ${expectedMs} ms`);
}
