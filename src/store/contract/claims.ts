/** Claims: exclusive, leased, fenced by a token that only grows. */
import assert from "node:assert/strict";
import type { Claim, ClaimRef, Store } from "../port.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  claimOne,
  claimSome,
  commit,
  del,
  draft,
  exists,
  gadgets,
  key,
  minuteMs,
  names,
  outcome,
  outcomes,
  put,
  refusal,
  release,
  revisionOf,
  schedule,
  wake,
} from "./samples.ts";

const [a, b, child] = [key("a"), key("b"), key("child")];

export function claimsContract(open: OpenStore): void {
  exclusive(open);
  expiry(open);
  fences(open);
  renewals(open);
}

/** Every way to write in the name of a claim that is not live is refused, and changes nothing. */
async function assertFencedOff(store: Store, claim: ClaimRef): Promise<void> {
  const head = await store.head();
  const writes = [
    put(claim.key, { when: exists, content: { spec: "stale" }, claim }),
    put(claim.key, { when: exists, claim, due: release() }),
    put(child, { claim }),
    del(claim.key, { claim }),
    schedule(claim.key, wake(), { claim }),
    schedule(claim.key, release(), { claim }),
  ];
  for (const write of writes) assert.equal(await refusal(store, write), "claim.lost");
  const atomic = await outcomes(store.commit(writes.slice(1, 3), { atomic: true }));
  assert.deepEqual(atomic, ["claim.lost", "claim.lost"]);
  const { key: of, token } = claim;
  const renewal = await store.renew([claim], minuteMs);
  assert.deepEqual(renewal, { renewed: [], lost: [{ key: of, token }] });
  assert.deepEqual(await store.head(), head);
}

function exclusive(open: OpenStore): void {
  scenario(open, "what is claimed is not claimed again", async (h) => {
    await h.store.commit([put(a, { uid: "u", due: wake() }), put(b, { due: wake() })]);
    const [first] = await claimSome(h.store, { limit: 1 });
    const [second, ...others] = await claimSome(h.store, { owner: "worker-2" });
    assert.deepEqual(others, []);
    assert.deepEqual(new Set([first?.key.name, second?.key.name]), new Set(["a", "b"]));
    assert.deepEqual(await claimSome(h.store), []);
    const ofA = first?.key.name === "a" ? first : second;
    assert.equal(ofA?.uid, "u");
    assert.equal(ofA?.revision, 1);
    assert.equal(ofA?.attempts, 1);
  });

  scenario(open, "a claim call takes its kinds only, and at most its limit", async (h) => {
    const others = ["x", "y"].map((name) => key(name, "team", gadgets));
    for (const of of [a, b, ...others]) await commit(h.store, put(of, { due: wake() }));
    assert.deepEqual(await claimSome(h.store, { kinds: ["none"] }), []);
    assert.equal((await claimSome(h.store, { kinds: [gadgets], limit: 1 })).length, 1);
    assert.equal((await claimSome(h.store, { kinds: [gadgets] })).length, 1);
    const rest = await claimSome(h.store, { kinds: ["widgets.test", gadgets] });
    assert.deepEqual(names(rest).toSorted(), ["a", "b"]);
  });

  scenario(open, "callers at once share what is due and never both get one", async (h) => {
    const all = Array.from({ length: 60 }, (_, i) => key(`n${i}`, `team-${i % 4}`));
    await h.store.commit(all.map((of) => put(of, { due: wake() })));
    const batches = await Promise.all(
      Array.from({ length: 10 }, (_, i) => claimSome(h.store, { owner: `w${i}`, limit: 9 })),
    );
    const claims = batches.flat();
    assert(claims.length > 40, `only ${claims.length} of 60 were claimed`);
    // What one caller looked at and left, another may have passed over: it is still due.
    claims.push(...(await claimSome(h.store, { owner: "last", limit: 60 })));
    assert.equal(claims.length, 60);
    assert.equal(new Set(names(claims)).size, 60);
    assert.equal(new Set(claims.map((claim) => claim.token)).size, 60);
  });

  for (const where of ["in memory", "on disk"] as const) {
    scenario(open, `a document ${where} that comes along with a claim is the newest`, async (h) => {
      const secret = { secrets: { password: "word" } };
      const newest = [{ spec: 2 }, { spec: 3, ...secret }].map((content) => draft(a, content).body);
      await commit(h.store, put(a, { due: wake() }));
      await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
      if (where === "on disk") await h.reopen();
      const first = await claimOne(h.store);
      assert.equal(first.revision, 2);
      if (first.body !== undefined) assert.deepEqual(first.body, newest[0]);
      const content = { spec: 3, ...secret };
      await commit(h.store, put(a, { when: exists, content, claim: first, due: release(0) }));
      if (where === "on disk") await h.reopen();
      const second = await claimOne(h.store);
      assert.equal(second.revision, 3);
      if (second.body !== undefined) assert.deepEqual(second.body, newest[1]);
    });
  }

  scenario(open, "tokens grow over the whole store, whatever ends the claims", async (h) => {
    let last = 0;
    const isNewer = (token: number): void => {
      assert(token > last, `${token} comes after ${last}`);
      last = token;
    };
    await commit(h.store, put(a, { due: wake() }));
    const first = await claimOne(h.store);
    isNewer(first.token);
    await commit(h.store, schedule(a, release(0), { claim: first }));
    isNewer((await claimOne(h.store)).token);
    await h.advanceClock(minuteMs);
    isNewer((await claimOne(h.store)).token);
    await commit(h.store, del(a));
    await h.store.commit([put(a, { due: wake() }), put(b, { due: wake() })]);
    const both = (await claimSome(h.store)).map((claim) => claim.token);
    for (const token of both.toSorted((x, y) => x - y)) isNewer(token);
    await h.reopen();
    await commit(h.store, put(child, { due: wake() }));
    isNewer((await claimOne(h.store)).token);
  });
}

function expiry(open: OpenStore): void {
  scenario(
    open,
    "an expired claim can be taken over, and its old holder is fenced off",
    async (h) => {
      await commit(h.store, put(a, { due: wake() }));
      const first = await claimOne(h.store, { leaseMs: 3 * minuteMs });
      await h.advanceClock(2 * minuteMs);
      assert.deepEqual(await claimSome(h.store), []);
      await h.advanceClock(minuteMs);
      await assertFencedOff(h.store, first);
      const second = await claimOne(h.store, { owner: "worker-2" });
      assert.equal(second.attempts, 2);
      assert(second.token > first.token);
      await assertFencedOff(h.store, first);
      await commit(h.store, put(a, { when: exists, content: { spec: 2 }, claim: second }));
    },
  );

  scenario(open, "a wake after the lease ended does not put the takeover off", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await claimOne(h.store);
    await h.advanceClock(minuteMs);
    await commit(h.store, schedule(a, wake(60 * minuteMs)));
    await claimOne(h.store);
  });

  scenario(open, "a wake of a claim that expired is answered by the takeover", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await claimOne(h.store);
    await commit(h.store, schedule(a, wake()));
    await h.advanceClock(minuteMs);
    const claim = await claimOne(h.store);
    await commit(h.store, schedule(a, release(), { claim }));
    assert.deepEqual(await claimSome(h.store), []);
  });
}

function fences(open: OpenStore): void {
  scenario(open, "a released claim is no longer a claim", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, schedule(a, release(0), { claim }));
    await assertFencedOff(h.store, claim);
  });

  scenario(open, "a deletion ends the claim, and a new life does not honour it", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, del(a));
    await assertFencedOff(h.store, claim);
    await commit(h.store, put(a, { due: wake() }));
    await assertFencedOff(h.store, claim);
    const again = await claimOne(h.store);
    await assertFencedOff(h.store, claim);
    await commit(h.store, del(a, { claim: again }));
  });

  scenario(open, "a token is good for its own resource only", async (h) => {
    await h.store.commit([put(a, { due: wake() }), put(b, { due: wake() })]);
    const [one, two] = await claimSome(h.store);
    assert(one !== undefined && two !== undefined);
    await assertFencedOff(h.store, { key: one.key, token: two.token });
    await assertFencedOff(h.store, { key: one.key, token: one.token + 1_000 });
    await assertFencedOff(h.store, { key: key("none"), token: one.token });
  });

  scenario(open, "a claim is not given back in the name of another resource", async (h) => {
    await h.store.commit([put(a, { due: wake() }), put(b)]);
    const { token } = await claimOne(h.store);
    for (const other of [b, key("nobody")]) {
      const back = schedule(other, release(1_000), { claim: { key: other, token } });
      assert.equal(await refusal(h.store, back), "claim.lost", other.name);
    }
    const { renewed } = await h.store.renew([{ key: a, token }], minuteMs);
    assert.equal(renewed.length, 1);
  });

  scenario(open, "claims that are given back together are judged one by one", async (h) => {
    const all = [a, b, child];
    const made = await h.store.commit(all.map((of) => put(of, { uid: of.name, due: wake() })));
    const claims = new Map((await claimSome(h.store)).map((claim) => [claim.key.name, claim]));
    const of = (name: string): Claim => claims.get(name) ?? assert.fail(`${name} is not claimed`);
    const later = release(60 * minuteMs, "reset");
    const answers = await h.store.commit([
      schedule(child, later, { claim: of("child"), when: { kind: "exists", uid: "another" } }),
      schedule(b, later, { claim: { key: b, token: of("b").token + 1 } }),
      schedule(a, later, { claim: of("a"), when: { kind: "exists", uid: "a" } }),
    ]);
    assert.deepEqual(answers.map(outcome), ["resource.conflict", "claim.lost", "unchanged"]);
    assert.equal(revisionOf(answers[2]), revisionOf(made[0]));
    const { renewed, lost } = await h.store.renew([of("a"), of("b"), of("child")], minuteMs);
    assert.deepEqual(names(renewed).toSorted(), ["b", "child"], "the refused are live");
    assert.deepEqual(names(lost), ["a"]);
    assert.deepEqual(await claimSome(h.store), []);
  });

  scenario(open, "of claims given back together the one that was lost is told so", async (h) => {
    // Not in the order of their keys: places among the sorted are not places in the call.
    const all = ["z", "a", "m"].map((name) => key(name));
    await h.store.commit(all.map((of) => put(of, { due: wake() })));
    for (const late of all) {
      const claims = new Map((await claimSome(h.store)).map((claim) => [claim.key.name, claim]));
      const back = all.map((of) => {
        const claim = claims.get(of.name) ?? assert.fail(`${of.name} is not claimed`);
        return { ...schedule(of, release(0)), claim };
      });
      const kept = back.filter((write) => write.key !== late).map((write) => write.claim);
      await h.store.renew(kept, 60 * minuteMs);
      await h.advanceClock(2 * minuteMs);
      const expected = all.map((of) => (of === late ? "claim.lost" : "unchanged"));
      assert.deepEqual(await outcomes(h.store.commit(back)), expected);
    }
  });

  scenario(open, "a live claim on the parent lets its holder write children", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    await commit(h.store, put(child, { claim, due: wake() }));
    await commit(h.store, put(child, { when: exists, content: { spec: 2 }, claim }));
    await commit(h.store, schedule(child, wake(), { claim }));
    await commit(h.store, del(child, { claim }));
    assert.equal((await h.store.renew([claim], minuteMs)).renewed.length, 1);
  });

  scenario(open, "a group may write children and release the parent's claim at once", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store);
    const done = put(a, { when: exists, content: { spec: 2 }, claim, due: release() });
    const group = [done, put(child, { claim })];
    const answers = await outcomes(h.store.commit(group, { atomic: true }));
    assert.deepEqual(answers, ["committed", "committed"]);
    await commit(h.store, del(child));
    await assertFencedOff(h.store, claim);
  });

  scenario(open, "a lost claim is told before any other reason to refuse", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = { key: a, token: 77 };
    assert.equal(await refusal(h.store, put(a, { claim })), "claim.lost");
    assert.equal(await refusal(h.store, del(key("none"), { claim })), "claim.lost");
    assert.deepEqual((await h.store.get(a))?.body, draft(a).body);
  });

  scenario(open, "writes without a claim are not hindered by one", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await claimOne(h.store);
    await commit(h.store, put(a, { when: exists, content: { spec: 2 } }));
    await commit(h.store, del(a));
  });
}

function renewals(open: OpenStore): void {
  scenario(open, "a renewed claim lives on from now; the others are named as lost", async (h) => {
    await h.store.commit([put(a, { due: wake() }), put(b, { due: wake() })]);
    const claims = await claimSome(h.store, { leaseMs: 5 * minuteMs });
    const [kept, ended] = claims;
    assert(kept !== undefined && ended !== undefined);
    await commit(h.store, schedule(ended.key, release(), { claim: ended }));
    await h.advanceClock(4 * minuteMs);
    const renewal = await h.store.renew(claims, 5 * minuteMs);
    const { key: of, token } = ended;
    assert.deepEqual(renewal.lost, [{ key: of, token }]);
    const [renewed] = renewal.renewed;
    assert.deepEqual(renewed?.key, kept.key);
    assert.equal(renewed?.token, kept.token);
    const gainedMs = (renewed?.expiresAtMs ?? 0) - kept.expiresAtMs;
    assert(Math.abs(gainedMs - 4 * minuteMs) < minuteMs / 2, "it lives from now, not from its end");
    await h.advanceClock(4 * minuteMs);
    await commit(h.store, put(kept.key, { when: exists, claim: kept }));
    assert.deepEqual(await claimSome(h.store), []);
    await h.advanceClock(minuteMs);
    assert.deepEqual(await h.store.renew([], minuteMs), { renewed: [], lost: [] });
    await assertFencedOff(h.store, kept);
  });
}
