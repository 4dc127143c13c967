/** What was answered is still there when the store is opened again; crashes are in tests/chaos. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  changesAfter,
  claimOne,
  claimSome,
  commit,
  key,
  listAll,
  minuteMs,
  put,
  refusal,
  rejectsWith,
  release,
  schedule,
  wake,
  widgets,
} from "./samples.ts";
import { scriptedHistory } from "./scripted-history.ts";

export function durabilityContract(open: OpenStore): void {
  scenario(open, "a store opened again has its log, states, mark and next revision", async (h) => {
    const states = await scriptedHistory(h.store, 40);
    await h.store.compact(15);
    const log = await changesAfter(h.store, 15);
    await h.reopen();
    assert.deepEqual(await h.store.head(), { revision: 40, compacted: 15 });
    assert.deepEqual(await changesAfter(h.store, 15), log);
    for (let revision = 15; revision <= 40; revision += 1) {
      const all = await listAll(h.store, { kind: widgets, at: revision });
      assert.deepEqual(all, states[revision]?.records);
    }
    await rejectsWith("history.gone", h.store.changes(14));
    assert.equal(await commit(h.store, put(key("next"))), 41);
  });

  scenario(open, "a store opened again has its names, counters and bounds", async (h) => {
    const [a, b] = [key("a"), key("b")];
    const held = {
      names: [{ scope: "s", name: "n" }],
      uses: [{ counter: "c", amount: 2 }],
      bounds: [{ counter: "c", max: 3 }],
    };
    await commit(h.store, put(a, held));
    await h.reopen();
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), a);
    assert.deepEqual(await h.store.counter("c"), { value: 2, max: 3 });
    assert.equal(await refusal(h.store, put(b, { names: held.names })), "name.taken");
    assert.equal(await refusal(h.store, put(b, { uses: held.uses })), "counter.exceeded");
    assert.equal(await refusal(h.store, put(b, { bounds: held.bounds })), "name.taken");
  });

  scenario(
    open,
    "a store opened again has its claims, wishes, due times and attempts",
    async (h) => {
      const [held, expired, later] = [key("held"), key("expired"), key("later")];
      await commit(h.store, put(expired, { due: wake() }));
      const lost = await claimOne(h.store, { leaseMs: minuteMs });
      await commit(h.store, put(held, { due: wake() }));
      const claim = await claimOne(h.store, { leaseMs: 60 * minuteMs });
      await commit(h.store, schedule(held, wake()));
      await commit(h.store, put(later, { due: wake(10 * minuteMs) }));
      await h.advanceClock(minuteMs);
      await h.reopen();
      assert.equal(
        await refusal(h.store, schedule(expired, wake(), { claim: lost })),
        "claim.lost",
      );
      assert.equal((await claimOne(h.store)).attempts, 2);
      assert.equal((await h.store.renew([claim], 60 * minuteMs)).renewed.length, 1);
      await commit(h.store, schedule(held, release(), { claim }));
      const again = await claimOne(h.store, { leaseMs: 60 * minuteMs });
      assert.deepEqual(again.key, held);
      assert.equal(again.attempts, 2);
      await h.advanceClock(9 * minuteMs);
      const due = await claimSome(h.store, { leaseMs: 60 * minuteMs });
      assert.deepEqual(due.map((one) => one.key.name).toSorted(), ["expired", "later"]);
    },
  );
}
