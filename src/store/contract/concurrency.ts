/** Many callers at once, in one process and in several; limits on what may wait; the end. */
import assert from "node:assert/strict";
import { limits } from "../../kernel/limits.ts";
import { isSetpointError } from "../../kernel/errors.ts";
import type { Answer, Store } from "../port.ts";
import { another, scenario } from "./harness.ts";
import type { OpenStore, Traits } from "./harness.ts";
import {
  changesAfter,
  claimSome,
  commit,
  del,
  draft,
  exists,
  key,
  listNames,
  names,
  outcome,
  put,
  refusal,
  rejectsWith,
  revisionOf,
  schedule,
  soon,
  wake,
  widgets,
} from "./samples.ts";

export function concurrencyContract(open: OpenStore, traits: Traits): void {
  callers(open);
  closing(open);
  sizes(open);
  if (traits.bounded) overload(open);
  if (traits.several) processes(open);
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

function callers(open: OpenStore): void {
  scenario(open, "a thousand commits at once get distinct revisions without a gap", async (h) => {
    const calls = upTo(1_000).map((i) => h.store.commit([put(key(`n${i}`))]));
    const revisions = (await Promise.all(calls)).map(([first]) => revisionOf(first));
    assert.deepEqual(
      revisions.toSorted((x, y) => x - y),
      upTo(1_000),
    );
    const changes = await changesAfter(h.store, 0);
    assert.deepEqual(
      changes.map((change) => change.revision),
      upTo(1_000),
    );
    assert.equal((await listNames(h.store, {})).length, 1_000);
  });

  scenario(open, "writes on one key take effect in the order of the calls", async (h) => {
    const a = key("a");
    const calls = upTo(100).map((spec) => {
      const when = spec === 1 ? ({ kind: "absent" } as const) : exists;
      return h.store.commit([put(a, { when, content: { spec } })]);
    });
    const answers = (await Promise.all(calls)).flat();
    assert.deepEqual(
      answers.map(outcome),
      upTo(100).map(() => "committed"),
    );
    const history = await h.store.history(a, { limit: 100 });
    assert.deepEqual(
      history.map((change) => change.body),
      upTo(100)
        .toReversed()
        .map((spec) => draft(a, { spec }).body),
    );
  });

  scenario(open, "creation, change and deletion sent at once happen in that order", async (h) => {
    const a = key("a");
    const writes = [put(a), put(a, { when: exists, content: { spec: 2 } }), del(a), put(a)];
    const calls = writes.map((write) => h.store.commit([write]));
    const answers = (await Promise.all(calls)).flat();
    assert.deepEqual(answers.map(revisionOf), [1, 2, 3, 4]);
  });

  scenario(open, "of many writers on one revision exactly one wins", async (h) => {
    await commit(h.store, put(key("a")));
    const calls = upTo(50).map((spec) =>
      h.store.commit([
        put(key("a"), { when: { kind: "revision", revision: 1 }, content: { spec } }),
      ]),
    );
    const all = (await Promise.all(calls)).flat().map(outcome);
    assert.equal(all.filter((word) => word === "committed").length, 1);
    assert.equal(all.filter((word) => word === "resource.conflict").length, 49);
    assert.equal((await h.store.head()).revision, 2);
  });

  scenario(open, "counts tell what is in the store", async (h) => {
    await h.store.commit([put(key("a")), put(key("b"), { due: wake() }), put(key("c"))]);
    await commit(h.store, del(key("a")));
    const stats = await h.store.stats();
    assert.equal(stats.resources, 2);
    assert.equal(stats.changes, 4);
    assert.equal(stats.due, 1);
    assert.equal(stats.revision, 4);
    assert.equal(stats.compacted, 0);
    assert.equal(stats.queuedWrites, 0);
    assert.equal(stats.queuedBytes, 0);
    assert(stats.bytesOnDisk >= 0 && stats.schemaVersion >= 1);
    for (const hazard of await h.store.hazards()) assert.equal(typeof hazard, "string");
  });
}

function closing(open: OpenStore): void {
  scenario(open, "closing answers what was accepted, then refuses everything", async (h) => {
    const { store } = h;
    const calls = upTo(50).map((i) => store.commit([put(key(`n${i}`))]));
    const waits = [store.advancedBeyond(1_000), store.workArrived(1e9)];
    const told = waits.map((wait) => rejectsWith("store.closed", wait));
    await store.close();
    const answers = (await Promise.all(calls)).flat();
    assert.equal(answers.filter((given) => given.kind === "committed").length, 50);
    await Promise.all(told);
    await assertClosed(store);
    await store.close();
    await store[Symbol.asyncDispose]();
    await h.reopen();
    assert.equal((await listNames(h.store, {})).length, 50);
  });
}

async function assertClosed(store: Store): Promise<void> {
  const calls: readonly (() => Promise<unknown>)[] = [
    () => store.commit([put(key("late"))]),
    () => store.get(key("n1")),
    () => store.getMany([key("n1")]),
    () => store.list({ kind: widgets }),
    () => store.changes(0),
    () => store.history(key("n1")),
    () => store.advancedBeyond(0),
    () => store.compact(1),
    () => claimSome(store),
    () => store.renew([{ key: key("n1"), token: 1 }], 1_000),
    () => store.nextDue([widgets]),
    () => store.counter("c"),
    () => store.nameHolder({ scope: "s", name: "n" }),
    () => Array.fromAsync(store.dump()),
  ];
  for (const call of calls) await rejectsWith("store.closed", call());
}

function sizes(open: OpenStore): void {
  scenario(open, "a group over its limit rejects; the largest allowed fits", async (h) => {
    const group = upTo(limits.maxGroupWrites + 1).map((i) => put(key(`n${i}`)));
    await rejectsWith("request.too_large", h.store.commit(group, { atomic: true }));
    assert.equal((await h.store.head()).revision, 0);
    const answers = await h.store.commit(group.slice(1), { atomic: true });
    assert.deepEqual(answers.map(revisionOf), upTo(limits.maxGroupWrites));
  });

  scenario(open, "a call of many writes that stand alone is answered whole", async (h) => {
    const answers = await h.store.commit(upTo(1_500).map((i) => put(key(`n${i}`))));
    assert.deepEqual(answers.map(revisionOf), upTo(1_500));
  });
}

function overload(open: OpenStore): void {
  const most = 40;
  const flood = async (h: { readonly store: Store }): Promise<void> => {
    const settled = await Promise.allSettled(
      upTo(100).map((i) => h.store.commit([put(key(`n${i}`))])),
    );
    const answered: Answer[] = [];
    for (const result of settled) {
      if (result.status === "fulfilled") answered.push(...result.value);
      else assert(isSetpointError(result.reason, "store.overloaded"), String(result.reason));
    }
    assert(answered.length >= most && answered.length < 100, `${answered.length} were accepted`);
    assert.deepEqual(
      answered.map(revisionOf).toSorted((x, y) => x - y),
      upTo(answered.length),
    );
    assert.equal((await h.store.head()).revision, answered.length);
    assert.equal((await h.store.stats()).queuedWrites, 0);
    await commit(h.store, put(key("later")));
  };
  const title = "more than may wait is refused as overload, and what was accepted commits";
  scenario(open, title, flood, { maxQueuedWrites: most });
}

function processes(open: OpenStore): void {
  scenario(open, "two processes share one gapless order that both can read", async (h) => {
    const other = await another(h);
    const calls = upTo(200).map((i) => (i % 2 === 0 ? h.store : other).commit([put(key(`n${i}`))]));
    const answers = (await Promise.all(calls)).flat();
    assert.deepEqual(
      answers.map(revisionOf).toSorted((x, y) => x - y),
      upTo(200),
    );
    for (const store of [h.store, other]) {
      await store.advancedBeyond(199, soon());
      const changes = await changesAfter(store, 0);
      assert.deepEqual(
        changes.map((change) => change.revision),
        upTo(200),
      );
    }
  });

  scenario(open, "a reader in another process never sees a gap while writers race", async (h) => {
    const other = await another(h);
    const writing = Promise.all(
      upTo(150).map((i) => (i % 3 === 0 ? other : h.store).commit([put(key(`n${i}`))])),
    );
    let seen = 0;
    while (seen < 150) {
      await other.advancedBeyond(seen, soon());
      const page = await other.changes(seen);
      for (const change of page.changes) {
        seen += 1;
        assert.equal(change.revision, seen);
      }
    }
    await writing;
  });

  scenario(open, "another process is woken by a commit and by work, and reads it", async (h) => {
    const other = await another(h);
    const seen = other.workTick();
    const woken = Promise.all([other.advancedBeyond(0, soon()), other.workArrived(seen, soon())]);
    await commit(h.store, put(key("a"), { due: wake() }));
    const [head, tick] = await woken;
    assert(head >= 1 && tick > seen);
    assert.equal((await other.changes(0)).changes.length, 1);
    assert.equal((await other.get(key("a")))?.revision, 1);
    const later = other.workTick();
    const again = other.workArrived(later, soon());
    await commit(h.store, schedule(key("a"), wake()));
    await commit(h.store, put(key("b"), { due: wake() }));
    assert((await again) > later);
  });

  scenario(open, "an answer given by one process is seen by a read in the other", async (h) => {
    const other = await another(h);
    for (const spec of upTo(20)) {
      const when = spec === 1 ? ({ kind: "absent" } as const) : exists;
      const revision = await commit(h.store, put(key("a"), { when, content: { spec } }));
      assert.equal((await other.get(key("a")))?.revision, revision);
      assert.equal((await other.list({ kind: widgets })).records[0]?.revision, revision);
    }
  });

  scenario(open, "two processes never hold one claim, name or place on a counter", async (h) => {
    const other = await another(h);
    const stores = [h.store, other];
    await commit(h.store, put(key("quota"), { bounds: [{ counter: "c", max: 7 }] }));
    const parts = { due: wake(), uses: [{ counter: "c", amount: 1 }] };
    const calls = upTo(20).map((i) =>
      (i % 2 === 0 ? h.store : other).commit([put(key(`n${i}`), parts)]),
    );
    const all = (await Promise.all(calls)).flat().map(outcome);
    assert.equal(all.filter((word) => word === "committed").length, 7);
    const named = { names: [{ scope: "s", name: "n" }] };
    const racing = await Promise.all(
      stores.map((store, i) => store.commit([put(key(`named${i}`), named)])),
    );
    assert.deepEqual(racing.flat().map(outcome).toSorted(), ["committed", "name.taken"]);
    const claims = (await Promise.all(stores.map((store) => claimSome(store)))).flat();
    assert.equal(new Set(names(claims)).size, 7);
    assert.equal(claims.length, 7);
    const [claim] = claims;
    assert(claim !== undefined);
    await commit(other, del(claim.key));
    assert.equal(await refusal(h.store, put(key("child"), { claim })), "claim.lost");
  });
}
