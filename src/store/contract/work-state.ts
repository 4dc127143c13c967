/** How work stands: what a person may ask about due times and claims, without taking part. */
import assert from "node:assert/strict";
import { limits } from "../../kernel/limits.ts";
import { scenario } from "./harness.ts";
import type { OpenStore } from "./harness.ts";
import {
  claimOne,
  commit,
  del,
  gadgets,
  key,
  minuteMs,
  put,
  rejectsWith,
  release,
  schedule,
  wake,
  widgets,
} from "./samples.ts";

const [a, b, c] = [key("a"), key("b"), key("c", "other")];

export function workStateContract(open: OpenStore): void {
  states(open);
  claims(open);
  backlogs(open);
}

function states(open: OpenStore): void {
  scenario(open, "the state of work comes in the order of the keys", async (h) => {
    await commit(h.store, put(a, { due: wake(10 * minuteMs) }));
    await commit(h.store, put(b));
    await commit(h.store, put(c, { due: wake() }));
    await h.advanceClock(4 * minuteMs);
    const found = await h.store.workOf([c, b, key("absent"), a, key("a\u0000"), c]);
    assert.deepEqual(
      found.map((state) => state?.attempts),
      [0, undefined, undefined, 0, undefined, 0],
    );
    near(found[0]?.dueInMs, -4 * minuteMs);
    near(found[3]?.dueInMs, 6 * minuteMs);
    assert.deepEqual(await h.store.workOf([]), []);
  });

  scenario(open, "the state of at most one page of keys is told", async (h) => {
    const keys = Array.from({ length: limits.maxPageItems + 1 }, () => a);
    await rejectsWith("request.too_large", h.store.workOf(keys));
  });

  scenario(open, "what is settled has no state unless its attempts are kept", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const first = await claimOne(h.store);
    await commit(h.store, schedule(a, release(), { claim: first }));
    const kept = { dueInMs: undefined, attempts: 1, claim: undefined };
    assert.deepEqual(await h.store.workOf([a]), [kept]);
    await commit(h.store, schedule(a, wake()));
    const second = await claimOne(h.store);
    await commit(h.store, schedule(a, release(undefined, "reset"), { claim: second }));
    assert.deepEqual(await h.store.workOf([a]), [undefined]);
  });

  scenario(open, "what is deleted has no state", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await commit(h.store, del(a));
    assert.deepEqual(await h.store.workOf([a]), [undefined]);
  });
}

function claims(open: OpenStore): void {
  scenario(open, "a live claim is told with its owner, token and end", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    const claim = await claimOne(h.store, { owner: "worker-7", leaseMs: 5 * minuteMs });
    await h.advanceClock(2 * minuteMs);
    const [held] = await h.store.workOf([a]);
    assert.equal(held?.claim?.owner, "worker-7");
    assert.equal(held.claim.token, claim.token);
    near(held.claim.expiresInMs, 3 * minuteMs);
    assert.equal(held.attempts, 1);
    assert.equal(held.dueInMs, undefined);
    await h.store.renew([claim], 9 * minuteMs);
    const [renewed] = await h.store.workOf([a]);
    assert.equal(renewed?.claim?.owner, "worker-7");
    near(renewed.claim.expiresInMs, 9 * minuteMs);
  });

  scenario(open, "a wake during a claim is told as due beside it", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await claimOne(h.store, { leaseMs: 5 * minuteMs });
    await commit(h.store, schedule(a, wake(2 * minuteMs)));
    const [held] = await h.store.workOf([a]);
    near(held?.dueInMs, 2 * minuteMs);
    near(held?.claim?.expiresInMs, 5 * minuteMs);
  });

  scenario(open, "an expired claim is none, and its resource is due", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await claimOne(h.store, { leaseMs: 5 * minuteMs });
    await h.advanceClock(7 * minuteMs);
    const [lost] = await h.store.workOf([a]);
    assert.equal(lost?.claim, undefined);
    assert.equal(lost?.attempts, 1);
    near(lost?.dueInMs, -2 * minuteMs);
  });
}

function backlogs(open: OpenStore): void {
  scenario(open, "a backlog counts what is due and tells what comes next, in order", async (h) => {
    await commit(h.store, put(c, { due: wake(20 * minuteMs) }));
    await commit(h.store, put(b, { due: wake() }));
    await claimOne(h.store, { leaseMs: 15 * minuteMs });
    await commit(h.store, put(a, { due: wake() }));
    await commit(h.store, put(key("settled")));
    await commit(h.store, put(key("g", "team", gadgets), { due: wake() }));
    await h.advanceClock(minuteMs);
    const all = await h.store.backlog({ kind: widgets });
    assert.equal(all.due, 1);
    assert.deepEqual(
      all.next.map((item) => item.key),
      [a, b, c],
    );
    assert.deepEqual(
      all.next.map((item) => item.work.claim?.owner),
      [undefined, "worker-1", undefined],
    );
    near(all.next[0]?.work.dueInMs, -minuteMs);
    near(all.next[2]?.work.dueInMs, 19 * minuteMs);
    const first = await h.store.backlog({ kind: widgets, limit: 1 });
    assert.deepEqual(
      first.next.map((item) => item.key),
      [a],
    );
    assert.equal(first.due, 1);
    assert.deepEqual(await h.store.backlog({ kind: "none" }), { due: 0, next: [] });
  });

  scenario(open, "a backlog may be that of one namespace", async (h) => {
    await commit(h.store, put(a, { due: wake() }));
    await commit(h.store, put(c, { due: wake() }));
    await commit(h.store, put(key("cluster", ""), { due: wake(minuteMs) }));
    const found = async (namespace: string) => {
      const { due, next } = await h.store.backlog({ kind: widgets, namespace });
      return [due, ...next.map((item) => item.key.name)];
    };
    assert.deepEqual(await found("team"), [1, "a"]);
    assert.deepEqual(await found("other"), [1, "c"]);
    assert.deepEqual(await found(""), [0, "cluster"]);
    assert.deepEqual(await found("none"), [0]);
  });
}

/** A database's clock flows while a test runs; a minute is far more than that. */
function near(actualMs: number | undefined, expectedMs: number): void {
  assert(actualMs !== undefined, "there is a time");
  const driftMs = Math.abs(actualMs - expectedMs);
  assert(driftMs < minuteMs / 2, `${actualMs} ms is not about ${expectedMs} ms`);
}
