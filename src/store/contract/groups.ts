/** Atomic groups: all or nothing, one block of revisions, and who is told what. */
import assert from "node:assert/strict";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  answer,
  at,
  changesAfter,
  claimOne,
  commit,
  del,
  exists,
  key,
  outcomes,
  put,
  release,
  schedule,
  wake,
} from "./samples.ts";

const [a, b, c, d] = [key("a"), key("b"), key("c"), key("d")];
const atomic = { atomic: true };

export function groupsContract(open: OpenStore): void {
  success(open);
  failure(open);
  together(open);
}

function success(open: OpenStore): void {
  scenario(open, "a group is committed with consecutive revisions in its order", async (h) => {
    await commit(h.store, put(c));
    const answers = await h.store.commit([put(b), del(c), put(a)], atomic);
    assert.deepEqual(answers, [
      { kind: "committed", revision: 2 },
      { kind: "committed", revision: 3 },
      { kind: "committed", revision: 4 },
    ]);
    const changes = await changesAfter(h.store, 1);
    assert.deepEqual(
      changes.map(({ type, key: of }) => `${type} ${of.name}`),
      ["created b", "deleted c", "created a"],
    );
  });

  scenario(open, "what changes nothing in a group leaves no gap in it", async (h) => {
    await h.store.commit([put(a), put(b)]);
    const answers = await h.store.commit(
      [put(c), put(a, { when: at(1) }), schedule(b, wake()), put(d)],
      atomic,
    );
    assert.deepEqual(answers, [
      { kind: "committed", revision: 3 },
      { kind: "unchanged", revision: 1 },
      { kind: "unchanged", revision: 2 },
      { kind: "committed", revision: 4 },
    ]);
  });

  scenario(open, "groups of many callers at once never interleave", async (h) => {
    const calls = Array.from({ length: 50 }, (_, i) =>
      h.store.commit([put(key(`x${i}`)), put(key(`y${i}`)), put(key(`z${i}`))], atomic),
    );
    await Promise.all(calls);
    const changes = await changesAfter(h.store, 0);
    assert.equal(changes.length, 150);
    for (let start = 0; start < changes.length; start += 3) {
      const [x, y, z] = changes.slice(start, start + 3).map((change) => change.key.name);
      assert.deepEqual([y, z], [x?.replace("x", "y"), x?.replace("x", "z")]);
    }
  });
}

function failure(open: OpenStore): void {
  scenario(open, "one refused write refuses its whole group, which leaves no trace", async (h) => {
    await h.store.commit([put(a, { names: [{ scope: "s", name: "n" }] }), put(b)]);
    const group = [
      put(c, { names: [{ scope: "s", name: "m" }], uses: [{ counter: "k", amount: 1 }] }),
      put(a, { when: at(99), content: { spec: 1 } }),
      del(b),
    ];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.group_refused",
      "resource.conflict",
      "resource.group_refused",
    ]);
    assert.equal((await h.store.head()).revision, 2);
    assert.equal(await h.store.get(c), undefined);
    assert.notEqual(await h.store.get(b), undefined);
    assert.equal(await h.store.nameHolder({ scope: "s", name: "m" }), undefined);
    assert.deepEqual(await h.store.counter("k"), { value: 0, max: undefined });
    assert.equal(await commit(h.store, put(d)), 3);
  });

  scenario(open, "every write at fault answers with its own error", async (h) => {
    await h.store.commit([put(a), put(b)]);
    const group = [
      put(a),
      put(b, { when: at(1) }),
      del(d),
      put(c),
      put(key("e"), { claim: { key: a, token: 5 } }),
    ];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.already_exists",
      "resource.conflict",
      "resource.not_found",
      "resource.group_refused",
      "claim.lost",
    ]);
  });

  scenario(open, "a refused group does not schedule, wake or release", async (h) => {
    await h.store.commit([put(a, { due: wake() }), put(b)]);
    const claim = await claimOne(h.store);
    const group = [schedule(a, release(), { claim }), schedule(b, wake()), del(c)];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.group_refused",
      "resource.group_refused",
      "resource.not_found",
    ]);
    assert.deepEqual((await h.store.renew([claim], 60_000)).lost, []);
    assert.notEqual(await h.store.nextDue([a.kind]), 0);
  });

  scenario(open, "names and counters are judged once all preconditions hold", async (h) => {
    await commit(h.store, put(a, { names: [{ scope: "s", name: "n" }] }));
    const group = [put(b, { names: [{ scope: "s", name: "n" }] }), del(c)];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.group_refused",
      "resource.not_found",
    ]);
  });
}

function together(open: OpenStore): void {
  const n = [{ scope: "s", name: "n" }];

  scenario(open, "a name moves from one resource to another inside a group", async (h) => {
    await h.store.commit([put(a, { names: n }), put(b)]);
    const giving = put(a, { when: exists, names: [] });
    const taking = put(b, { when: exists, names: n });
    assert.deepEqual(await outcomes(h.store.commit([taking, giving], atomic)), [
      "unchanged",
      "unchanged",
    ]);
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), b);
    const moved = await outcomes(h.store.commit([put(c, { names: n }), del(b)], atomic));
    assert.deepEqual(moved, ["committed", "committed"]);
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), c);
  });

  scenario(open, "two resources swap their names inside a group", async (h) => {
    const m = [{ scope: "s", name: "m" }];
    await h.store.commit([put(a, { names: n }), put(b, { names: m })]);
    const swap = [put(a, { when: exists, names: m }), put(b, { when: exists, names: n })];
    await h.store.commit(swap, atomic);
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "m" }), a);
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), b);
  });

  scenario(open, "of two takers of a name in a group the later is at fault", async (h) => {
    const group = [put(a, { names: n }), put(b, { names: n })];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.group_refused",
      "name.taken",
    ]);
    await commit(h.store, put(c, { names: n }));
    const keeping = [put(d, { names: n }), put(c, { when: exists, names: n })];
    assert.deepEqual(await outcomes(h.store.commit(keeping, atomic)), [
      "name.taken",
      "resource.group_refused",
    ]);
  });

  scenario(open, "what a group frees on a counter makes room for what it takes", async (h) => {
    const five = [{ counter: "k", amount: 5 }];
    await h.store.commit([put(a, { bounds: [{ counter: "k", max: 5 }] }), put(b, { uses: five })]);
    const moved = await outcomes(h.store.commit([put(c, { uses: five }), del(b)], atomic));
    assert.deepEqual(moved, ["committed", "committed"]);
    assert.deepEqual(await h.store.counter("k"), { value: 5, max: 5 });
  });

  scenario(open, "from the write that passes the bound on, raises are at fault", async (h) => {
    const two = [{ counter: "k", amount: 2 }];
    await commit(h.store, put(a, { bounds: [{ counter: "k", max: 5 }] }));
    const group = [
      put(b, { uses: two }),
      put(c, { uses: two }),
      put(d, { uses: two }),
      put(key("e"), { uses: [{ counter: "k", amount: 1 }] }),
    ];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "resource.group_refused",
      "resource.group_refused",
      "counter.exceeded",
      "counter.exceeded",
    ]);
  });

  scenario(open, "a bound set by a group counts for the whole group", async (h) => {
    const group = [
      put(a, { uses: [{ counter: "k", amount: 3 }] }),
      put(b, { bounds: [{ counter: "k", max: 2 }] }),
    ];
    assert.deepEqual(await outcomes(h.store.commit(group, atomic)), [
      "counter.exceeded",
      "resource.group_refused",
    ]);
    assert.equal((await answer(h.store, put(a))).kind, "committed");
  });
}
