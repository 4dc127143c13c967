/** Single writes: preconditions, identity, what counts as a change, and what is malformed. */
import assert from "node:assert/strict";
import type { Write } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  answer,
  at,
  changesAfter,
  claimOne,
  commit,
  del,
  draft,
  exists,
  hasCode,
  key,
  minuteMs,
  outcomes,
  put,
  refusal,
  release,
  schedule,
  wake,
} from "./samples.ts";

const a = key("a");
const b = key("b");

export function commitContract(open: OpenStore): void {
  preconditions(open);
  identity(open);
  noOps(open);
  calls(open);
  forms(open);
}

function preconditions(open: OpenStore): void {
  scenario(open, "what was created is read back with its revision, uid and bytes", async (h) => {
    const revision = await commit(h.store, put(a, { uid: "u1", content: { spec: { size: 1 } } }));
    assert.equal(revision, 1);
    const record = await h.store.get(a);
    const { body } = draft(a, { spec: { size: 1 } });
    assert.deepEqual(record, { key: a, uid: "u1", revision: 1, body });
    assert.equal(await h.store.get(b), undefined);
  });

  scenario(open, "a creation is refused when the key is taken, and changes nothing", async (h) => {
    await commit(h.store, put(a));
    const write = put(a, { content: { spec: 2 } });
    assert.equal(await refusal(h.store, write), "resource.already_exists");
    assert.deepEqual((await h.store.get(a))?.body, draft(a).body);
    assert.equal((await h.store.head()).revision, 1);
  });

  scenario(open, "a stale revision is refused and changes nothing", async (h) => {
    await commit(h.store, put(a));
    await commit(h.store, put(a, { when: at(1), content: { spec: 2 } }));
    const before = await h.store.get(a);
    for (const stale of [0, 1, 3]) {
      const write = put(a, { when: at(stale), content: { spec: 3 }, due: wake() });
      assert.equal(await refusal(h.store, write), "resource.conflict");
      assert.equal(await refusal(h.store, del(a, { when: at(stale) })), "resource.conflict");
      const plan = schedule(a, wake(), { when: at(stale) });
      assert.equal(await refusal(h.store, plan), "resource.conflict");
    }
    assert.deepEqual(await h.store.get(a), before);
    assert.equal((await h.store.head()).revision, 2);
    assert.equal(await h.store.nextDue([a.kind]), undefined);
  });

  scenario(open, "a write on what does not exist is refused as not found", async (h) => {
    for (const when of [at(1), exists, { kind: "exists", uid: "u" } as const]) {
      assert.equal(await refusal(h.store, put(a, { when })), "resource.not_found");
      assert.equal(await refusal(h.store, del(a, { when })), "resource.not_found");
      assert.equal(await refusal(h.store, schedule(a, wake(), { when })), "resource.not_found");
    }
    assert.equal((await h.store.head()).revision, 0);
  });

  scenario(open, "a precondition on existence holds at any revision", async (h) => {
    await commit(h.store, put(a, { uid: "u" }));
    for (const spec of [2, 3]) {
      const when = { kind: "exists", uid: "u" } as const;
      await commit(h.store, put(a, { uid: "u", when, content: { spec } }));
    }
    assert.equal(await commit(h.store, del(a)), 4);
  });
}

function identity(open: OpenStore): void {
  scenario(open, "a precondition on another uid is refused as a conflict", async (h) => {
    await commit(h.store, put(a, { uid: "u" }));
    const when = { kind: "exists", uid: "other" } as const;
    assert.equal(await refusal(h.store, put(a, { uid: "u", when })), "resource.conflict");
    assert.equal(await refusal(h.store, del(a, { when })), "resource.conflict");
    assert.equal(await refusal(h.store, schedule(a, wake(), { when })), "resource.conflict");
  });

  scenario(open, "a put with another uid is refused, even with the same bytes", async (h) => {
    await commit(h.store, put(a, { uid: "u" }));
    for (const when of [at(1), exists]) {
      assert.equal(await refusal(h.store, put(a, { uid: "other", when })), "resource.conflict");
    }
    assert.equal((await h.store.get(a))?.uid, "u");
  });

  scenario(open, "a deleted key can be created again, with a new life and uid", async (h) => {
    await commit(h.store, put(a, { uid: "u1" }));
    assert.equal(await commit(h.store, del(a, { when: at(1) })), 2);
    assert.equal(await h.store.get(a), undefined);
    assert.equal(await refusal(h.store, del(a)), "resource.not_found");
    assert.equal(await commit(h.store, put(a, { uid: "u2" })), 3);
    const created = (await changesAfter(h.store, 2))[0];
    assert.equal(created?.type, "created");
    assert.equal(created?.previous, undefined);
    assert.equal(created?.uid, "u2");
    assert.equal("previousTerms" in (created ?? {}), false);
  });

  scenario(open, "one name in two namespaces or kinds is two resources", async (h) => {
    const keys = [key("a", "x"), key("a", "y"), key("a", ""), key("a", "x", "gadgets.test")];
    for (const of of keys) await commit(h.store, put(of, { content: { spec: of.namespace } }));
    await commit(h.store, del(key("a", "y")));
    const found = await h.store.getMany(keys);
    assert.deepEqual(
      found.map((record) => record?.revision),
      [1, undefined, 3, 4],
    );
  });
}

function noOps(open: OpenStore): void {
  scenario(open, "a put of the same bytes and terms uses no revision", async (h) => {
    const content = { spec: 1, labels: { app: "x" } };
    await commit(h.store, put(a, { content }));
    await commit(h.store, put(b));
    const same = await answer(h.store, put(a, { when: at(1), content }));
    assert.deepEqual(same, { kind: "unchanged", revision: 1 });
    assert.equal((await h.store.head()).revision, 2);
    assert.equal((await h.store.history(a)).length, 1);
  });

  scenario(open, "a put that changes nothing still wakes, takes names and counts", async (h) => {
    await commit(h.store, put(a));
    const same = await answer(
      h.store,
      put(a, {
        when: exists,
        due: wake(),
        names: [{ scope: "s", name: "n" }],
        uses: [{ counter: "c", amount: 2 }],
        bounds: [{ counter: "c", max: 3 }],
      }),
    );
    assert.deepEqual(same, { kind: "unchanged", revision: 1 });
    assert.deepEqual(await h.store.nameHolder({ scope: "s", name: "n" }), a);
    assert.deepEqual(await h.store.counter("c"), { value: 2, max: 3 });
    assert.equal((await claimOne(h.store)).revision, 1);
  });

  scenario(open, "a put that changes nothing is still refused when it may not be", async (h) => {
    await commit(h.store, put(a, { names: [{ scope: "s", name: "n" }] }));
    await commit(h.store, put(b));
    const taking = put(b, { when: exists, names: [{ scope: "s", name: "n" }], due: wake() });
    assert.equal(await refusal(h.store, taking), "name.taken");
    assert.equal(await refusal(h.store, put(b, { when: at(1) })), "resource.conflict");
    assert.equal(await h.store.nextDue([a.kind]), undefined);
  });

  scenario(open, "the same bytes under other terms are a change that tells both", async (h) => {
    await commit(h.store, put(a, { content: { labels: { app: "x" } } }));
    const relabelled = put(a, { when: at(1), content: { labels: { app: "y" } } });
    assert.deepEqual(await answer(h.store, relabelled), { kind: "committed", revision: 2 });
    const change = (await changesAfter(h.store, 1))[0];
    assert.deepEqual(change?.terms, ["l:app=y"]);
    assert.deepEqual(change?.previousTerms, ["l:app=x"]);
    assert.deepEqual(change?.body, draft(a).body);
  });

  scenario(open, "a schedule uses no revision and answers with the resource's", async (h) => {
    await commit(h.store, put(a));
    await commit(h.store, put(b));
    const planned = await answer(h.store, schedule(a, wake(minuteMs), { when: at(1) }));
    assert.deepEqual(planned, { kind: "unchanged", revision: 1 });
    assert.equal((await h.store.head()).revision, 2);
  });
}

function calls(open: OpenStore): void {
  scenario(open, "each write of a call stands alone and is answered in its place", async (h) => {
    await commit(h.store, put(a));
    const writes = [put(b), put(a, { content: { spec: 9 } }), put(key("c")), del(key("d"))];
    assert.deepEqual(await outcomes(h.store.commit(writes)), [
      "committed",
      "resource.already_exists",
      "committed",
      "resource.not_found",
    ]);
    assert.equal((await h.store.get(b))?.revision, 2);
    assert.equal((await h.store.get(key("c")))?.revision, 3);
    assert.equal((await h.store.head()).revision, 3);
  });

  scenario(open, "a later write of a call sees what an earlier one took", async (h) => {
    const held = [{ scope: "s", name: "n" }];
    const writes = [put(a, { names: held }), put(b, { names: held })];
    assert.deepEqual(await outcomes(h.store.commit(writes)), ["committed", "name.taken"]);
  });

  scenario(open, "a call without writes is answered with nothing", async (h) => {
    assert.deepEqual(await h.store.commit([]), []);
    assert.deepEqual(await h.store.commit([], { atomic: true }), []);
    assert.deepEqual(await h.store.getMany([]), []);
  });

  scenario(open, "many keys are read in the order asked, misses and repeats too", async (h) => {
    await h.store.commit([put(a), put(b)]);
    const found = await h.store.getMany([b, key("none"), a, b]);
    assert.deepEqual(
      found.map((record) => record?.key.name),
      ["b", undefined, "a", "b"],
    );
  });
}

/** Each of these is a mistake of the caller: the whole call rejects and nothing of it happens. */
function forms(open: OpenStore): void {
  const claim = { key: b, token: 1 };
  const twice = { counter: "c", amount: 1 };
  const malformed: readonly (readonly [string, readonly Write[]])[] = [
    ["the same key twice", [put(a), del(a)]],
    ["a delete of what must be absent", [del(a, { when: { kind: "absent" } })]],
    ["a schedule of what must be absent", [schedule(a, wake(), { when: { kind: "absent" } })]],
    ["a release without a claim", [schedule(a, release())]],
    ["a release of somebody else's claim", [schedule(a, release(), { claim })]],
    ["a put that releases without a claim", [put(a, { due: release() })]],
    ["a wake in the past", [put(a, { due: wake(-1) })]],
    ["a negative amount", [put(a, { uses: [{ counter: "c", amount: -1 }] })]],
    ["a broken amount", [put(a, { uses: [{ counter: "c", amount: 0.5 }] })]],
    ["a negative bound", [put(a, { bounds: [{ counter: "c", max: -1 }] })]],
    ["two amounts for one counter", [put(a, { uses: [twice, twice] })]],
    ["the same name twice", [put(a, { names: [0, 1].map(() => ({ scope: "s", name: "n" })) })]],
    ["an empty name", [put(key(""))]],
    ["half a surrogate pair in a name", [put(key("x\ud800"))]],
  ];
  scenario(open, "a malformed write rejects the whole call and changes nothing", async (h) => {
    for (const [what, writes] of malformed) {
      const call = [put(key("neighbour")), ...writes];
      for (const atomic of [false, true]) {
        const committing = h.store.commit(call, { atomic });
        await assert.rejects(committing, hasCode("request.invalid"), what);
      }
    }
    assert.deepEqual(await h.store.head(), { revision: 0, compacted: 0 });
  });
}
